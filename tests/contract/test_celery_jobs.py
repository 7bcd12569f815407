"""A Celery job: it does as much due work as fits into its time, even when the database fails for a while."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
import structlog

from headwater.model.errors import Temporary
from headwater.model.jobs import Job, Task
from headwater.runtime import worker_loop as loops
from headwater.runtime.celery import tasks as shifts
from headwater.runtime.celery.tasks import LOCAL_SECONDS, NETWORK_SECONDS, run_local_job, run_network_job

REFINE = Job("crypto", Task.REFINE)
AWAY = Temporary("database_unavailable", counts=False)


@dataclass
class Ground:
    """A job context of which only the store is used, with a clock that advances with the work."""

    batches: list[int | Temporary]
    seconds: float = 1.0
    now: float = 0.0
    owner: str = "me"
    released: int = 0
    log: Any = field(default_factory=structlog.get_logger)

    @property
    def store(self) -> "Ground":
        return self

    def release(self, owners: Sequence[str], *, counts: bool) -> int:
        assert (list(owners), counts) == (["me"], False)
        self.released += 1
        return 0

    def next(self) -> int:
        self.now += self.seconds
        batch = self.batches.pop(0)
        if isinstance(batch, Temporary):
            raise batch
        return batch


@dataclass
class Wire:
    """A network with this many requests in flight after each step."""

    context: Ground
    under_way: list[int]
    waiting_count: int = 0
    uncommitted_count: int = 0
    claims: list[bool] = field(default_factory=list)

    def step(self, wait: Any, *, claiming: bool) -> int:
        del wait
        self.claims.append(claiming)
        self.waiting_count = self.under_way.pop(0)
        return self.context.next()


@pytest.fixture
def ground(monkeypatch: pytest.MonkeyPatch) -> Ground:
    ground_state = Ground([])

    class Engine:
        def __init__(self, context: Ground) -> None:
            self.context = context

        def run(self, job: Job) -> int:
            assert job == REFINE
            return self.context.next()

    def rest(seconds: float) -> None:
        ground_state.now += seconds

    monkeypatch.setattr(shifts, "Engine", Engine)
    monkeypatch.setattr(shifts.time, "monotonic", lambda: ground_state.now)
    monkeypatch.setattr(loops.time, "sleep", rest)
    return ground_state


def never() -> bool:
    return False


def test_a_local_job_runs_batches_until_nothing_is_due(ground: Ground):
    ground.batches = [100, 100, 3, 0]
    assert run_local_job(ground, REFINE, never) == 203


def test_a_local_job_ends_with_the_batch_during_which_the_time_is_up(ground: Ground):
    ground.batches, ground.seconds = [100] * 10, LOCAL_SECONDS / 2 - 1
    assert run_local_job(ground, REFINE, never) == 300


def test_a_local_job_that_must_stop_finishes_its_batch(ground: Ground):
    ground.batches = [100] * 10
    assert run_local_job(ground, REFINE, lambda: True) == 100


def test_a_temporary_error_is_retried_after_the_leases_are_released(ground: Ground):
    ground.batches = [100, AWAY, AWAY, 50, 0]
    assert run_local_job(ground, REFINE, never) == 150
    assert ground.released == 2


def test_an_error_that_outlasts_the_job_is_raised_and_nothing_stays_leased(ground: Ground):
    ground.batches = [AWAY] * 100
    with pytest.raises(Temporary):
        run_local_job(ground, REFINE, never)
    assert LOCAL_SECONDS < ground.now < LOCAL_SECONDS + 10
    assert ground.released > 0


def test_a_network_job_ends_after_its_requests(ground: Ground):
    ground.batches, ground.seconds = [5, 5, 5, 5], NETWORK_SECONDS / 2
    wire = Wire(ground, [10, 10, 5, 0])
    assert run_network_job(wire, never) == 20
    assert wire.claims == [True, True, False, False]


def test_a_network_job_without_work_ends_at_once(ground: Ground):
    ground.batches = [3, 0]
    wire = Wire(ground, [0, 0])
    assert run_network_job(wire, never) == 3


def test_a_network_job_that_must_stop_waits_a_little_and_releases_its_leases(ground: Ground):
    ground.batches = [1] * 100
    wire = Wire(ground, [50] * 100)
    assert run_network_job(wire, lambda: True) == pytest.approx(loops.NETWORK_GRACE, abs=2)
    assert not any(wire.claims)
    assert ground.released == 1
