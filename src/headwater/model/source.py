"""Sources, and what polling them brings: leads, and time series (bars and observations)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from headwater.model.http import Capture
from headwater.model.page import PageMode
from headwater.model.subject import check_subject_length


@dataclass(frozen=True, slots=True)
class Trigger:
    """When a source is due: at an interval, or by a cron expression in UTC. Exactly one of the two."""

    every: timedelta | None = None
    cron: str | None = None

    def __post_init__(self) -> None:
        if (self.every is None) == (self.cron is None):
            raise ValueError("a trigger has either an interval or a cron expression")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where leads come from: plain data, one row.

    `options` are those of the kind (selectors, filters, limits). `watermark` is how far the source has been read, in the
    form of its kind; the engine writes it, and only after everything before it is stored. `pages` says what is done with
    the pages of its items; without it, the recipe's default for the kind counts.
    """

    id: str
    recipe: str
    kind: str
    name: str
    url: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    trigger: Trigger | None = None
    subject: str | None = None
    pages: PageMode | None = None
    credibility: float = 0.5
    active: bool = True
    watermark: Mapping[str, Any] = field(default_factory=dict)
    failures: int = 0
    stop_reason: str | None = None

    def __post_init__(self) -> None:
        check_subject_length(self.subject)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """Something that a source lists.

    `identity` names it within its source (a GUID, a number, a URL). `version` changes when the source reports
    a change. `body` is set when the source delivers the content itself (full-text feed, API item): such a lead is not
    fetched. With `teaser` that content is incomplete: the page is fetched, and the body counts only if the page cannot be
    read. `hints` are the source's metadata, by field name; `attributes` among them become the document's. `revisit`
    means that the version changed only because time has passed; the page's own freshness headers then come first. With
    `watched` its source watches the page: a change revises the document that has the address, whichever source stored it.
    """

    identity: str
    url: str
    version: str = ""
    title: str | None = None
    published: datetime | None = None
    body: str | None = None
    body_type: str = "text/html"
    teaser: bool = False
    hints: Mapping[str, Any] = field(default_factory=dict)
    subject: str | None = None
    revisit: bool = False
    watched: bool = False

    def __post_init__(self) -> None:
        check_subject_length(self.subject)

    @property
    def is_complete(self) -> bool:
        """Whether the source delivered the whole text, so that no page is needed."""
        return self.body is not None and not self.teaser


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredLead:
    """A lead as it is stored: with its keys, and the validators of the last fetch for the next one. `render`: fetch it
    with a browser next time, because there was no text without one. `page_reason` is why the last fetch brought no page.

    The rest is set when a lead is claimed for a fetch: `render_reason`, why a browser is to show its page, when it last
    changed, `source_kind` and `pages` of its source, `same_page`, the newest capture of the same address by another lead, and `is_in_flight`: another lead is fetching it now."""

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
    page_reason: str | None = None
    render_reason: str | None = None
    updated_at: datetime | None = None
    source_kind: str = ""
    pages: PageMode | None = None
    same_page: Capture | None = None
    is_in_flight: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """The values of a series, named by its symbol, during one span ("1day", "1hour") that began at `at`: the first, highest,
    lowest and last, their volume and average, and of how many single values (`trades`)."""

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
    """The state of something at a moment, as a source reported it."""

    kind: str
    name: str
    at: datetime
    value: Mapping[str, Any] = field(default_factory=dict)
