"""Where a request goes: checks the URL, and applies the override of its host if there is one."""

import re
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from yarl import URL

from headwater.fetch.failures import FetchStopped
from headwater.fetch.guard.addresses import AllowList, host_refusal, refused_address
from headwater.fetch.settings import FetchSettings, match_host
from headwater.model.errors import Refused
from headwater.model.http import Failure

_LONGEST_URL = 8192
_MOST_TARGETS = 10_000
_SHAPE = re.compile(r"https?://[^/?#\\@\s]+(?:[/?#].*)?", re.IGNORECASE | re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_NAME = re.compile(r"(?:[a-z0-9_](?:[a-z0-9_-]{0,62})\.)*[a-z0-9_][a-z0-9_-]{0,62}\.?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HostTarget:
    """A host and port. `override_url` is the base URL that receives its requests instead, if any; `refusal` says why
    requests are not sent at all. `trusted`: the operator named the host, so it may have any address."""

    host: str
    port: int
    host_header: str
    trusted: bool = False
    override: str = ""
    override_url: str = ""
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class RequestRoute:
    """`url` is the public URL; `wire` is the URL that is connected to. They differ when the host has an override."""

    url: URL
    wire: URL
    target: HostTarget

    @property
    def host(self) -> str:
        return self.target.host

    @property
    def port(self) -> int:
        return self.target.port


class RequestRouter:
    """Returns the route of a URL, or stops with the reason why there is none."""

    def __init__(self, settings: FetchSettings) -> None:
        self._ports = settings.ports
        self._allow = AllowList.of(settings.allow)
        self._overrides = {
            pattern.lower(): _checked_override(url) for pattern, url in settings.overrides.items()
        }
        self._targets: dict[tuple[str, int | None], HostTarget] = {}

    def route(self, text: str) -> RequestRoute:
        url = parse_request_url(text)
        key = (url.raw_host or "", url.port)
        target = self._targets.get(key)
        if target is None:
            if len(self._targets) >= _MOST_TARGETS:
                self._targets.clear()
            target = self._targets[key] = self._target(url)
        if target.refusal:
            raise FetchStopped("forbidden_address", target.refusal, temporary=False)
        base = target.override_url
        return RequestRoute(url, URL(base + url.raw_path_qs, encoded=True) if base else url, target)

    def address_refusal(self, text: str) -> Failure | None:
        """The failure of every request for this URL because of its address, as far as its spelling shows it. Names are not
        resolved, except the one that always means this machine."""
        try:
            route = self.route(text)
        except FetchStopped as stopped:
            return stopped.failure if stopped.failure.reason == "forbidden_address" else None
        is_this_machine = route.host == "localhost" or route.host.endswith(".localhost")
        if not is_this_machine or route.target.trusted:
            return None
        refusal = refused_address(("127.0.0.1",), route.port, self._allow)
        return None if refusal is None else Failure("forbidden_address", f"{route.host} ({refusal[1]})")

    def _target(self, url: URL) -> HostTarget:
        raw, port = url.raw_host or "", url.port or 0
        host, header = raw.rstrip("."), url.host_port_subcomponent or raw
        override = match_host(self._overrides, host)
        if override is not None:
            return HostTarget(
                host, port, header, trusted=True, override=override[0], override_url=override[1]
            )
        if self._allow.has_host(host, port):
            return HostTarget(host, port, header, trusted=True)
        refusal = host_refusal(raw)
        if refusal is not None:
            return HostTarget(host, port, header, refusal=f"{host} ({refusal})")
        return HostTarget(host, port, header, refusal="" if port in self._ports else f"port {port}")


def resolve_reference(route: RequestRoute, reference: str) -> str:
    """The absolute URL of a Location header."""
    try:
        return urljoin(str(route.url), reference.strip())
    except ValueError:
        raise FetchStopped("bad_url", "a redirect that cannot be parsed", temporary=False) from None


def parse_request_url(text: str) -> URL:
    """The normalised URL without its fragment. Stops at any URL that two parsers could read differently."""
    stripped = text.strip()
    if len(stripped) > _LONGEST_URL or _CONTROL.search(stripped) or not _SHAPE.fullmatch(stripped):
        raise FetchStopped("bad_url", "not a plain http(s) URL", temporary=False)
    try:
        url = URL(stripped)
        port = url.port
    except ValueError:
        raise FetchStopped("bad_url", "cannot be parsed", temporary=False) from None
    if not _is_valid_host(url.raw_host or "") or not port:
        raise FetchStopped("bad_url", "no usable host", temporary=False)
    return url.with_fragment(None) if url.raw_fragment else url


def is_request_url(text: str) -> bool:
    """Whether a request for it could be sent, as far as its spelling shows it."""
    try:
        parse_request_url(text)
    except FetchStopped:
        return False
    return True


def _is_valid_host(host: str) -> bool:
    return ":" in host or (len(host) <= 253 and _NAME.fullmatch(host) is not None)


def _checked_override(base_url: str) -> str:
    try:
        parts = urlsplit(base_url)
        valid = bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid or parts.scheme not in ("http", "https") or parts.username or parts.query or parts.fragment:
        raise Refused(
            "bad_setting", f"an override needs a base URL such as http://127.0.0.1:8080, not {base_url!r}"
        )
    return base_url.rstrip("/")
