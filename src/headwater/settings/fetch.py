"""The settings of the fetcher, made from those of the installation."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from headwater.fetch.settings import FetchSettings, host_rules
from headwater.model.errors import Refused
from headwater.model.fetch_limits import FetchLimits, HostRule
from headwater.settings.rate_limits import rules_by_host
from headwater.settings.settings import Settings


def fetch_settings(settings: Settings, limits: Iterable[FetchLimits] = ()) -> FetchSettings:
    """`limits` are those that recipes declare; the settings override them."""
    hosts: dict[str, HostRule] = {}
    per_minute: dict[str, int] = {}
    for declared in limits:
        hosts |= declared.hosts
        per_minute |= declared.per_minute_by_kind
    return FetchSettings(
        contact=settings.contact,
        overrides=settings.hosts,
        allow=tuple(_address(text) for text in settings.allow),
        rate=settings.requests_per_second,
        hosts=host_rules(rules_by_host(settings.rate_limits), hosts),
        reservations=frozenset(settings.reservations),
        per_minute_by_kind={**per_minute, **settings.budgets},
        per_minute_by_credential=settings.budgets,
    )


def _address(text: str) -> tuple[str, int]:
    try:
        parts = urlsplit(f"//{text}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or not port:
        raise Refused("bad_config", f"allow: '{text}' is not of the form host:port")
    return host, port
