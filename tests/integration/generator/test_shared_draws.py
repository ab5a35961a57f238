"""Several submissions share one draw: the same items, answers of their own, and one reveal that closes all of them."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from generator_service.registry import Registry
from generator_service.sealing.record import Record, RecordConflictError
from generator_service.sealing.sealed_draws import Sealing, UnknownDrawError
from tetrad.contracts.answers import SealedAnswer
from tetrad.internal.draws import DrawRequest, ItemAnswers

SIZE = 6
FIRST = DrawRequest(
    submission="sub_1", nonce="n", benchmark="toy", track="toy", setting="full", parameters={}, size=SIZE
)


@pytest.fixture
def sealing(url: str, registry: Registry) -> Iterator[Sealing]:
    record = Record(url)
    found = Sealing("secret-" * 8, record, registry)
    found.seal(FIRST)
    yield found
    record.close()


def share(sealing: Sealing, name: str, of: str = "sub_1") -> str:
    """Seal the draw of one submission for another; return its commitment."""
    return sealing.seal(replace(FIRST, submission=name, nonce="other", shares=of)).commitment


def ask(sealing: Sealing, name: str, *answers: SealedAnswer) -> list[list[str]]:
    entries = [
        ItemAnswers(item=index, answers=[answer for answer in answers if answer.item == index]) for index in range(SIZE)
    ]
    return [[question.id for question in asked.questions] for asked in sealing.ask(name, entries)]


def answer(index: int, option: int) -> SealedAnswer:
    return SealedAnswer(item=index, question="name", response=f"Option {option}.")


def test_what_shares_a_draw_has_its_items_and_its_commitment(sealing: Sealing) -> None:
    commitment = sealing.seal(FIRST).commitment
    assert share(sealing, "sub_2") == share(sealing, "sub_3", of="sub_2") == commitment
    assert sealing.seal(replace(FIRST, submission="sub_9")).commitment != commitment
    for index in range(SIZE):
        scenes = [sealing.opened_item(name, index)[1].scene for name in ("sub_1", "sub_2", "sub_3")]
        assert scenes[0] == scenes[1] == scenes[2]


def test_each_has_answers_of_its_own(sealing: Sealing) -> None:
    share(sealing, "sub_2")
    ask(sealing, "sub_1", *(answer(index, 1) for index in range(SIZE)))
    ask(sealing, "sub_2", *(answer(index, 2) for index in range(SIZE)))
    with pytest.raises(RecordConflictError, match="another answer"):
        ask(sealing, "sub_2", answer(0, 1))


def test_the_reveal_of_one_closes_the_others(sealing: Sealing) -> None:
    share(sealing, "sub_2")
    given = [answer(index, 1) for index in range(SIZE)]
    ask(sealing, "sub_1", *given)
    ask(sealing, "sub_2", answer(0, 2))
    seed = sealing.reveal("sub_1", given).seed
    with pytest.raises(RecordConflictError, match="is revealed"):
        ask(sealing, "sub_2", answer(0, 2), answer(1, 2))
    assert sealing.reveal("sub_2", [answer(0, 2)]).seed == seed


def test_the_reveal_of_a_later_one_closes_the_first(sealing: Sealing) -> None:
    share(sealing, "sub_2")
    sealing.reveal("sub_2", [])
    with pytest.raises(RecordConflictError, match="is revealed"):
        ask(sealing, "sub_1")


def test_a_revealed_draw_is_answered_again(sealing: Sealing) -> None:
    """Whoever does so knows that the seed is public: the api marks the submission."""
    given = [answer(index, 1) for index in range(SIZE)]
    ask(sealing, "sub_1", *given)
    seed = sealing.reveal("sub_1", given).seed
    assert share(sealing, "sub_2") == sealing.seal(FIRST).commitment
    opened = ask(sealing, "sub_2", *(answer(index, 2) for index in range(SIZE)))
    assert all(len(questions) > 1 for questions in opened)
    assert sealing.reveal("sub_2", [answer(index, 2) for index in range(SIZE)]).seed == seed


@pytest.mark.parametrize("change", [{"size": SIZE + 1}, {"setting": "shade-only"}])
def test_another_draw_is_not_shared(sealing: Sealing, change: dict[str, object]) -> None:
    with pytest.raises(RecordConflictError, match="another identity or size"):
        sealing.seal(replace(FIRST, submission="sub_2", shares="sub_1", **change))


def test_no_draw_is_shared_that_is_not_there_or_closed(sealing: Sealing) -> None:
    with pytest.raises(UnknownDrawError):
        share(sealing, "sub_2", of="sub_0")
    sealing.close(["sub_1"])
    with pytest.raises(RecordConflictError, match="is closed"):
        share(sealing, "sub_2")
