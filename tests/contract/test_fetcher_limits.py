"""The two budgets that all exchanges share: time and memory."""

import asyncio

import pytest

from headwater.fetch.client.body import BudgetShare, MemoryBudget
from headwater.fetch.client.deadlines import Deadlines


def test_a_block_ends_at_its_total_time():
    async def run() -> None:
        with Deadlines().deadline(total=0.05, idle=60):
            await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        asyncio.run(run())


def test_a_block_ends_when_nothing_moves():
    moves = []

    async def run() -> None:
        with Deadlines().deadline(total=60, idle=1.0) as deadline:
            for number in range(4):
                await asyncio.sleep(0.3)
                deadline.touch()
                moves.append(number)
            await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        asyncio.run(run())
    assert len(moves) == 4


def test_a_wait_of_our_own_counts_against_neither_limit():
    async def run() -> str:
        with Deadlines().deadline(total=0.05, idle=0.05) as deadline, deadline.suspended():
            await asyncio.sleep(0.25)
        return "ended"

    assert asyncio.run(run()) == "ended"


def test_a_cancellation_from_outside_is_not_a_timeout():
    async def run() -> bool:
        async def block() -> None:
            with Deadlines().deadline(total=60, idle=60):
                await asyncio.Event().wait()

        task = asyncio.create_task(block())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return task.cancelled()

    assert asyncio.run(run())


def test_when_memory_is_used_up_one_goes_on_and_the_others_wait_for_it():
    async def run() -> list[str]:
        budget, order = MemoryBudget(100), []
        shares = {name: BudgetShare() for name in "abc"}

        async def grow(name: str) -> None:
            for _ in range(3):
                budget.take(shares[name], 50)
                await budget.wait_for_room(shares[name])
                order.append(name)
            budget.finish(shares[name])
            budget.release(shares[name].size)

        await asyncio.gather(*(grow(name) for name in shares))
        assert budget.used == 0
        return order

    order = asyncio.run(run())
    assert sorted(order) == sorted("abc" * 3)
    # Once it was chosen, no other request came between.
    assert "".join(order).count("ccc") + "".join(order).count("bbb") >= 1


def test_cancelled_bodies_are_skipped():
    async def run() -> bool:
        budget = MemoryBudget(10)
        first, waiting, last = BudgetShare(), BudgetShare(), BudgetShare()
        budget.take(first, 20)
        await budget.wait_for_room(first)
        cancelled = asyncio.create_task(budget.wait_for_room(waiting))
        stays = asyncio.create_task(budget.wait_for_room(last))
        await asyncio.sleep(0)
        cancelled.cancel()
        await asyncio.gather(cancelled, return_exceptions=True)
        budget.finish(first)
        await asyncio.wait_for(stays, 5)
        return stays.done()

    assert asyncio.run(run())
