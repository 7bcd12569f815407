"""The two budgets that all exchanges share: time and memory."""

import asyncio

import pytest

from headwater.fetch.client.body import BudgetShare, MemoryBudget
from headwater.fetch.client.deadlines import Deadlines


def test_a_block_ends_at_its_total_time():
    async def run() -> None:
        with Deadlines().watch(total=0.05, idle=60):
            await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        asyncio.run(run())


def test_a_block_ends_when_nothing_moves():
    moves = []

    async def run() -> None:
        with Deadlines().watch(total=60, idle=1.0) as watch:
            for number in range(4):
                await asyncio.sleep(0.3)
                watch.moved()
                moves.append(number)
            await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        asyncio.run(run())
    assert len(moves) == 4


def test_time_of_our_own_does_not_count():
    async def run() -> str:
        with Deadlines().watch(total=0.05, idle=60) as watch:
            watch.extend(60)
            await asyncio.sleep(0.25)
        return "ended"

    assert asyncio.run(run()) == "ended"


def test_cancelling_from_outside_is_no_timeout():
    async def run() -> bool:
        async def block() -> None:
            with Deadlines().watch(total=60, idle=60):
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
                await budget.room(shares[name])
                order.append(name)
            budget.end(shares[name])
            budget.release(shares[name].size)

        await asyncio.gather(*(grow(name) for name in shares))
        assert budget.used == 0
        return order

    order = asyncio.run(run())
    assert sorted(order) == sorted("abc" * 3)
    # Once it was chosen, nobody came between.
    assert "".join(order).count("ccc") + "".join(order).count("bbb") >= 1


def test_whoever_gives_up_waiting_is_passed_over():
    async def run() -> bool:
        budget = MemoryBudget(10)
        chosen, waiting, last = BudgetShare(), BudgetShare(), BudgetShare()
        budget.take(chosen, 20)
        await budget.room(chosen)
        gone = asyncio.create_task(budget.room(waiting))
        stays = asyncio.create_task(budget.room(last))
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.gather(gone, return_exceptions=True)
        budget.end(chosen)
        await asyncio.wait_for(stays, 5)
        return stays.done()

    assert asyncio.run(run())
