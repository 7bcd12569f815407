"""Queues for the slots of a host: long where they move, short where they do not."""

import asyncio
from itertools import pairwise

import pytest

from headwater.fetch.politeness.admission import WaitQueues
from headwater.fetch.politeness.quotas import Demand, Slots

KEY = "host:a.example"


class ManualClock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def demand(number: int, places: int = 1) -> Demand:
    return Demand(ticket=str(number), lease=str(number), quotas=(), slots=(Slots(KEY, places),))


def serve(queues: WaitQueues, clock: ManualClock, seconds: float, times: int = 20) -> None:
    for number in range(times):
        queues.record_start(demand(number))
        clock.now += seconds
        queues.record_end(demand(number))


def room(queues: WaitQueues) -> int:
    entered = 0
    while queues.enter(KEY):
        entered += 1
    for _ in range(entered):
        queues.leave(KEY)
    return entered


@pytest.mark.parametrize(("seconds", "places"), [(0.001, 64), (0.1, 20), (0.25, 8), (3.0, 4), (60.0, 4)])
def test_p10_a_queue_holds_as_many_as_are_served_within_the_longest_wait(seconds: float, places: int):
    clock = ManualClock()
    queues = WaitQueues(clock, 2.0)
    serve(queues, clock, seconds)
    assert abs(room(queues) - places) <= 1


def test_p10_a_host_that_does_not_answer_has_a_short_queue():
    clock = ManualClock()
    queues = WaitQueues(clock, 2.0)
    assert room(queues) == 20
    queues.record_start(demand(1))
    clock.now += 30
    assert room(queues) == 4


def test_p10_requests_that_find_a_full_queue_come_back_one_after_the_other():
    clock = ManualClock()
    queues = WaitQueues(clock, 2.0)
    quick = [queues.come_back_at(KEY, 600.0) for _ in range(50)]
    assert quick == sorted(set(quick))
    assert quick[-1] < clock.now + 10
    queues.record_start(demand(1))
    clock.now += 30
    slow = [queues.come_back_at(KEY, 600.0) for _ in range(700)]
    assert all(later - earlier >= 1 for earlier, later in pairwise(slow[:500]))
    assert max(slow) <= clock.now + 602


def test_the_first_in_the_queue_wakes_when_a_request_ends():
    async def scenario() -> list[str]:
        queues, woken = WaitQueues(ManualClock(), 2.0), []

        async def wait(name: str, seconds: float) -> None:
            await queues.wait(KEY, seconds)
            woken.append(name)

        tasks = [asyncio.create_task(wait(name, 600.0)) for name in ("first", "second", "third")]
        await asyncio.sleep(0)
        tasks[0].cancel()
        for number in (1, 2):
            queues.record_end(demand(number))
            await asyncio.sleep(0)
        await asyncio.gather(*tasks[1:])
        await wait("timeout", 0.001)
        return woken

    assert asyncio.run(scenario()) == ["second", "third", "timeout"]


def test_idle_queues_are_forgotten_and_those_in_use_are_not():
    queues = WaitQueues(ManualClock(), 2.0)
    assert queues.enter(KEY)
    for number in range(3000):
        queues.come_back_at(f"host:{number}", 600.0)
    assert room(queues) == 19
