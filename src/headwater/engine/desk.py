"""What a worker has at hand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Protocol, TypeVar

from structlog.typing import FilteringBoundLogger

from headwater.engine.alone import explain
from headwater.model.errors import Permanent, Refused, Temporary
from headwater.model.ports import Archive, Clock, Fetcher, Store, Tell, nobody
from headwater.model.recipe import Recipe, Sink
from headwater.model.work import Claim, Job, Later, Quarantined
from headwater.pure.schedule import retry_delay


class HasAttempts(Protocol):
    @property
    def attempts(self) -> int: ...


Tried = TypeVar("Tried", bound=HasAttempts)


@dataclass(frozen=True, slots=True)
class Patience:
    """How much is taken at once, for how long, and how often it is tried.

    `deaths` is not less than `tries`: what is only postponed is given up for its own reason, not for a death.
    """

    batch: int = 100
    lease: timedelta = timedelta(minutes=5)
    tries: int = 6
    alone_after: int = 2
    deaths: int = 6


@dataclass(frozen=True)
class Desk:
    """The parts of one worker. `owner` names it in the leases it takes. `renders`: the fetchers of this installation
    have a browser. `channels` are the sinks that alarms go to. `tell` hears what was committed."""

    owner: str
    recipes: Mapping[str, Recipe]
    store: Store
    archive: Archive
    clock: Clock
    log: FilteringBoundLogger
    fetcher: Fetcher | None = None
    sinks: Mapping[str, Sink] | None = None
    patience: Patience = field(default_factory=Patience)
    renders: bool = False
    channels: tuple[str, ...] = ()
    tell: Tell = nobody

    def recipe(self, job: Job) -> Recipe:
        if job.recipe not in self.recipes:
            known = ", ".join(sorted(self.recipes)) or "none is installed"
            raise Refused("unknown_recipe", f"there is no recipe '{job.recipe}'; there are: {known}")
        return self.recipes[job.recipe]

    def claim(self, job: Job, limit: int | None = None) -> Claim:
        return Claim(job, self.owner, self.clock(), limit or self.patience.batch, self.patience.lease)

    def one_suspect(self, items: Sequence[Tried]) -> tuple[Sequence[Tried], Sequence[Tried]]:
        """What is done now, and what is given back first: of those that were tried before, each is done alone, for
        one may have taken its worker down, and nobody else shall go with it."""
        fresh = [item for item in items if item.attempts <= self.patience.alone_after]
        tried = [item for item in items if item.attempts > self.patience.alone_after]
        return (fresh, tried) if fresh else (tried[:1], tried[1:])

    def its_turn_comes(self) -> Later:
        return Later(at=self.clock(), reason="waits_its_turn", counts=False)

    def refuse_deadly(self, attempts: int) -> None:
        """Raises for what takes its worker down again and again."""
        if attempts > self.patience.deaths:
            raise Permanent("worker_died", f"its worker died at attempt {attempts - 1}")

    def judge(self, error: Exception, attempts: int) -> Later | Quarantined:
        """ "Later" is tried again until it was tried often enough; everything else is set apart at once."""
        reason, detail = explain(error)
        if not isinstance(error, Temporary):
            return Quarantined(reason=reason, detail=detail)
        if error.counts and attempts >= self.patience.tries:
            return Quarantined(reason=reason, detail=f"{detail} (tried {attempts} times)".strip())
        at = self.clock() + (error.delay or retry_delay(attempts))
        return Later(at=at, reason=reason, detail=detail, counts=error.counts)
