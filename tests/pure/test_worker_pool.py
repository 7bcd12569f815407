"""How the supervisor treats a process that hangs."""

from types import SimpleNamespace
from typing import Any

from headwater.runtime.silence_watch import SilenceWatch
from headwater.runtime.worker_pool import WorkerPool
from headwater.settings.settings import Settings


class Unkillable:
    """A process that waits for a disk: a kill has no effect yet."""

    pid = 7

    def __init__(self) -> None:
        self.kills = 0

    def is_alive(self) -> bool:
        return True

    def kill(self) -> None:
        self.kills += 1

    def join(self, timeout: float | None = None) -> None:
        assert timeout is not None, "the supervisor would wait for ever"


class AllSilent(SilenceWatch):
    def is_due(self, now: float) -> bool:
        del now
        return True

    def silent_names(self, pids: Any, live_pids: Any, now: float) -> list[str]:
        del live_pids, now
        return list(pids)


def test_a_process_that_cannot_be_killed_yet_does_not_hold_up_the_supervisor():
    app: Any = SimpleNamespace(
        settings=Settings(log="json"),
        clock=lambda: None,
        workers=SimpleNamespace(heartbeats=lambda now: []),
    )
    process: Any = Unkillable()
    pool = WorkerPool(app, targets={}, processes={"local-1": process}, silence=AllSilent())
    pool.replace_dead()
    pool.replace_dead()
    assert process.kills == 2
