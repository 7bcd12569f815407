"""Chores by the clock, in UTC: health and summaries every five minutes, scores and what recipes sum up every hour, clean-up
and the search index at night."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from headwater.app import App
from headwater.backends.sql.chores import Chores
from headwater.engine.alone import explain
from headwater.liveness import dead_owners, owner_name
from headwater.logs import configure_logs
from headwater.model.errors import Refused
from headwater.model.source import Trigger
from headwater.pure.schedule import next_look
from headwater.worker.cleanup import clean_up
from headwater.worker.closing import close_runs
from headwater.worker.health import check_health
from headwater.worker.marking import fill_markers
from headwater.worker.retelling import age_stories, summarise
from headwater.worker.search_index import fill_search_index
from headwater.worker.summaries import BRIEFLY, Tell

LEASE = timedelta(minutes=15)
LOOK_EVERY = timedelta(seconds=15)
SUMMARIES = "summaries"


@dataclass(frozen=True, slots=True)
class Chore:
    trigger: Trigger
    work: Callable[[App], dict[str, Any]]
    lease: timedelta = LEASE


def summaries_chore(tell: Tell = lambda _: None, *, longest: timedelta = BRIEFLY, ask: bool = True) -> Chore:
    """Leased for longer than a round and the last question in it can take."""
    work = partial(summarise, tell=tell, longest=longest, ask=ask)
    return Chore(Trigger(cron="*/5 * * * *"), work, lease=longest + timedelta(minutes=20))


CHORES: Mapping[str, Chore] = {
    "health_check": Chore(Trigger(cron="*/5 * * * *"), check_health),
    "cleanup_old_jobs": Chore(Trigger(cron="0 2 * * *"), clean_up),
    "age_stories": Chore(Trigger(cron="20 * * * *"), age_stories),
    "close_runs": Chore(Trigger(cron="40 * * * *"), close_runs),
    SUMMARIES: summaries_chore(),
    "fill_search_index": Chore(Trigger(cron="30 2 * * *"), fill_search_index),
}


# Only where other programs are told what was seen.
FILLING = {"fill_markers": Chore(Trigger(cron="* * * * *"), fill_markers)}


def chores_of(app: App) -> Mapping[str, Chore]:
    """Those that this installation needs."""
    return {**CHORES, **FILLING} if app.settings.redis else CHORES


@dataclass
class Upkeep:
    """What a worker calls between two jobs; a look at the clock most of the time. Of all workers one does a chore."""

    app: App
    owner: str = field(default_factory=lambda: owner_name("upkeep"))
    chores: Mapping[str, Chore] = field(default_factory=dict)
    next_at: datetime | None = None

    def __post_init__(self) -> None:
        self.chores = self.chores or chores_of(self.app)

    def beat(self) -> list[str]:
        """Do the chores that are due; gives their names."""
        now = self.app.clock()
        if self.next_at is not None and now < self.next_at:
            return []
        if self.next_at is None:
            self.register(now)
        self.next_at = now + LOOK_EVERY
        return [name for name in self.chores if self.do(name) is not None]

    def do(self, name: str, *, early: bool = False) -> dict[str, Any] | None:
        """Do one chore if it is due, or now; None if it is not, or if somebody else is at it."""
        rows, chore = Chores(self.app.store.engine), self.chores[name]
        if dead := dead_owners(rows.holders()):
            rows.free(dead)
        if not rows.take(name, self.owner, self.app.clock(), chore.lease, early=early):
            return None
        result, failed = self._attempt(name, chore)
        now = self.app.clock()
        due_at = next_look(chore.trigger, now)
        rows.finish(name, self.owner, now=now, due_at=due_at, result=result, failed=failed)
        return result

    def _attempt(self, name: str, chore: Chore) -> tuple[dict[str, Any], bool]:
        try:
            return chore.work(self.app), False
        except Exception as error:  # noqa: BLE001 - whatever is wrong with a chore, articles go on coming in
            reason, detail = explain(error)
        log = configure_logs(self.app.settings.log, self.app.settings.log_level)
        log.error("chore failed", chore=name, reason=reason, detail=detail)
        return {"error": reason, "detail": detail}, True

    def at_once(self, name: str) -> dict[str, Any]:
        """For an operator: do it now."""
        self.register(self.app.clock())
        result = self.do(name, early=True)
        if result is None:
            raise Refused("busy", f"a worker is doing {name} at this moment; wait a little and try again")
        if "error" in result:
            raise Refused(str(result["error"]), str(result.get("detail") or result["error"]))
        return result

    def register(self, now: datetime) -> None:
        due = {name: next_look(chore.trigger, now) for name, chore in self.chores.items()}
        Chores(self.app.store.engine).register(due, now)
