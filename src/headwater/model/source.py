"""Numbers over time: what a source says that is no text. It goes into tables of its own, past all steps."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from headwater.model.subject import check_subject_length


@dataclass(frozen=True, slots=True)
class Trigger:
    """When a source is due: every so often, or by a cron expression in UTC. Exactly one of the two."""

    every: timedelta | None = None
    cron: str | None = None

    def __post_init__(self) -> None:
        if (self.every is None) == (self.cron is None):
            raise ValueError("a trigger has either an interval or a cron expression")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where new things come from: plain data, one row.

    `options` belongs to the kind (selectors, filters, limits); `watermark` is how far the source has been read and
    belongs to the kind as well, but is written by the engine, and only after everything before it is stored.
    """

    id: str
    recipe: str
    kind: str
    name: str
    url: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    trigger: Trigger | None = None
    subject: str | None = None
    credibility: float = 0.5
    active: bool = True
    watermark: Mapping[str, Any] = field(default_factory=dict)
    failures: int = 0
    stopped: str | None = None

    def __post_init__(self) -> None:
        check_subject_length(self.subject)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """Something a source says exists.

    `identity` names it within its source (a GUID, an accession number, a URL). `version` changes when the source says
    that it changed. `body` is set when the source already delivered the content itself (full-text feed, API item):
    such a lead is not fetched. `hints` are what the source said about it, by field name; `attributes` among them become
    the document's. `revisit`: the version changed only because time has passed; what the page itself said about its
    freshness then comes first.
    """

    identity: str
    url: str
    version: str = ""
    title: str | None = None
    published: datetime | None = None
    body: str | None = None
    body_type: str = "text/html"
    hints: Mapping[str, Any] = field(default_factory=dict)
    subject: str | None = None
    revisit: bool = False

    def __post_init__(self) -> None:
        check_subject_length(self.subject)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredLead:
    """A lead as it lies in the store: with its keys, and what the last fetch left behind for the next one. `render`:
    the next fetch is to be made with a browser, because there was no text without one."""

    id: str
    recipe: str
    source: str
    document: str
    lead: Lead
    attempts: int = 0
    etag: str | None = None
    last_modified: str | None = None
    sha256: str | None = None
    render: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """What a symbol was traded at during one span ("1day", "1hour") that began at `at`."""

    symbol: str
    span: str
    at: datetime
    open: float | None = None
    high: float | None = None
    low: float | None = None
    close: float | None = None
    volume: float | None = None
    average: float | None = None
    trades: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """How something stood at a moment: an account, a position, an order, the particulars of a symbol."""

    kind: str
    name: str
    at: datetime
    value: Mapping[str, Any] = field(default_factory=dict)
