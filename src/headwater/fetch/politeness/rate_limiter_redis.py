"""A rate limiter on a Redis server: shared by processes on any number of machines, by the server's clock.

A call reads the usage of the keys it needs, decides as every rate limiter does, and writes it back in one step if no other
process has changed it meanwhile; else it starts again. When the server cannot be reached, no request may leave: limits
that hold on one machine only would be no limits. A server that has lost its memory is assumed to have admitted everything
in its last moment, so that no window is ever used twice; processes with requests in flight then report them again.
"""

import math
import secrets
import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha1
from typing import Any, TypeVar

import msgspec

from headwater.fetch.politeness.quotas import Decision, Demand, Go, Wait
from headwater.fetch.politeness.rate_limiter import (
    CLOCK_SLACK,
    HORIZON,
    EpochClock,
    KeyUsage,
    record_admission,
    reserve_in_usage,
)
from headwater.liveness import dead_owners, owner_name
from headwater.model.errors import Temporary
from headwater.redis_client import RedisClient, RedisCommand, RedisScript, RedisValue

PREFIX = "headwater:rate-limits"
ERA = "era"
"""The key that holds since when the server remembers."""

_TRIES_TOGETHER, _TRIES_ALONE = 5, 60
_LONGEST_PAUSE_MICROSECONDS = 4_000
# A usage record outlives its content by this, so that small differences between clocks do not matter.
_SPARE_SECONDS = 60.0
_COUNTER_SECONDS = 120
_KIND = "kind:"
_OWNER_MARK = "#"
_T = TypeVar("_T")

COMPARE_AND_SET = RedisScript("""
for number, key in ipairs(KEYS) do
  local held = redis.call('GET', key)
  if (held and redis.sha1hex(held) or '') ~= ARGV[3 * number - 2] then return 0 end
end
for number, key in ipairs(KEYS) do
  local life = ARGV[3 * number]
  if life == '0' then redis.call('DEL', key)
  elseif life == '-1' then redis.call('SET', key, ARGV[3 * number - 1])
  else redis.call('SET', key, ARGV[3 * number - 1], 'PX', life) end
end
return 1
""")


def rate_limit_key(namespace: str, kind: str, now: float) -> str:
    """Returns `{namespace}:ratelimit:{source kind}:{window}`; the window is the second in which the minute began."""
    return f"{namespace}:ratelimit:{kind}:{int(now) // 60 * 60}"


class _Contended(Temporary):
    """Other processes changed the keys at every attempt."""


@dataclass(slots=True)
class _Snapshot:
    """Usage records as read at `now` from a server that remembers since `era`."""

    now: float
    era: float
    raws: dict[str, bytes | None]
    usages: dict[str, KeyUsage]


class RedisRateLimiter:
    """`counted`: namespaces in which requests to each source kind are counted by the minute, for display. Without
    `measured`, the caller's clock counts instead of the server's."""

    blocking = True

    def __init__(
        self,
        server: RedisClient,
        *,
        horizon: float = HORIZON,
        prefix: str = PREFIX,
        counted: Sequence[str] = (),
        measured: bool = True,
    ) -> None:
        self._server = server
        self._horizon = horizon
        self._prefix = prefix
        self._counted = counted
        self._measured = measured
        self._owner = owner_name("rate_limiter")
        self._lock = threading.Lock()
        self._leases: dict[str, Demand] = {}
        self._blocks: dict[str, float] = {}
        self._era: float | None = None
        # By how much the server's clock is ahead of ours, at least and at most: a reply takes time.
        self._ahead = (0.0, 0.0)
        self._now = 0.0

    def reserve(self, demands: Sequence[Demand], clock: EpochClock) -> Sequence[Decision]:
        with self._lock:
            # In the usage records each lease carries its owner.
            owned_demands = [
                replace(demand, lease=f"{self._owner}{_OWNER_MARK}{demand.lease}") for demand in demands
            ]
            return self._reserve(owned_demands, clock)

    def _reserve(self, demands: Sequence[Demand], clock: EpochClock) -> list[Decision]:
        """All together, or in halves if other processes keep changing the same keys."""
        tries = _TRIES_TOGETHER if len(demands) > 1 else _TRIES_ALONE
        try:
            return self._decide(demands, clock, tries)
        except _Contended:
            if len(demands) <= 1:
                raise
            middle = len(demands) // 2
            first = self._reserve(demands[:middle], clock)
            try:
                return first + self._reserve(demands[middle:], clock)
            except Temporary:
                # The caller never learns of the first half: the server holds it until it expires, this process forgets it.
                for demand in demands[:middle]:
                    self._leases.pop(demand.lease, None)
                raise

    def _decide(self, demands: Sequence[Demand], clock: EpochClock, tries: int) -> list[Decision]:
        def work(snapshot: _Snapshot) -> list[Decision]:
            for demand in demands:
                _block_unremembered(demand, snapshot)
            return [
                reserve_in_usage(demand, snapshot.usages, snapshot.now, self._horizon) for demand in demands
            ]

        decisions = self._change(_limit_keys(demands), work, clock, tries)
        admitted = [
            demand for demand, decision in zip(demands, decisions, strict=True) if isinstance(decision, Go)
        ]
        self._leases.update({demand.lease: demand for demand in admitted})
        self._count(admitted, self._now)
        return [_by_own_clock(decision, self._ahead[0]) for decision in decisions]

    def report_sent(self, leases: Sequence[str], now: float) -> None:
        with self._lock:
            self._report(leases, now, is_done=False)

    def report_done(self, leases: Sequence[str], now: float) -> None:
        with self._lock:
            self._report(leases, now, is_done=True)
            for lease in leases:
                self._leases.pop(f"{self._owner}{_OWNER_MARK}{lease}", None)

    def _report(self, leases: Sequence[str], now: float, *, is_done: bool) -> None:
        owned_leases = (f"{self._owner}{_OWNER_MARK}{lease}" for lease in leases)
        demands = [self._leases[lease] for lease in owned_leases if lease in self._leases]

        def work(snapshot: _Snapshot) -> None:
            # The server's time when it receives the report: a later moment would leave room for other requests before it.
            moment = snapshot.now if self._measured else now
            for demand in demands:
                for quota in demand.quotas:
                    snapshot.usages[quota.key].mark_sent(demand.lease, moment)
                for slots in demand.slots if is_done else ():
                    snapshot.usages[slots.key].running.pop(demand.lease, None)

        if demands:
            self._change(_limit_keys(demands), work, None, _TRIES_ALONE)

    def block_until(self, keys: Sequence[str], until: float) -> None:
        with self._lock:
            moment = until + self._ahead[1]

            def work(snapshot: _Snapshot) -> None:
                for key in keys:
                    snapshot.usages[key].blocked_until = max(snapshot.usages[key].blocked_until, moment)

            # Kept, so that it can be reported again to a server that has lost its memory.
            self._blocks.update({key: max(moment, self._blocks.get(key, 0.0)) for key in keys})
            self._change(keys, work, None, _TRIES_ALONE)

    def close(self) -> None:
        self._server.close()

    def _change(
        self, keys: Iterable[str], work: Callable[[_Snapshot], _T], clock: EpochClock | None, tries: int
    ) -> _T:
        """Run `work` on the usage of these keys, as one atomic step."""
        key_set = set(keys)
        for attempt in range(tries):
            snapshot = self._read(key_set, clock)
            if self._era not in (None, snapshot.era) and (own_keys := self._own_keys() - key_set):
                snapshot = self._read(key_set | own_keys, clock)
            if self._era not in (None, snapshot.era):
                self._restore(snapshot)
            result = work(snapshot)
            if self._write(snapshot):
                self._era = snapshot.era
                return result
            time.sleep(secrets.randbelow(_LONGEST_PAUSE_MICROSECONDS) * (attempt + 1) / 1e6)
        raise _Contended(
            "rate_limiter_contended", f"{self._server.address}: other processes were faster {tries} times"
        )

    def _read(self, keys: set[str], clock: EpochClock | None) -> _Snapshot:
        names = [ERA, *sorted(keys)]
        before = clock() if clock else 0.0
        values, (seconds, microseconds) = self._server.execute(
            [("MGET", *(f"{self._prefix}:{name}" for name in names)), ("TIME",)]
        )
        after = clock() if clock else 0.0
        raws: dict[str, bytes | None] = dict(zip(names, values, strict=True))
        if self._measured:
            now = int(seconds) + int(microseconds) / 1e6
            self._ahead = (now - after, now - before) if clock else self._ahead
        else:
            now = after if clock else self._now
        self._now = now
        era = raws[ERA]
        usages = {key: _decode_usage(raws[key], now) for key in keys}
        _release_dead_owners(usages.values(), now)
        return _Snapshot(now, now if era is None else float(era), raws, usages)

    def _write(self, snapshot: _Snapshot) -> bool:
        keys = [f"{self._prefix}:{ERA}"]
        words: list[RedisValue] = [_digest(snapshot.raws[ERA]), repr(snapshot.era), "-1"]
        for key, usage in snapshot.usages.items():
            raw, lifetime = snapshot.raws[key], _lifetime_ms(usage, snapshot.now)
            if msgspec.json.encode(usage) != raw and (raw is not None or lifetime):
                usage.latest = max(snapshot.now, usage.latest)
                keys.append(f"{self._prefix}:{key}")
                words += [_digest(raw), msgspec.json.encode(usage), str(lifetime)]
        return bool(self._server.run_script(COMPARE_AND_SET, keys, words))

    def _own_keys(self) -> set[str]:
        return {*_limit_keys(self._leases.values()), *self._blocks}

    def _restore(self, snapshot: _Snapshot) -> None:
        """Report to a server that has lost its memory which requests are in flight here, and which keys are blocked."""
        for demand in self._leases.values():
            record_admission(demand, snapshot.usages, snapshot.now)
        self._blocks = {key: until for key, until in self._blocks.items() if until > snapshot.now}
        for key, until in self._blocks.items():
            snapshot.usages[key].blocked_until = max(snapshot.usages[key].blocked_until, until)

    def _count(self, admitted: Sequence[Demand], now: float) -> None:
        kinds = [
            quota.key.removeprefix(_KIND)
            for demand in admitted
            for quota in demand.quotas
            if quota.key.startswith(_KIND)
        ]
        names = [rate_limit_key(namespace, kind, now) for kind in kinds for namespace in self._counted]
        commands: list[RedisCommand] = [("INCR", name) for name in names]
        try:
            self._server.execute(
                commands + [("EXPIRE", name, _COUNTER_SECONDS) for name in dict.fromkeys(names)]
            )
        except Temporary:
            return  # only a figure for display: the usage records hold the limits


def _limit_keys(demands: Iterable[Demand]) -> list[str]:
    return list(dict.fromkeys(key for demand in demands for key in demand.limit_keys()))


def _block_unremembered(demand: Demand, snapshot: _Snapshot) -> None:
    """A window that began before the server remembers counts as used up."""
    for quota in demand.quotas:
        usage = snapshot.usages[quota.key]
        if snapshot.era + quota.window > max(snapshot.now, usage.blocked_until):
            usage.blocked_until = snapshot.era + quota.window


def _by_own_clock(decision: Decision, ahead: float) -> Decision:
    return (
        decision
        if isinstance(decision, Go)
        else Wait(decision.until - ahead, decision.key, decision.is_planned)
    )


def _decode_usage(raw: bytes | None, now: float) -> KeyUsage:
    usage = KeyUsage() if raw is None else msgspec.json.decode(raw, type=KeyUsage)
    step_back = usage.latest - now
    if step_back > CLOCK_SLACK:  # the server's clock was set, or another server has taken over
        usage.shift(step_back)
        usage.latest = now
    usage.forget(now)
    return usage


def _release_dead_owners(usages: Collection[KeyUsage], now: float) -> None:
    """A dead process of this machine holds no connections; what it was about to send counts as sent. Leases of other
    machines stand until they expire."""
    owners = {
        lease.partition(_OWNER_MARK)[0] for usage in usages for lease in (*usage.running, *usage.pending)
    }
    dead = set(dead_owners(owners))
    for usage in usages if dead else ():
        for lease in [
            lease for lease in (*usage.running, *usage.pending) if lease.partition(_OWNER_MARK)[0] in dead
        ]:
            usage.running.pop(lease, None)
            usage.mark_sent(lease, now)


def _lifetime_ms(usage: KeyUsage, now: float) -> int:
    """Milliseconds to keep the record; 0 to delete it."""
    return 0 if usage.is_idle(now) else math.ceil((usage.expires_at(now) - now + _SPARE_SECONDS) * 1000)


def _digest(raw: Any) -> str:
    return "" if raw is None else sha1(raw, usedforsecurity=False).hexdigest()
