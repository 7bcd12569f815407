"""The limits of a request: of its host, its source kind and its credential. All of them count; the strictest wins."""

import hashlib
import os
from dataclasses import dataclass
from datetime import timedelta
from itertools import count

from headwater.fetch.client.transport import HopRequest
from headwater.fetch.failures import FetchStopped
from headwater.fetch.guard.routes import RequestRoute
from headwater.fetch.politeness.quotas import Demand, Quota, Slots
from headwater.fetch.politeness.robots_txt import product_token
from headwater.fetch.settings import FetchSettings, match_host
from headwater.model.fetch_limits import HostRule

_LONGEST_CRAWL_DELAY = 3600.0
_MOST_HOSTS = 10_000
_NO_LIMIT = 1_000_000


@dataclass(frozen=True, slots=True)
class HostLimits:
    """The limits of one host. `token` is the product token of its User-Agent."""

    key: str
    interval: float
    concurrency: int
    agent: str
    token: str
    robots: bool
    contact: bool


class RequestLimits:
    """Applies the settings to requests."""

    def __init__(self, settings: FetchSettings) -> None:
        self._settings = settings
        self._hosts: dict[str, HostLimits] = {}
        self._blocked_keys: set[str] = set()
        self._window = settings.window / timedelta(seconds=1)
        self._owner = f"{os.getpid()}-{os.urandom(4).hex()}"
        self._count = count()

    def host(self, name: str) -> HostLimits:
        limits = self._hosts.get(name)
        if limits is None:
            if len(self._hosts) >= _MOST_HOSTS:
                self._hosts.clear()
            limits = self._hosts[name] = self._host_limits(name)
        return limits

    def _host_limits(self, name: str) -> HostLimits:
        pattern, rule = match_host(self._settings.hosts, name) or ("", HostRule())
        rate = self._settings.rate if rule.rate is None else rule.rate
        agent = rule.user_agent or self._settings.agent
        return HostLimits(
            key=f"host:{pattern if rule.shared else name}",
            interval=1.0 / rate if rate else 0.0,
            concurrency=self._settings.concurrency if rule.concurrency is None else rule.concurrency,
            agent=agent,
            token=product_token(agent),
            robots=rule.robots,
            contact=rule.contact,
        )

    def declared_agent(self, host: str) -> str:
        """The User-Agent for a host. Stops where the host demands a contact and the User-Agent has none."""
        limits = self.host(host)
        if limits.contact and "@" not in limits.agent:
            raise FetchStopped(
                "undeclared_agent",
                f"{host} requires a User-Agent with an e-mail address; set `contact`",
                temporary=False,
            )
        return limits.agent

    def check_credential(self, host: str, call: HopRequest) -> None:
        """Stop where a credential would go to a host that is not in its list, whatever a link says."""
        hosts = self._settings.credential_hosts.get(call.credential or "")
        if call.secrets and hosts and match_host({name.lower(): None for name in hosts}, host) is None:
            raise FetchStopped("credential_host", f"{call.credential} is not for {host}", temporary=False)

    def demand(self, route: RequestRoute, call: HopRequest, crawl_delay: float) -> Demand | None:
        """What the request needs before it may leave. None when nothing limits it."""
        host = self.host(route.host)
        interval = max(host.interval, min(crawl_delay, _LONGEST_CRAWL_DELAY))
        quotas = [Quota(host.key, 1, interval)] if interval else []
        quotas += self._budgets(call)
        slots = (Slots(host.key, host.concurrency or _NO_LIMIT),) if self._has_slots(host) else ()
        if not quotas and not slots:
            return None
        return Demand(
            ticket=hashlib.blake2b(f"{call.method} {route.url}".encode(), digest_size=12).hexdigest(),
            lease=f"{self._owner}-{next(self._count)}",
            quotas=tuple(quotas),
            slots=slots,
            # It may wait for a connection for as long as it may run at all.
            start=call.timeout,
            hold=call.timeout,
        )

    def _has_slots(self, host: HostLimits) -> bool:
        # A host without limits that once asked us to wait may be blocked, so its requests need a decision from then on.
        return bool(host.concurrency) or host.key in self._blocked_keys

    def _budgets(self, call: HopRequest) -> list[Quota]:
        settings = self._settings
        quotas = []
        by_kind = settings.per_minute_by_kind.get(call.source_kind, 0)
        if by_kind:
            quotas.append(Quota(f"kind:{call.source_kind}", by_kind, self._window))
        if call.credential:
            name = call.credential
            limit = settings.per_minute_by_credential.get(name, settings.per_minute_per_credential)
            if limit:
                quotas.append(Quota(f"credential:{name}", limit, self._window))
        return quotas

    def keys_to_block(self, route: RequestRoute, call: HopRequest) -> list[str]:
        """The keys to block when a server asks us to wait."""
        if len(self._blocked_keys) < _MOST_HOSTS:
            self._blocked_keys.add(self.host(route.host).key)
        return [self.host(route.host).key, *([f"credential:{call.credential}"] if call.credential else [])]
