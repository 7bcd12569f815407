"""Where a request really goes: the URL checked by its spelling, and the override of its host, if there is one."""

import re
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from yarl import URL

from headwater.fetch.failures import Stopped
from headwater.fetch.settings import FetchSettings
from headwater.model.errors import Refused
from headwater.pure.addresses import AllowList, refusal_of_host
from headwater.pure.host_patterns import match

_LONGEST_URL = 8192
_SHAPE = re.compile(r"https?://[^/?#\\@\s]+(?:[/?#].*)?", re.IGNORECASE | re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_NAME = re.compile(r"(?:[a-z0-9_](?:[a-z0-9_-]{0,62})\.)*[a-z0-9_][a-z0-9_-]{0,62}\.?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Route:
    """`url` is what the world knows; `wire` is what is connected to, which differs when `override` names a pattern.
    `trusted`: the operator named the host, so it may have any address."""

    url: URL
    wire: URL
    host: str
    port: int
    trusted: bool = False
    override: str = ""

    @property
    def host_header(self) -> str:
        return self.url.host_port_subcomponent or self.host


class Router:
    """Gives the route of a URL, or stops with the reason why there is none."""

    def __init__(self, settings: FetchSettings) -> None:
        self._ports = settings.ports
        self._allow = AllowList.of(settings.allow)
        self._overrides = {pattern.lower(): _checked(url) for pattern, url in settings.overrides.items()}

    def route(self, text: str) -> Route:
        url = parse(text)
        host = (url.raw_host or "").rstrip(".")
        port = url.port or 0
        override = match(self._overrides, host)
        if override is not None:
            pattern, target = override
            return Route(url, URL(target + url.raw_path_qs, encoded=True), host, port, True, pattern)
        if self._allow.has_host(host, port):
            return Route(url, url, host, port, True)
        refusal = refusal_of_host(url.raw_host or "")
        if refusal is not None:
            raise Stopped("forbidden_address", f"{host} ({refusal})", temporary=False)
        if port not in self._ports:
            raise Stopped("forbidden_address", f"port {port}", temporary=False)
        return Route(url, url, host, port)


def joined(route: Route, reference: str) -> str:
    """The URL that a reference in an answer names."""
    try:
        return urljoin(str(route.url), reference.strip())
    except ValueError:
        raise Stopped("bad_url", "a redirect that cannot be parsed", temporary=False) from None


def parse(text: str) -> URL:
    """The URL in its usual spelling, without its fragment. Anything that two parsers could read differently stops."""
    stripped = text.strip()
    if len(stripped) > _LONGEST_URL or _CONTROL.search(stripped) or not _SHAPE.fullmatch(stripped):
        raise Stopped("bad_url", "not a plain http(s) URL", temporary=False)
    try:
        url = URL(stripped)
        port = url.port
    except ValueError:
        raise Stopped("bad_url", "cannot be parsed", temporary=False) from None
    if not _plain_host(url.raw_host or "") or not port:
        raise Stopped("bad_url", "no usable host", temporary=False)
    return url.with_fragment(None) if url.raw_fragment else url


def _plain_host(host: str) -> bool:
    return ":" in host or (len(host) <= 253 and _NAME.fullmatch(host) is not None)


def _checked(base_url: str) -> str:
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query:
        raise Refused(
            "bad_setting", f"an override needs a base URL such as http://127.0.0.1:8080, not {base_url!r}"
        )
    return base_url.rstrip("/")
