"""Sites, the requests they receive and the responses they return; without sockets."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

HTML = "text/html; charset=utf-8"
TEXT = "text/plain; charset=utf-8"
XML = "application/xml; charset=utf-8"
JSON = "application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteRequest:
    """One request as a site sees it: header names are lower case, `now` comes from the demo clock."""

    method: str = "GET"
    host: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How fast a body is sent: `chunk` bytes every `seconds`; `endless` repeats it until the client disconnects."""

    chunk: int
    seconds: float
    endless: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteResponse:
    """`as_is` bodies are sent byte for byte: neither validators nor compression are added."""

    status: int = 200
    body: bytes = b""
    media_type: str = HTML
    headers: Mapping[str, str] = field(default_factory=dict)
    last_modified: datetime | None = None
    pace: Pace | None = None
    as_is: bool = False


@dataclass(frozen=True, slots=True)
class Site:
    host: str
    answer: Callable[[SiteRequest], SiteResponse]


def page(text: str, *, status: int = 200, last_modified: datetime | None = None) -> SiteResponse:
    return SiteResponse(status=status, body=text.encode(), last_modified=last_modified)


def plain(text: str, *, status: int = 200, media_type: str = TEXT) -> SiteResponse:
    return SiteResponse(status=status, body=text.encode(), media_type=media_type)


def redirect(location: str, *, status: int = 302) -> SiteResponse:
    return SiteResponse(status=status, headers={"Location": location}, as_is=True)


def not_found(request: SiteRequest) -> SiteResponse:
    return page(
        f"<!doctype html><title>Not found</title><h1>Not found</h1><p>{request.host} has no such page.</p>",
        status=404,
    )
