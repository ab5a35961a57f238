"""The answer extracted when it was gated on is kept: pictures, and a newer extractor, go by what was opened then."""

from collections.abc import Iterator

import pytest

from generator_service import items
from generator_service.items import picture_names
from generator_service.registry import Registry
from generator_service.sealing.record import Record
from generator_service.sealing.sealed_draws import Sealing
from tetrad.contracts.answers import SealedAnswer
from tetrad.extraction.choice import ExtractedAnswer
from tetrad.internal.draws import DrawRequest, ItemAnswers

SIZE = 8


@pytest.fixture
def sealing(url: str, registry: Registry) -> Iterator[Sealing]:
    record = Record(url)
    found = Sealing("secret-" * 8, record, registry)
    request = DrawRequest(
        submission="sub_1", nonce="n", benchmark="toy", track="toy", setting="full", parameters={}, size=SIZE
    )
    found.seal(request)
    yield found
    record.close()


def named(index: int) -> SealedAnswer:
    return SealedAnswer(item=index, question="name", answer=None, response=f"Option {index % 4 + 1}.")


def ask(sealing: Sealing, *answers: SealedAnswer) -> list[list[str]]:
    entries = [
        ItemAnswers(item=index, answers=[answer for answer in answers if answer.item == index]) for index in range(SIZE)
    ]
    return [[question.id for question in asked.questions] for asked in sealing.ask("sub_1", entries)]


def pictures(sealing: Sealing, index: int) -> set[str]:
    _, item = sealing.opened_item("sub_1", index)
    return {picture.name for keyed in item.questions for picture in keyed.question.pictures}


def test_what_was_gated_on_counts_without_being_sent_again(sealing: Sealing) -> None:
    opened = ask(sealing, *map(named, range(SIZE)))
    assert ["name", "half"] in opened
    assert ["name", "shade"] in opened
    assert ask(sealing) == opened
    for index, questions in enumerate(opened):
        assert pictures(sealing, index) == ({"1"} if "shade" not in questions else {"1", "2", "3", "4", "5"})


def test_a_draw_that_was_read_a_moment_ago_shows_what_another_process_opened_since(
    sealing: Sealing, url: str, registry: Registry
) -> None:
    record = Record(url)
    other = Sealing("secret-" * 8, record, registry)
    sealing.opened_item("sub_1", 0, ["1"])
    opened = ask(other, *map(named, range(SIZE)))
    is_closed = [index for index, questions in enumerate(opened) if "shade" not in questions]
    for index in range(SIZE):
        _, item = sealing.opened_item("sub_1", index, ["5"])
        assert ("5" in picture_names(item)) == (index not in is_closed)
    other.reveal("sub_1", [named(index) for index in range(SIZE)])
    assert all("5" in picture_names(sealing.opened_item("sub_1", index, ["5"])[1]) for index in range(SIZE))
    record.close()


def test_an_extractor_that_reads_otherwise_changes_nothing_of_what_was_asked(
    sealing: Sealing, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [named(index) for index in range(SIZE)]
    opened = ask(sealing, *answers)
    monkeypatch.setattr(items, "extract_from", lambda *_: ExtractedAnswer(answer=None, reason="none"))
    assert ask(sealing, *answers) == opened
    revealed = sealing.reveal("sub_1", answers).items
    whole = [["name", "half", "shade"] if ids == ["name", "half"] else ids for ids in opened]
    assert [[keyed.question.id for keyed in item.questions] for item in revealed] == whole
