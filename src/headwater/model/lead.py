from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from headwater.model.subject import fitting


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
        fitting(self.subject)


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
