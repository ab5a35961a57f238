"""The byte budget of pictures in flight."""

import asyncio
import random

import pytest

from inference_gateway.gates import Reason, Refused
from inference_gateway.gates.pictures import PictureBudget


def test_what_is_in_flight_never_passes_the_budget_and_everybody_gets_a_turn() -> None:
    async def run() -> tuple[int, int]:
        budget, rng, most, served = PictureBudget(100), random.Random(7), 0, 0

        async def one(size: int) -> None:
            nonlocal most, served
            async with budget.hold(size, patience=30):
                most = max(most, budget.held_bytes)
                await asyncio.sleep(0.001)
                served += 1

        await asyncio.gather(*(one(rng.randint(0, 100)) for _ in range(200)))
        assert budget.held_bytes == 0
        return most, served

    most, served = asyncio.run(run())
    assert most <= 100
    assert served == 200


def test_a_large_call_is_not_passed_by_small_ones_for_ever() -> None:
    async def run() -> list[int]:
        budget, order = PictureBudget(10), list[int]()

        async def one(size: int) -> None:
            async with budget.hold(size, patience=5):
                order.append(size)
                await asyncio.sleep(0.001)

        await asyncio.gather(*(one(size) for size in (6, 10, 3, 3, 3)))
        return order

    assert asyncio.run(run())[:2] == [6, 10]


def test_more_than_the_budget_is_refused_and_waiting_ends() -> None:
    async def run() -> None:
        budget = PictureBudget(10)
        with pytest.raises(Refused, match="above the limit of 10 for all calls in flight") as refused:
            async with budget.hold(11, patience=1):
                pass
        assert (refused.value.reason, refused.value.status) == (Reason.PICTURES, 413)
        async with budget.hold(10, patience=1):
            with pytest.raises(Refused, match="found no place") as refused:
                async with budget.hold(1, patience=0.05):
                    pass
            assert refused.value.reason is Reason.BUSY
            waiting = asyncio.create_task(_hold(budget))
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
        async with budget.hold(10, patience=0.05):
            assert budget.held_bytes == 10
        assert budget.held_bytes == 0

    asyncio.run(run())


async def _hold(budget: PictureBudget) -> None:
    async with budget.hold(5, patience=5):
        pass
