"""A governor on a Redis server: shared by processes on any number of machines, by the server's clock.

A call reads the ledgers it needs, decides as every governor does, and writes them back in one step if nobody has changed
them meanwhile; else it begins again. A server that cannot be asked lets nobody go: limits that hold on one machine only
would be no limits. One that has lost its memory is taken to have let go of everything in its last moment, so that no
window is ever used twice; whoever is under way then says so again.
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
from headwater.model.stored_fingerprint import rate_limit_key
from headwater.redis_client import RedisClient, RedisCommand, RedisScript, RedisValue

PREFIX = "headwater:rate-limits"
ERA = "era"
"""The key that says since when the server remembers."""

_TRIES_TOGETHER, _TRIES_ALONE = 5, 60
_LONGEST_PAUSE_MICROSECONDS = 4_000
# A ledger outlives what it holds by this, so that clocks that differ a little do not matter.
_SPARE_SECONDS = 60.0
_COUNTED_SECONDS = 120
_KIND = "kind:"
_OF = "#"
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


class _Contended(Temporary):
    """Others were always quicker."""


@dataclass(slots=True)
class _Snapshot:
    """Ledgers as they were read, at `now`, of a server that remembers since `era`."""

    now: float
    era: float
    raws: dict[str, bytes | None]
    usages: dict[str, KeyUsage]


class RedisRateLimiter:
    """`counted` are the namespaces in which requests to each kind of source are counted by the minute, for whoever wants
    to look. Not `measured`: the caller's clock counts instead of the server's."""

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
        # By how much the server's clock is ahead of ours, at least and at most: an answer takes its time.
        self._ahead = (0.0, 0.0)
        self._now = 0.0

    def reserve(self, demands: Sequence[Demand], clock: EpochClock) -> Sequence[Decision]:
        with self._lock:
            # In a ledger each lease says whose it is.
            owned = [replace(one, lease=f"{self._owner}{_OF}{one.lease}") for one in demands]
            return self._reserve(owned, clock)

    def _reserve(self, demands: Sequence[Demand], clock: EpochClock) -> list[Decision]:
        """All together, or in parts if others keep coming in between."""
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
                # Nobody hears of the first ones: the server holds them until their time is over, this process does not.
                for demand in demands[:middle]:
                    self._leases.pop(demand.lease, None)
                raise

    def _decide(self, demands: Sequence[Demand], clock: EpochClock, tries: int) -> list[Decision]:
        def work(book: _Snapshot) -> list[Decision]:
            for demand in demands:
                _rest(demand, book)
            return [reserve_in_usage(demand, book.usages, book.now, self._horizon) for demand in demands]

        found = self._change(_names(demands), work, clock, tries)
        gone = [demand for demand, one in zip(demands, found, strict=True) if isinstance(one, Go)]
        self._leases.update({demand.lease: demand for demand in gone})
        self._count(gone, self._now)
        return [_here(one, self._ahead[0]) for one in found]

    def sent(self, leases: Sequence[str], now: float) -> None:
        with self._lock:
            self._report(leases, now, over=False)

    def done(self, leases: Sequence[str], now: float) -> None:
        with self._lock:
            self._report(leases, now, over=True)
            for lease in leases:
                self._leases.pop(f"{self._owner}{_OF}{lease}", None)

    def _report(self, leases: Sequence[str], now: float, *, over: bool) -> None:
        owned = (f"{self._owner}{_OF}{lease}" for lease in leases)
        known = [self._leases[lease] for lease in owned if lease in self._leases]

        def work(book: _Snapshot) -> None:
            # The server's time when it hears of it: a moment ahead of that would leave room for others before it.
            moment = book.now if self._measured else now
            for demand in known:
                for quota in demand.quotas:
                    book.usages[quota.key].mark_sent(demand.lease, moment)
                for slots in demand.slots if over else ():
                    book.usages[slots.key].running.pop(demand.lease, None)

        if known:
            self._change(_names(known), work, None, _TRIES_ALONE)

    def block_until(self, keys: Sequence[str], until: float) -> None:
        with self._lock:
            moment = until + self._ahead[1]

            def work(book: _Snapshot) -> None:
                for key in keys:
                    book.usages[key].blocked_until = max(book.usages[key].blocked_until, moment)

            # What nobody heard is told again; what this process knows is told anew to a server that has forgotten it.
            self._blocks.update({key: max(moment, self._blocks.get(key, 0.0)) for key in keys})
            self._change(keys, work, None, _TRIES_ALONE)

    def close(self) -> None:
        self._server.close()

    def _change(
        self, keys: Iterable[str], work: Callable[[_Snapshot], _T], clock: EpochClock | None, tries: int
    ) -> _T:
        """Do the work on what the server holds under these keys, as one step."""
        wanted = set(keys)
        for attempt in range(tries):
            book = self._read(wanted, clock)
            if self._era not in (None, book.era) and (own := self._own_keys() - wanted):
                book = self._read(wanted | own, clock)
            if self._era not in (None, book.era):
                self._announce(book)
            result = work(book)
            if self._write(book):
                self._era = book.era
                return result
            time.sleep(secrets.randbelow(_LONGEST_PAUSE_MICROSECONDS) * (attempt + 1) / 1e6)
        raise _Contended("rate_limiter_contended", f"{self._server.host}: others were quicker {tries} times")

    def _read(self, keys: set[str], clock: EpochClock | None) -> _Snapshot:
        names = [ERA, *sorted(keys)]
        before = clock() if clock else 0.0
        values, (seconds, microseconds) = self._server.ask(
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
        held = raws[ERA]
        usages = {key: _opened(raws[key], now) for key in keys}
        _release_dead_owners(usages.values(), now)
        return _Snapshot(now, now if held is None else float(held), raws, usages)

    def _write(self, book: _Snapshot) -> bool:
        keys = [f"{self._prefix}:{ERA}"]
        words: list[RedisValue] = [_digest(book.raws[ERA]), repr(book.era), "-1"]
        for key, usage in book.usages.items():
            raw, life = book.raws[key], _life(usage, book.now)
            if msgspec.json.encode(usage) != raw and (raw is not None or life):
                usage.latest = max(book.now, usage.latest)
                keys.append(f"{self._prefix}:{key}")
                words += [_digest(raw), msgspec.json.encode(usage), str(life)]
        return bool(self._server.run(COMPARE_AND_SET, keys, words))

    def _own_keys(self) -> set[str]:
        return {*_names(self._leases.values()), *self._blocks}

    def _announce(self, book: _Snapshot) -> None:
        """Tell a server that has lost its memory what is under way here, and who has asked this process for patience."""
        for demand in self._leases.values():
            record_admission(demand, book.usages, book.now)
        self._blocks = {key: until for key, until in self._blocks.items() if until > book.now}
        for key, until in self._blocks.items():
            book.usages[key].blocked_until = max(book.usages[key].blocked_until, until)

    def _count(self, gone: Sequence[Demand], now: float) -> None:
        kinds = [q.key.removeprefix(_KIND) for one in gone for q in one.quotas if q.key.startswith(_KIND)]
        names = [rate_limit_key(namespace, kind, now) for kind in kinds for namespace in self._counted]
        commands: list[RedisCommand] = [("INCR", name) for name in names]
        try:
            self._server.ask(commands + [("EXPIRE", name, _COUNTED_SECONDS) for name in dict.fromkeys(names)])
        except Temporary:
            return  # a figure to look at; the ledgers have counted


def _names(demands: Iterable[Demand]) -> list[str]:
    return list(dict.fromkeys(name for demand in demands for name in demand.names()))


def _rest(demand: Demand, book: _Snapshot) -> None:
    """Of a window that began before the server can remember, nothing is left."""
    for quota in demand.quotas:
        usage = book.usages[quota.key]
        if book.era + quota.window > max(book.now, usage.blocked_until):
            usage.blocked_until = book.era + quota.window


def _here(decision: Decision, ahead: float) -> Decision:
    return (
        decision if isinstance(decision, Go) else Wait(decision.until - ahead, decision.key, decision.planned)
    )


def _opened(raw: bytes | None, now: float) -> KeyUsage:
    usage = KeyUsage() if raw is None else msgspec.json.decode(raw, type=KeyUsage)
    back = usage.latest - now
    if back > CLOCK_SLACK:  # the server's clock was set, or another server has taken over
        usage.shift(back)
        usage.latest = now
    usage.forget(now)
    return usage


def _release_dead_owners(usages: Collection[KeyUsage], now: float) -> None:
    """A process of this machine that is gone holds no connection any more; what it was about to send is taken for sent.
    Those of other machines are believed until their time is over."""
    owners = {lease.partition(_OF)[0] for usage in usages for lease in (*usage.running, *usage.pending)}
    dead = set(dead_owners(owners))
    for usage in usages if dead else ():
        for lease in [one for one in (*usage.running, *usage.pending) if one.partition(_OF)[0] in dead]:
            usage.running.pop(lease, None)
            usage.mark_sent(lease, now)


def _life(usage: KeyUsage, now: float) -> int:
    """Milliseconds that it must be kept; 0 for not at all."""
    return 0 if usage.idle(now) else math.ceil((usage.ends(now) - now + _SPARE_SECONDS) * 1000)


def _digest(raw: Any) -> str:
    return "" if raw is None else sha1(raw, usedforsecurity=False).hexdigest()
