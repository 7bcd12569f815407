"""A shift: as much as is due and fits into its time, whatever happens to the ground it stands on."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
import structlog

from headwater.model.errors import Temporary
from headwater.model.work import Job, Task
from headwater.worker import loops
from headwater.worker.celery import shifts
from headwater.worker.celery.shifts import DESK_SECONDS, NETWORK_SECONDS, desk_shift, network_shift

REFINE = Job("crypto", Task.REFINE)
AWAY = Temporary("database_unavailable", counts=False)


@dataclass
class Ground:
    """A desk of which only the store is asked for anything, and a clock that goes on by what is done."""

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
    """A network with so many requests under way after each step."""

    desk: Ground
    under_way: list[int]
    waiting: int = 0
    uncommitted: int = 0
    claims: list[bool] = field(default_factory=list)

    def step(self, wait: Any, *, claiming: bool) -> int:
        del wait
        self.claims.append(claiming)
        self.waiting = self.under_way.pop(0)
        return self.desk.next()


@pytest.fixture
def ground(monkeypatch: pytest.MonkeyPatch) -> Ground:
    made = Ground([])

    class Engine:
        def __init__(self, desk: Ground) -> None:
            self.desk = desk

        def run(self, job: Job) -> int:
            assert job == REFINE
            return self.desk.next()

    def rest(seconds: float) -> None:
        made.now += seconds

    monkeypatch.setattr(shifts, "Engine", Engine)
    monkeypatch.setattr(shifts.time, "monotonic", lambda: made.now)
    monkeypatch.setattr(loops.time, "sleep", rest)
    return made


def never() -> bool:
    return False


def test_a_desk_goes_on_batch_after_batch_until_nothing_is_due(ground: Ground):
    ground.batches = [100, 100, 3, 0]
    assert desk_shift(ground, REFINE, never) == 203


def test_a_desk_ends_its_shift_with_the_batch_during_which_the_time_is_up(ground: Ground):
    ground.batches, ground.seconds = [100] * 10, DESK_SECONDS / 2 - 1
    assert desk_shift(ground, REFINE, never) == 300


def test_a_desk_that_is_told_to_stop_ends_what_it_has(ground: Ground):
    ground.batches = [100] * 10
    assert desk_shift(ground, REFINE, lambda: True) == 100


def test_trouble_that_passes_is_waited_out_and_what_was_held_is_given_back_first(ground: Ground):
    ground.batches = [100, AWAY, AWAY, 50, 0]
    assert desk_shift(ground, REFINE, never) == 150
    assert ground.released == 2


def test_trouble_that_outlasts_the_shift_is_told_and_nothing_is_held(ground: Ground):
    ground.batches = [AWAY] * 100
    with pytest.raises(Temporary):
        desk_shift(ground, REFINE, never)
    assert DESK_SECONDS < ground.now < DESK_SECONDS + 10
    assert ground.released > 0


def test_on_the_network_all_that_is_under_way_ends_before_the_shift_does(ground: Ground):
    ground.batches, ground.seconds = [5, 5, 5, 5], NETWORK_SECONDS / 2
    wire = Wire(ground, [10, 10, 5, 0])
    assert network_shift(wire, never) == 20
    assert wire.claims == [True, True, False, False]


def test_on_the_network_a_shift_ends_when_nothing_came(ground: Ground):
    ground.batches = [3, 0]
    wire = Wire(ground, [0, 0])
    assert network_shift(wire, never) == 3


def test_on_the_network_whoever_is_to_stop_waits_a_little_and_gives_back_the_rest(ground: Ground):
    ground.batches = [1] * 100
    wire = Wire(ground, [50] * 100)
    assert network_shift(wire, lambda: True) == pytest.approx(loops.GRACE, abs=2)
    assert not any(wire.claims)
    assert ground.released == 1
