"""When a request may be sent. Times are seconds since the epoch.

Every limit of rate is a quota: at most `limit` requests in any window of so many seconds. One request a second is a
quota of 1 in 1 s, a provider's budget one of 45 in 60 s, a Crawl-delay one of 1 in its seconds. A request names all
quotas it counts against and gets the first moment that suits every one of them. That moment is then kept for it
(planned): whoever asks later is placed around it, so nobody who waits is overtaken for ever.

A plan only gives the order. Whether a request may leave is decided on what has really been sent, because a late
request would otherwise come too close to the next one. A request that was let go but is not on the wire yet counts
as sent now.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

# Nobody can tell when a running request ends; this is how soon it is worth asking again.
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
    to this attempt. `start` is the longest time until it is on the wire, `hold` until it is over: after that it is
    taken for dead.
    """

    ticket: str
    lease: str
    quotas: tuple[Quota, ...]
    slots: tuple[Slots, ...] = ()
    start: float = 30.0
    hold: float = 180.0

    def names(self) -> tuple[str, ...]:
        """The keys it counts against, each once."""
        keys = [quota.key for quota in self.quotas] + [slots.key for slots in self.slots]
        return tuple(dict.fromkeys(keys))


@dataclass(frozen=True, slots=True)
class KeyState:
    """What is known about one key: when requests were sent (ascending), how many are let go but not sent, the
    moments planned for others (ascending), how many are running, and until when the key is barred."""

    sent: Sequence[float] = ()
    pending: int = 0
    planned: Sequence[float] = ()
    running: int = 0
    blocked_until: float = 0.0


@dataclass(frozen=True, slots=True)
class Go:
    """Now."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Not before `until`, because of `key`. `planned`: that moment is kept for this request."""

    until: float
    key: str
    planned: bool = False


Decision = Go | Wait

_NO_STATE = KeyState()


def decide_admission(
    demand: Demand, views: Mapping[str, KeyState], now: float, *, planned: float | None, horizon: float
) -> Decision:
    """Whether the request may leave now. `planned` is the moment kept for it, if any; nothing is kept further ahead
    than `horizon` seconds: whoever would come later asks again then."""
    full = _full(demand, views)
    if full is not None:
        return Wait(now + BUSY_PAUSE, full)
    until, key = _first_moment(demand, views, now, plans=planned is None)
    until = max(until, planned or 0.0)
    if until <= now:
        return Go()
    key = key or demand.names()[0]
    kept = planned is not None or until - now <= horizon
    return Wait(until if kept else now + horizon, key, kept)


def _full(demand: Demand, views: Mapping[str, KeyState]) -> str | None:
    return next((s.key for s in demand.slots if views.get(s.key, _NO_STATE).running >= s.limit), None)


def _first_moment(
    demand: Demand, views: Mapping[str, KeyState], now: float, *, plans: bool
) -> tuple[float, str]:
    """The first moment that suits every quota and bar, with the key that speaks last."""
    moment, key = now, ""
    for name in demand.names():
        if views.get(name, _NO_STATE).blocked_until > moment:
            moment, key = views[name].blocked_until, name
    taken = [(quota, _taken(views.get(quota.key, _NO_STATE), now, plans=plans)) for quota in demand.quotas]
    settled = False
    while not settled:
        settled = True
        for quota, times in taken:
            later = earliest_moment(times, quota, moment)
            if later > moment:
                moment, key, settled = later, quota.key, False
    return moment, key


def _taken(view: KeyState, now: float, *, plans: bool) -> Sequence[float]:
    if not view.pending and not (plans and view.planned):
        return view.sent
    return sorted((*view.sent, *([now] * view.pending), *(view.planned if plans else ())))


def earliest_moment(times: Sequence[float], quota: Quota, start: float) -> float:
    """The first moment from `start` on that can be added to the ascending times without breaking the quota."""
    moment = start
    while not _fits(times, quota, moment):
        # A quota frees up one window after one of its moments: no other moment is worth a look. The next one is
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
