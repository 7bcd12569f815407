"""Where a request really goes: the URL checked by its spelling, and the override of its host, if there is one."""

import re
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from yarl import URL

from headwater.fetch.failures import FetchStopped
from headwater.fetch.guard.addresses import AllowList, host_refusal
from headwater.fetch.politeness.host_patterns import match_host
from headwater.fetch.settings import FetchSettings
from headwater.model.errors import Refused

_LONGEST_URL = 8192
_KNOWN_PLACES = 10_000
_SHAPE = re.compile(r"https?://[^/?#\\@\s]+(?:[/?#].*)?", re.IGNORECASE | re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_NAME = re.compile(r"(?:[a-z0-9_](?:[a-z0-9_-]{0,62})\.)*[a-z0-9_][a-z0-9_-]{0,62}\.?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HostTarget:
    """What is known about a host and its port. `base` is where requests for it are sent instead, if anywhere;
    `refusal` why none are sent at all. `trusted`: the operator named the host, so it may have any address."""

    host: str
    port: int
    header: str
    trusted: bool = False
    override: str = ""
    base: str = ""
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class RequestRoute:
    """`url` is what the world knows; `wire` is what is connected to, which differs when there is an override."""

    url: URL
    wire: URL
    place: HostTarget

    @property
    def host(self) -> str:
        return self.place.host

    @property
    def port(self) -> int:
        return self.place.port


class RequestRouter:
    """Gives the route of a URL, or stops with the reason why there is none."""

    def __init__(self, settings: FetchSettings) -> None:
        self._ports = settings.ports
        self._allow = AllowList.of(settings.allow)
        self._overrides = {
            pattern.lower(): _checked_override(url) for pattern, url in settings.overrides.items()
        }
        self._places: dict[tuple[str, int | None], HostTarget] = {}

    def route(self, text: str) -> RequestRoute:
        url = parse_request_url(text)
        named = (url.raw_host or "", url.port)
        place = self._places.get(named)
        if place is None:
            if len(self._places) >= _KNOWN_PLACES:
                self._places.clear()
            place = self._places[named] = self._place(url)
        if place.refusal:
            raise FetchStopped("forbidden_address", place.refusal, temporary=False)
        return RequestRoute(
            url, URL(place.base + url.raw_path_qs, encoded=True) if place.base else url, place
        )

    def _place(self, url: URL) -> HostTarget:
        raw, port = url.raw_host or "", url.port or 0
        host, header = raw.rstrip("."), url.host_port_subcomponent or raw
        override = match_host(self._overrides, host)
        if override is not None:
            return HostTarget(host, port, header, trusted=True, override=override[0], base=override[1])
        if self._allow.has_host(host, port):
            return HostTarget(host, port, header, trusted=True)
        refusal = host_refusal(raw)
        if refusal is not None:
            return HostTarget(host, port, header, refusal=f"{host} ({refusal})")
        return HostTarget(host, port, header, refusal="" if port in self._ports else f"port {port}")


def resolve_reference(route: RequestRoute, reference: str) -> str:
    """The URL that a reference in an answer names."""
    try:
        return urljoin(str(route.url), reference.strip())
    except ValueError:
        raise FetchStopped("bad_url", "a redirect that cannot be parsed", temporary=False) from None


def parse_request_url(text: str) -> URL:
    """The URL in its usual spelling, without its fragment. Anything that two parsers could read differently stops."""
    stripped = text.strip()
    if len(stripped) > _LONGEST_URL or _CONTROL.search(stripped) or not _SHAPE.fullmatch(stripped):
        raise FetchStopped("bad_url", "not a plain http(s) URL", temporary=False)
    try:
        url = URL(stripped)
        port = url.port
    except ValueError:
        raise FetchStopped("bad_url", "cannot be parsed", temporary=False) from None
    if not _plain_host(url.raw_host or "") or not port:
        raise FetchStopped("bad_url", "no usable host", temporary=False)
    return url.with_fragment(None) if url.raw_fragment else url


def _plain_host(host: str) -> bool:
    return ":" in host or (len(host) <= 253 and _NAME.fullmatch(host) is not None)


def _checked_override(base_url: str) -> str:
    try:
        parts = urlsplit(base_url)
        sound = bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if not sound or parts.scheme not in ("http", "https") or parts.username or parts.query or parts.fragment:
        raise Refused(
            "bad_setting", f"an override needs a base URL such as http://127.0.0.1:8080, not {base_url!r}"
        )
    return base_url.rstrip("/")
