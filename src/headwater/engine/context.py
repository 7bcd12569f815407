"""What a worker has at hand."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol, TypeVar

from structlog.typing import FilteringBoundLogger

from headwater.engine.isolation import error_reason
from headwater.model.errors import Permanent, Refused, Temporary
from headwater.model.jobs import Claim, Job, Postponement, Quarantine, Task
from headwater.model.ports import (
    Archive,
    Clock,
    CommitListener,
    Fetcher,
    LanguageModel,
    Store,
    SummaryStore,
    ignore_commits,
)
from headwater.model.recipe import Recipe, Sink
from headwater.model.schedule import retry_delay
from headwater.model.summaries import SummaryFigures
from headwater.stories.llm.plan import SummaryPolicy


class HasAttempts(Protocol):
    @property
    def attempts(self) -> int: ...


Tried = TypeVar("Tried", bound=HasAttempts)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How much is taken at once, for how long, and how often it is tried.

    `deaths` is not less than `tries`: what is only postponed is given up for its own reason, not for a death.
    """

    batch: int = 100
    lease: timedelta = timedelta(minutes=5)
    max_attempts: int = 6
    isolate_after: int = 2
    max_worker_deaths: int = 6


@dataclass(frozen=True, kw_only=True)
class SummaryTools:
    """What summaries by a language model need. No request starts after `deadline`, and none at all unless `ask` is set.
    `announce` receives one sentence before money is spent; `figures` and `updated_recipes` collect what a round did."""

    store: SummaryStore
    model: LanguageModel
    policy: SummaryPolicy
    deadline: datetime
    ask: bool = True
    announce: Callable[[str], None] = lambda _: None
    figures: SummaryFigures = field(default_factory=SummaryFigures)
    updated_recipes: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class JobContext:
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
    retry_policy: RetryPolicy = field(default_factory=RetryPolicy)
    renders: bool = False
    channels: tuple[str, ...] = ()
    on_commit: CommitListener = ignore_commits
    summaries: SummaryTools | None = None

    def recipe(self, job: Job) -> Recipe:
        if job.recipe not in self.recipes:
            known = ", ".join(sorted(self.recipes)) or "none is installed"
            raise Refused("unknown_recipe", f"there is no recipe '{job.recipe}'; there are: {known}")
        return self.recipes[job.recipe]

    def claim(self, job: Job, limit: int | None = None) -> Claim:
        return Claim(job, self.owner, self.clock(), limit or self.retry_policy.batch, self.retry_policy.lease)

    def split_suspects(self, items: Sequence[Tried]) -> tuple[Sequence[Tried], Sequence[Tried]]:
        """What is done now, and what is given back first: of those that were tried before, each is done alone, for
        one may have taken its worker down, and nobody else shall go with it."""
        fresh = [item for item in items if item.attempts <= self.retry_policy.isolate_after]
        tried = [item for item in items if item.attempts > self.retry_policy.isolate_after]
        return (fresh, tried) if fresh else (tried[:1], tried[1:])

    def postpone(self) -> Postponement:
        return Postponement(at=self.clock(), reason="waits_its_turn", counts=False)

    def check_worker_deaths(self, attempts: int) -> None:
        """Raises for what takes its worker down again and again."""
        if attempts > self.retry_policy.max_worker_deaths:
            raise Permanent("worker_died", f"its worker died at attempt {attempts - 1}")

    def handle_failure(self, error: Exception, attempts: int) -> Postponement | Quarantine:
        """ "Later" is tried again until it was tried often enough; everything else is set apart at once."""
        reason, detail = error_reason(error)
        if not isinstance(error, Temporary):
            return Quarantine(reason=reason, detail=detail)
        if error.counts and attempts >= self.retry_policy.max_attempts:
            return Quarantine(reason=reason, detail=f"{detail} (tried {attempts} times)".strip())
        at = self.clock() + (error.delay or retry_delay(attempts))
        return Postponement(at=at, reason=reason, detail=detail, counts=error.counts)


class LeaseRenewer:
    """Prolongs the leases of a task when a third of their time has passed; costs a look at the clock otherwise."""

    def __init__(self, context: JobContext, *tasks: Task) -> None:
        self.context, self.tasks = context, tasks
        self.next_at = context.clock() + context.retry_policy.lease / 3

    def renew_if_due(self) -> None:
        now = self.context.clock()
        if now < self.next_at:
            return
        for task in self.tasks:
            self.context.store.renew(task, self.context.owner, now + self.context.retry_policy.lease)
        self.next_at = now + self.context.retry_policy.lease / 3
