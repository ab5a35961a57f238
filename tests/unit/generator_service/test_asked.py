"""Tests of the questions that are asked, and of the replies that have to be read to know them."""

import pytest

from generator_service import items
from generator_service.items import Item, select_asked
from generator_service.mounting import Mounted
from tests.toy_benchmarks.toy import BENCHMARK, SHADES, Scene, questions
from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.inference import StopKind
from tetrad.contracts.items import Question
from tetrad.extraction.answers import extract_from

MOUNTED = Mounted(BENCHMARK, None, "none")
SCENE = Scene("one", "full", "dim", tuple(SHADES))


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the replies that are read from here on."""
    replies: list[str] = []

    def noted(question: Question, answer: str | None, response: str | None, stop: StopKind | None) -> object:
        replies.append(response or "")
        return extract_from(question, answer, response, stop)

    monkeypatch.setattr(items, "extract_from", noted)
    return replies


def sealed(**replies: str) -> list[SealedAnswer]:
    return [SealedAnswer(item=0, question=name, response=reply) for name, reply in replies.items()]


def names(answers: list[SealedAnswer], *, closed: bool = False) -> list[str]:
    found = select_asked(MOUNTED, Item(SCENE, questions(SCENE)), answers, closed=closed)
    return [keyed.question.id for keyed in found]


def test_only_the_replies_that_open_anything_are_read_and_each_once(read: list[str]) -> None:
    assert names(sealed(name="(2)", half="(1)", shade="(B)")) == ["name", "half", "shade"]
    assert read == ["(2)"]


def test_a_reply_that_is_read_wrong_opens_no_more_than_one_that_is_missing(read: list[str]) -> None:
    assert names(sealed(name="(1)")) == ["name", "shade"]
    assert read == ["(1)"]
    assert names([], closed=True) == ["name", "shade"]
    assert read == ["(1)"]
