"""The context of a job: the parts that a worker brings, its retry policy and its leases."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, TypeVar

from structlog.typing import FilteringBoundLogger

from headwater.engine.isolation import error_reason
from headwater.engine.retry_policy import RetryPolicy
from headwater.extract.sandbox.sandboxed import parse_in_sandbox
from headwater.model.errors import Permanent, Temporary
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
from headwater.model.recipe import Parse, Recipe, Sink, find_recipe
from headwater.model.schedule import retry_delay
from headwater.model.summaries import SummaryFigures
from headwater.stories.llm.policy import SummaryPolicy


class HasAttempts(Protocol):
    @property
    def attempts(self) -> int: ...


Attempted = TypeVar("Attempted", bound=HasAttempts)


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
    """The parts of one worker. `owner` names it in its leases. `renders`: the fetchers of this installation have a browser.
    `channels` are the sinks of alarms. `on_commit` is called with what was committed. `parse` runs the parsers of polls. With
    `pass_began`, each source is polled once since then."""

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
    parse: Callable[[Parse], Any] = parse_in_sandbox
    pass_began: datetime | None = None

    def recipe(self, job: Job) -> Recipe:
        return find_recipe(self.recipes, job.recipe)

    def claim(self, job: Job, limit: int | None = None) -> Claim:
        policy = self.retry_policy
        return Claim(
            job, self.owner, self.clock(), limit or policy.batch, policy.lease, pass_began=self.pass_began
        )

    def split_suspects(self, items: Sequence[Attempted]) -> tuple[Sequence[Attempted], Sequence[Attempted]]:
        """Returns what to do now, and what to release. A record that was tried before may have killed its worker, so it is
        done alone: no other record should die with it."""
        fresh = [item for item in items if item.attempts <= self.retry_policy.isolate_after]
        suspects = [item for item in items if item.attempts > self.retry_policy.isolate_after]
        return (fresh, suspects) if fresh else (suspects[:1], suspects[1:])

    def postpone(self) -> Postponement:
        return Postponement(at=self.clock(), reason="waits_its_turn", counts=False)

    def worker_death(self, attempts: int) -> Permanent | None:
        """Returns the error of a record that keeps killing its worker."""
        if attempts <= self.retry_policy.max_worker_deaths:
            return None
        return Permanent("worker_died", f"its worker died at attempt {attempts - 1}")

    def check_worker_deaths(self, attempts: int) -> None:
        if error := self.worker_death(attempts):
            raise error

    def handle_failure(self, error: Exception, attempts: int) -> Postponement | Quarantine:
        """Postpones a temporary failure until the attempts are used up; quarantines everything else at once."""
        reason, detail = error_reason(error)
        if not isinstance(error, Temporary):
            return Quarantine(reason=reason, detail=detail)
        if error.counts and attempts >= self.retry_policy.max_attempts:
            return Quarantine(reason=reason, detail=f"{detail} (tried {attempts} times)".strip())
        at = self.clock() + (error.delay or retry_delay(attempts))
        return Postponement(at=at, reason=reason, detail=detail, counts=error.counts)


class LeaseRenewer:
    """Extends the leases of a job when a third of their time has passed; otherwise it only reads the clock."""

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
