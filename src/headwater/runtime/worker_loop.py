"""What a worker process does all day: claim, work, commit; rest when there is nothing; stop when told."""

import os
import resource
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from types import FrameType
from typing import TypeVar

from structlog.typing import FilteringBoundLogger

from headwater.engine.context import JobContext
from headwater.engine.engine import Engine
from headwater.engine.network import NetworkLoop
from headwater.model.errors import Temporary
from headwater.model.jobs import IDLE_TASKS, LOCAL_TASKS, NETWORK_TASKS, Job, Task
from headwater.model.ports import Store

Result = TypeVar("Result")
SHORTEST_REST, LONGEST_REST = 0.02, 0.5
TROUBLE_REST = 2.0
GRACE = 10.0
ANSWER_WAIT = timedelta(seconds=0.05)
MEMORY_LIMIT_KILOBYTES = 440 * 1024


RoundFunction = Callable[[Engine, Sequence[str], Callable[[], bool]], int]


class StopSignal:
    """Rings when the process is to stop: on SIGTERM or SIGINT, or, for a child, when its parent is gone."""

    def __init__(self, *, child: bool = True) -> None:
        self.parent = os.getppid()
        self.child = child
        self.rung = False
        signal.signal(signal.SIGTERM, self._ring)
        signal.signal(signal.SIGINT, self._ring)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self.rung = True

    def __bool__(self) -> bool:
        return self.rung or (self.child and os.getppid() != self.parent)


def run_local_loop(
    context: JobContext,
    recipes: Sequence[str],
    stop: Callable[[], bool],
    between: Callable[[], object] = lambda: None,
    turn: RoundFunction | None = None,
) -> None:
    """Refine, gather and deliver until told to stop, or until this process has grown too large to go on. `between` is
    called between two rounds; `turn` is another kind of round."""
    engine = Engine(context)
    rest, troubled = SHORTEST_REST, False
    while not stop() and not is_over_memory_limit():
        try:
            if (
                troubled
            ):  # between two jobs a desk holds nothing: whatever is leased here was left by the trouble
                context.store.release([context.owner], counts=False)
            handled = (turn or run_round)(engine, recipes, stop)
            between()
            troubled = False
        except Temporary as trouble:
            wait_after_error(context, trouble)
            troubled = True
            continue
        rest = SHORTEST_REST if handled else min(rest * 2, LONGEST_REST)
        if not handled:
            time.sleep(rest)
    release_leases(context)


def run_round(engine: Engine, recipes: Sequence[str], stop: Callable[[], bool] = lambda: False) -> int:
    """A batch of every kind, and one of what nobody waits for if there was nothing else; gives how many records were
    handled."""
    handled = sum(engine.run(job) for job in _jobs(recipes, LOCAL_TASKS) if not stop())
    return handled or run_idle_round(engine, recipes, stop)


def run_idle_round(engine: Engine, recipes: Sequence[str], stop: Callable[[], bool] = lambda: False) -> int:
    """A batch of what nobody waits for; gives how many records were handled."""
    handled = 0
    for job in _jobs(recipes, IDLE_TASKS):
        handled = handled or (0 if stop() else engine.run(job))
    return handled


def _jobs(recipes: Sequence[str], tasks: Sequence[Task]) -> list[Job]:
    return [Job(recipe, task) for recipe in recipes for task in tasks]


def run_network_loop(context: JobContext, recipes: Sequence[str], stop: Callable[[], bool]) -> None:
    """Poll and fetch until told to stop; then let what is under way end, for a while, and give back the rest."""
    network = NetworkLoop(context, _jobs(recipes, NETWORK_TASKS))
    rest = SHORTEST_REST
    while not stop() and not is_over_memory_limit():
        handled = step_network(network, claiming=True)
        rest = SHORTEST_REST if handled or network.waiting else min(rest * 2, LONGEST_REST)
        if not handled and not network.waiting:
            time.sleep(rest)
    until = time.monotonic() + GRACE
    while (network.waiting or network.uncommitted) and time.monotonic() < until:
        step_network(network, claiming=False)
    release_leases(context)
    if context.fetcher is not None:
        context.fetcher.close()


def step_network(network: NetworkLoop, *, claiming: bool) -> int:
    """What cannot be committed now stays in hand and is committed with the next step."""
    try:
        return network.step(ANSWER_WAIT, claiming=claiming)
    except Temporary as trouble:
        wait_after_error(network.context, trouble)
        return 0


def wait_after_error(context: JobContext, trouble: Temporary) -> None:
    """Trouble with the ground we stand on (disk, database, archive) is nobody's fault: nothing is given up for it."""
    _rest_from(trouble, context.log)


def retry_until_available(attempt: Callable[[], Result], log: FilteringBoundLogger) -> Result:
    """Until it succeeds: for what comes before any work, on a machine that started before its database."""
    while True:
        try:
            return attempt()
        except Temporary as trouble:
            _rest_from(trouble, log)


def _rest_from(trouble: Temporary, log: FilteringBoundLogger) -> None:
    log.error("waiting", reason=trouble.reason, detail=trouble.detail)
    time.sleep(TROUBLE_REST)


def release_leases(context: JobContext) -> None:
    """Somebody else may have it at once. If even that fails, the leases run out."""
    with suppress(Temporary):
        context.store.release([context.owner], counts=False)


def is_nothing_due(store: Store, recipes: Sequence[str], soon: datetime) -> bool:
    """Whether nothing that anybody waits for is due by then."""
    return all(
        due > soon
        for recipe in recipes
        for task, due in store.next_due(recipe).items()
        if task not in IDLE_TASKS
    )


def is_over_memory_limit() -> bool:
    """A process that grew past its limit is replaced by a fresh one between two batches."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > MEMORY_LIMIT_KILOBYTES
