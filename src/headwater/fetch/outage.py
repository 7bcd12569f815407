"""Outages of our own network: when no host can be reached any more, the hosts are not to blame.

Without DNS, without a route, or behind a gateway that is down, every request fails, to whatever host. This is recognised
from the requests themselves: hosts that answered before fail one after the other, and nothing answers in between. A host that
accepts a connection and closes it was reached: that is its own failure. A process that starts during an outage has heard no host
yet: which ones answered before, it learns from the rows of their sources. Until something answers again, requests end with
the reason `offline`, which counts against nobody; a few pass as probes.
"""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from enum import Enum

import structlog

from headwater.fetch.failure_sentences import SILENT
from headwater.fetch.failures import FetchStopped
from headwater.model.http import OFFLINE, Failure

# As many hosts must fail before it is an outage. Fewer are enough where the system itself reports that it has no network.
_HOSTS = 3
_HOSTS_IF_LOCAL = 2
# A gateway that wants a password answers for every host, with a certificate of its own.
_REFUSALS = frozenset({"refused", "tls"})
_PROBE_SECONDS = 30.0
_COME_BACK = timedelta(seconds=60)
_MOST_HOSTS = 10_000
_log = structlog.get_logger()


class FailureEvidence(Enum):
    """What a request without a response says about our own network."""

    NO_NETWORK = "the system itself reports that it has none"
    SILENCE = "nothing came back"
    REFUSAL = "something refused: the host, or whatever is between it and us"
    REACHED = "the host was reached"
    NOTHING = "nothing was sent"


def failure_evidence(reason: str, *, local: bool, accepted: bool) -> FailureEvidence:
    """`local`: the system reported that it has no network; `accepted`: the host accepted the connection."""
    if reason == "forbidden_address":
        return FailureEvidence.NOTHING
    if local:
        return FailureEvidence.NO_NETWORK
    if reason in _REFUSALS:
        return FailureEvidence.REFUSAL
    return FailureEvidence.SILENCE if reason in SILENT and not accepted else FailureEvidence.REACHED


@dataclass(frozen=True, slots=True)
class Reachability:
    """What the requests so far say about our network. `failing` are the hosts that failed since the last answer, `local`
    those among them where the system reported that it has no network. `down_since` is None while the network works."""

    failing: frozenset[str] = frozenset()
    local: frozenset[str] = frozenset()
    answered_at: float = 0.0
    down_since: float | None = None


def after_answer(state: Reachability, now: float) -> Reachability:
    """Something answered, whatever its status: the network works."""
    if not state.failing and state.down_since is None:
        return replace(state, answered_at=now)
    return Reachability(answered_at=now)


def after_failure(
    state: Reachability, host: str, started: float, now: float, *, local: bool, hosts_known: int
) -> Reachability:
    """A host could not be reached. A request that started before the last answer says nothing about the network."""
    if started < state.answered_at:
        return state
    failing = state.failing | {host}
    local_hosts = state.local | {host} if local else state.local
    is_down = len(failing) >= _HOSTS or len(local_hosts) >= min(_HOSTS_IF_LOCAL, hosts_known)
    since = now if is_down and state.down_since is None else state.down_since
    return replace(state, failing=failing, local=local_hosts, down_since=since)


def is_none_reached(outcomes: Iterable[tuple[str, str]]) -> bool:
    """Whether the (host, failure) outcomes of a whole batch of requests show an outage: an answer has no failure. A batch
    that is judged at its end also shows outages among hosts that never answered before."""
    state = Reachability()
    for host, failure in outcomes:
        if failure in SILENT or failure == OFFLINE:
            state = after_failure(state, host, 0.0, 0.0, local=False, hosts_known=_HOSTS)
        elif failure_evidence(failure, local=False, accepted=False) is not FailureEvidence.REFUSAL:
            return False
    return state.down_since is not None


@dataclass(slots=True)
class OutageDetector:
    """Watches all requests of a fetcher. Lives in one event loop. The first hosts of an outage fail before it is recognised:
    for the time `hold` their failures wait for those of others. `on_return` is called when the network is back.
    `answered_before` are hosts that answered an earlier process."""

    now: Callable[[], float]
    hold: timedelta
    on_return: Callable[[], None] = lambda: None
    answered_before: frozenset[str] = frozenset()
    state: Reachability = field(default_factory=Reachability)
    _answered: dict[str, None] = field(default_factory=dict)
    _tried: set[str] = field(default_factory=set)
    _probes_from: float = 0.0
    _probes: int = 0
    _held_count: int = 0
    _decided: asyncio.Event = field(default_factory=asyncio.Event)

    def check(self) -> None:
        """Stop while the network is down, unless a probe is due. Called before anything is spent on the request."""
        if self.state.down_since is not None and not self._may_probe():
            raise _offline()

    def enter(self, host: str) -> float:
        """As `check`, and count a probe. Returns when the request starts."""
        self.check()
        now = self.now()
        if self.state.down_since is not None:
            self._probes = self._probes + 1 if now < self._probes_from + _PROBE_SECONDS else 1
            self._probes_from = now if self._probes == 1 else self._probes_from
        if len(self._tried) < _HOSTS:
            self._tried.add(host)
        return now

    def _may_probe(self) -> bool:
        return self._probes < _HOSTS or self.now() >= self._probes_from + _PROBE_SECONDS

    def record_answer(self, host: str) -> None:
        if host not in self._answered:
            if len(self._answered) >= _MOST_HOSTS:
                del self._answered[next(iter(self._answered))]
            self._answered[host] = None
        since = self.state.down_since
        self._end_holds()
        self.state = after_answer(self.state, self.now())
        if since is not None:
            self._probes = 0
            _log.warning("network is back", seconds=round(self.now() - since))
            self.on_return()

    async def record_failure(
        self, host: str, failure: Failure, started: float, evidence: FailureEvidence
    ) -> None:
        """Record a request without a response. Stops with `offline` instead of the failure when it is our own outage. While
        nothing answers, this takes a moment: until it is clear whether others fail, too."""
        if evidence is FailureEvidence.REACHED:
            self.record_answer(host)
        elif self._is_suspicious(host, evidence):
            if not self._answered and evidence is FailureEvidence.REFUSAL:
                # Dead servers refuse sooner than others answer. These have the time to do so.
                await self._hold()
                if self._answered:
                    return
            await self._suspect(host, failure, started, local=evidence is FailureEvidence.NO_NETWORK)

    def _is_suspicious(self, host: str, evidence: FailureEvidence) -> bool:
        """A host that never answered may never have existed. As long as none did, a refusal
        is no evidence either: three dead servers are not our network."""
        if host in self._answered or host in self.answered_before:
            return evidence is not FailureEvidence.NOTHING
        return not self._answered and evidence in (FailureEvidence.NO_NETWORK, FailureEvidence.SILENCE)

    async def _suspect(self, host: str, failure: Failure, started: float, *, local: bool) -> None:
        before = self.state
        self.state = after_failure(
            before, host, started, self.now(), local=local, hosts_known=len(self._tried)
        )
        if self.state is before:
            return  # something answered meanwhile
        if self.state.down_since is None:
            await self._hold()
        elif before.down_since is None:
            self._end_holds()
            self._probes_from, self._probes = self.now(), _HOSTS
            _log.error(
                "network is down",
                hosts=len(self.state.failing),
                reason=failure.reason,
                detail="no host can be reached; sources are not blamed and continue when it is back",
            )
        if self.state.down_since is not None:
            raise _offline()

    async def _hold(self) -> None:
        self._held_count += 1
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(self.hold / timedelta(seconds=1)):
                    await self._decided.wait()
        finally:
            self._held_count -= 1

    def _end_holds(self) -> None:
        if self._held_count:
            self._decided.set()
            self._decided = asyncio.Event()


def _offline() -> FetchStopped:
    return FetchStopped(OFFLINE, "no host can be reached", delay=_COME_BACK)
