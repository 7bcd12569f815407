"""The settings of the fetcher, made from those of the installation."""

from urllib.parse import urlsplit

from headwater.fetch.settings import PER_MINUTE_BY_KIND, FetchSettings, host_rules
from headwater.model.errors import Refused
from headwater.settings.rate_limits import rules_by_host
from headwater.settings.settings import Settings


def fetch_settings(settings: Settings) -> FetchSettings:
    return FetchSettings(
        contact=settings.contact,
        overrides=settings.hosts,
        allow=tuple(_address(text) for text in settings.allow),
        rate=settings.requests_per_second,
        hosts=host_rules(rules_by_host(settings.rate_limits)),
        reservations=frozenset(settings.reservations),
        per_minute_by_kind={**PER_MINUTE_BY_KIND, **settings.budgets},
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
