"""Answers in one object: all come back, a page without the others, and damage is told."""

import random

import msgspec
import pytest

from tetrad.internal.kept_answers import (
    ITEMS_A_PART,
    KeptAnswer,
    KeptAnswersError,
    pack_answers,
    unpack_answers,
)

ANSWERS = [
    KeptAnswer(
        item, question, None if item % 3 else "A", f"the reply ü {item}" if item % 3 else None, None, 1000 + item
    )
    for item in range(5, 4 * ITEMS_A_PART, 2)
    for question in ("how", "what", "which")
]


def test_all_answers_come_back_in_order_whatever_order_they_came_in() -> None:
    mixed = random.Random(1).sample(ANSWERS, len(ANSWERS))
    assert pack_answers(mixed) == pack_answers(ANSWERS)
    assert list(unpack_answers(pack_answers(mixed))) == ANSWERS
    assert list(unpack_answers(pack_answers([]))) == []


@pytest.mark.parametrize(
    "items", [range(5), range(5, 6), range(100, 300), range(126, 130), range(4000, 5000), range(300, 2**31), range(0)]
)
def test_a_page_holds_the_answers_to_its_items_alone(items: range) -> None:
    found = list(unpack_answers(pack_answers(ANSWERS), items))
    assert found == [one for one in ANSWERS if one.item in items]


def test_a_page_is_read_without_the_parts_of_other_items() -> None:
    body = bytearray(pack_answers(ANSWERS))
    body[-20:] = bytes(20)  # in the last part
    assert list(unpack_answers(bytes(body), range(50)))
    with pytest.raises(KeptAnswersError, match="damaged"):
        list(unpack_answers(bytes(body)))


@pytest.mark.parametrize("body", [b"", b"{}", pack_answers(ANSWERS)[:100], b"tetrad/answers/1\n"])
def test_what_is_no_such_object_is_refused(body: bytes) -> None:
    with pytest.raises(KeptAnswersError):
        list(unpack_answers(body))


def test_short_answers_take_a_few_bytes_each() -> None:
    many = [KeptAnswer(item, "which", "ABCD"[item * 7 % 4], None, None, 10**12 + item) for item in range(10_000)]
    assert len(pack_answers(many)) < 8 * len(many) < len(msgspec.json.encode(many))
