"""Keys by ranges: all items in order, a few ranges under way, and one that fails ends the rest."""

import threading
from collections.abc import Sequence

import pytest

from scoring_service.generator import AHEAD, AT_ONCE, ITEMS_A_RANGE, KeyedRanges, split_answers
from tetrad.contracts.answers import SealedAnswer
from tetrad.internal.draws import KeyedItem

SIZE = 3 * AHEAD * ITEMS_A_RANGE + 3


def keyed(items: range, _: Sequence[SealedAnswer]) -> list[KeyedItem]:
    return [KeyedItem(item=item, questions=[]) for item in items]


def said(item: int) -> SealedAnswer:
    return SealedAnswer(item=item, question="what", answer="A")


@pytest.mark.parametrize("size", [1, ITEMS_A_RANGE, ITEMS_A_RANGE + 1, SIZE])
def test_all_items_come_in_their_order_as_often_as_they_are_gone_through(size: int) -> None:
    ranges = KeyedRanges(size, split_answers(size, []), keyed)
    for _ in range(2):
        assert [one.item for one in ranges] == list(range(size))


def test_each_range_is_asked_for_with_the_answers_to_its_items() -> None:
    seen: dict[int, list[int]] = {}

    def noted(items: range, answers: Sequence[SealedAnswer]) -> list[KeyedItem]:
        seen[items.start] = [answer.item for answer in answers]
        return keyed(items, answers)

    last = 2 * ITEMS_A_RANGE
    list(KeyedRanges(last + 1, split_answers(last + 1, map(said, [last, 3, ITEMS_A_RANGE, 1])), noted))
    assert seen == {0: [3, 1], ITEMS_A_RANGE: [ITEMS_A_RANGE], last: [last]}


@pytest.mark.parametrize("item", [-1, 2 * ITEMS_A_RANGE, 10**9])
def test_an_answer_to_no_item_is_sent_for_the_generator_to_refuse(item: int) -> None:
    seen: list[int] = []

    def noted(items: range, answers: Sequence[SealedAnswer]) -> list[KeyedItem]:
        seen.extend(answer.item for answer in answers)
        return keyed(items, answers)

    list(KeyedRanges(ITEMS_A_RANGE + 1, split_answers(ITEMS_A_RANGE + 1, [said(item)]), noted))
    assert seen == [item]


def test_a_few_ranges_are_under_way_and_no_more_wait_for_whoever_goes_through_them() -> None:
    asked: list[int] = []
    under_way: list[int] = []
    most: list[int] = []
    together = threading.Barrier(AT_ONCE, timeout=10)

    def noted(items: range, answers: Sequence[SealedAnswer]) -> list[KeyedItem]:
        asked.append(items.start)
        under_way.append(items.start)
        most.append(len(under_way))
        if items.start < AT_ONCE * ITEMS_A_RANGE:
            together.wait()
        under_way.remove(items.start)
        return keyed(items, answers)

    going = iter(KeyedRanges(SIZE, split_answers(SIZE, []), noted))
    assert next(going).item == 0
    assert len(asked) <= AHEAD + 1
    assert sum(1 for _ in going) == SIZE - 1
    assert sorted(asked) == list(range(0, SIZE, ITEMS_A_RANGE))
    assert max(most) == AT_ONCE


def test_a_range_that_fails_is_raised_in_its_turn_and_ends_the_rest() -> None:
    asked: list[int] = []

    def failing(items: range, answers: Sequence[SealedAnswer]) -> list[KeyedItem]:
        asked.append(items.start)
        if items.start == ITEMS_A_RANGE:
            raise LookupError("gone")
        return keyed(items, answers)

    found: list[int] = []
    with pytest.raises(LookupError, match="gone"):
        found.extend(one.item for one in KeyedRanges(SIZE, split_answers(SIZE, []), failing))
    assert found == list(range(ITEMS_A_RANGE))
    assert len(asked) <= AHEAD + 2


def test_what_was_fetched_ahead_is_not_fetched_again_and_a_second_time_is() -> None:
    seen: list[int] = []

    def noted(items: range, answers: Sequence[SealedAnswer]) -> list[KeyedItem]:
        seen.append(items.start)
        return keyed(items, answers)

    ranges = KeyedRanges(ITEMS_A_RANGE + 1, split_answers(ITEMS_A_RANGE + 1, []), noted)
    ranges.fetch_first()
    for again in (False, True):
        assert [one.item for one in ranges] == list(range(ITEMS_A_RANGE + 1))
        assert sorted(seen) == [0, *([0] if again else []), *([ITEMS_A_RANGE] * (1 + again))]
