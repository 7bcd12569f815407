"""When a request may be sent. Times are seconds since the epoch.

Every rate limit is a quota: at most `limit` requests in any window of so many seconds. One request a second is a quota of
1 in 1 s, a provider's budget one of 45 in 60 s, a Crawl-delay one of 1 in its seconds. A request names all quotas it
counts against and gets the first moment that suits every one of them. That moment is then planned for it: later requests
are placed around it, so no waiting request is overtaken for ever.

A plan only sets the order. Admission is decided on what has really been sent, because a late request would otherwise come
too close to the next one. An admitted request that is not on the wire yet counts as sent now.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

# It is unknown when a running request ends. This is how soon it is worth asking again.
BUSY_PAUSE = 0.1


@dataclass(frozen=True, slots=True)
class Quota:
    """At most `limit` requests in any `window` seconds."""

    key: str
    limit: int
    window: float


@dataclass(frozen=True, slots=True)
class Slots:
    """At most `limit` requests at the same time."""

    key: str
    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """What a request needs before it may leave.

    `ticket` is the same whenever the same request comes back, and finds its planned moment again; `lease` is unique
    to this attempt. `start` is the longest time until it is on the wire, `hold` the longest until it is done: after that
    it counts as dead.
    """

    ticket: str
    lease: str
    quotas: tuple[Quota, ...]
    slots: tuple[Slots, ...] = ()
    start: float = 30.0
    hold: float = 180.0

    def limit_keys(self) -> tuple[str, ...]:
        """The keys it counts against, each once."""
        keys = [quota.key for quota in self.quotas] + [slots.key for slots in self.slots]
        return tuple(dict.fromkeys(keys))


@dataclass(frozen=True, slots=True)
class KeyState:
    """The requests of one key: when they were sent (ascending), how many are admitted but not sent, the moments planned
    for other requests (ascending), how many are running, and until when the key is blocked."""

    sent_times: Sequence[float] = ()
    pending_count: int = 0
    planned_times: Sequence[float] = ()
    running_count: int = 0
    blocked_until: float = 0.0


@dataclass(frozen=True, slots=True)
class Go:
    """The request may leave now."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Not before `until`, because of `key`. `is_planned`: that moment is reserved for this request."""

    until: float
    key: str
    is_planned: bool = False


Decision = Go | Wait

_NO_STATE = KeyState()


def decide_admission(
    demand: Demand, states: Mapping[str, KeyState], now: float, *, planned: float | None, horizon: float
) -> Decision:
    """Whether the request may leave now. `planned` is the moment reserved for it, if any. Moments further ahead than
    `horizon` seconds are not reserved: such a request asks again then."""
    busy_key = _busy_key(demand, states)
    if busy_key is not None:
        return Wait(now + BUSY_PAUSE, busy_key)
    until, key = _first_moment(demand, states, now, include_plans=planned is None)
    until = max(until, planned or 0.0)
    if until <= now:
        return Go()
    key = key or demand.limit_keys()[0]
    reserved = planned is not None or until - now <= horizon
    return Wait(until if reserved else now + horizon, key, reserved)


def _busy_key(demand: Demand, states: Mapping[str, KeyState]) -> str | None:
    return next((s.key for s in demand.slots if states.get(s.key, _NO_STATE).running_count >= s.limit), None)


def _first_moment(
    demand: Demand, states: Mapping[str, KeyState], now: float, *, include_plans: bool
) -> tuple[float, str]:
    """The first moment that suits every quota and block, with the key that decides it."""
    moment, key = now, ""
    for name in demand.limit_keys():
        if states.get(name, _NO_STATE).blocked_until > moment:
            moment, key = states[name].blocked_until, name
    times_by_quota = [
        (quota, _counted_times(states.get(quota.key, _NO_STATE), now, include_plans=include_plans))
        for quota in demand.quotas
    ]
    settled = False
    while not settled:
        settled = True
        for quota, times in times_by_quota:
            later = earliest_moment(times, quota, moment)
            if later > moment:
                moment, key, settled = later, quota.key, False
    return moment, key


def _counted_times(state: KeyState, now: float, *, include_plans: bool) -> Sequence[float]:
    if not state.pending_count and not (include_plans and state.planned_times):
        return state.sent_times
    return sorted(
        (*state.sent_times, *([now] * state.pending_count), *(state.planned_times if include_plans else ()))
    )


def earliest_moment(times: Sequence[float], quota: Quota, start: float) -> float:
    """The first moment from `start` on that fits into the ascending times without breaking the quota."""
    moment = start
    while not _fits(times, quota, moment):
        # A quota frees up one window after one of its moments, so no other moment needs checking. The next one is
        # found by that same sum, because a difference would round differently and find the old one again.
        place = bisect_right(times, moment, key=lambda time: time + quota.window)
        moment = times[place] + quota.window
    return moment


def _fits(times: Sequence[float], quota: Quota, moment: float) -> bool:
    """With the moment added, any `limit` + 1 neighbours span at least the window."""
    place = bisect_left(times, moment)
    first = max(0, place - quota.limit)
    around = [*times[first:place], moment, *times[place : place + quota.limit]]
    spans = zip(around, around[quota.limit :], strict=False)
    return all(later >= earlier + quota.window for earlier, later in spans)
