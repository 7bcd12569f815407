"""Lines before the places of a host: long where they move, short where they do not."""

import asyncio
from itertools import pairwise

import pytest

from headwater.fetch.politeness.admission import WaitQueues
from headwater.fetch.politeness.quotas import Demand, Slots

KEY = "host:a.example"


class Hand:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def demand(number: int, places: int = 1) -> Demand:
    return Demand(ticket=str(number), lease=str(number), quotas=(), slots=(Slots(KEY, places),))


def served(lines: WaitQueues, clock: Hand, seconds: float, times: int = 20) -> None:
    for number in range(times):
        lines.began(demand(number))
        clock.now += seconds
        lines.ended(demand(number))


def room(lines: WaitQueues) -> int:
    taken = 0
    while lines.enter(KEY):
        taken += 1
    for _ in range(taken):
        lines.leave(KEY)
    return taken


@pytest.mark.parametrize(("seconds", "places"), [(0.001, 64), (0.1, 20), (0.25, 8), (3.0, 4), (60.0, 4)])
def test_p10_a_line_holds_those_who_are_served_within_patience(seconds: float, places: int):
    clock = Hand()
    lines = WaitQueues(clock, 2.0)
    served(lines, clock, seconds)
    assert abs(room(lines) - places) <= 1


def test_p10_a_host_that_does_not_answer_has_a_short_line_before_its_first_answer():
    clock = Hand()
    lines = WaitQueues(clock, 2.0)
    assert room(lines) == 20
    lines.began(demand(1))
    clock.now += 30
    assert room(lines) == 4


def test_p10_who_is_sent_back_comes_one_after_the_other():
    clock = Hand()
    lines = WaitQueues(clock, 2.0)
    quick = [lines.come_back(KEY, 600.0) for _ in range(50)]
    assert quick == sorted(set(quick))
    assert quick[-1] < clock.now + 10
    lines.began(demand(1))
    clock.now += 30
    slow = [lines.come_back(KEY, 600.0) for _ in range(700)]
    assert all(later - earlier >= 1 for earlier, later in pairwise(slow[:500]))
    assert max(slow) <= clock.now + 602


def test_whoever_is_first_in_line_is_called_when_somebody_has_finished():
    async def scene() -> list[str]:
        lines, called = WaitQueues(Hand(), 2.0), []

        async def stand(name: str, seconds: float) -> None:
            await lines.wait(KEY, seconds)
            called.append(name)

        tasks = [asyncio.create_task(stand(name, 600.0)) for name in ("first", "second", "third")]
        await asyncio.sleep(0)
        tasks[0].cancel()
        for number in (1, 2):
            lines.ended(demand(number))
            await asyncio.sleep(0)
        await asyncio.gather(*tasks[1:])
        await stand("nobody finished", 0.001)
        return called

    assert asyncio.run(scene()) == ["second", "third", "nobody finished"]


def test_lines_of_hosts_that_are_gone_are_forgotten_and_those_in_use_are_not():
    lines = WaitQueues(Hand(), 2.0)
    assert lines.enter(KEY)
    for number in range(3000):
        lines.come_back(f"host:{number}", 600.0)
    assert room(lines) == 19
