import pytest
from msgspec.structs import replace

from scoring_service.metrics import measure
from scoring_service.metrics.answer_distribution import answer_distribution, is_position_biased
from scoring_service.metrics.scored_questions import ScoredQuestion, ScoredQuestions
from tests.toy_benchmarks.toy import CARD
from tests.unit.scoring_service.metrics.judged import mark
from tetrad.contracts.metrics import AnswerDistribution

METRIC = AnswerDistribution(name="answers", help="", where={"question": ("which",)})


def answered(*counts: int) -> list[ScoredQuestion]:
    labels = [label for label, count in zip("1234", counts, strict=False) for _ in range(count)]
    return [replace(mark(number), answer=label) for number, label in enumerate(labels)]


def shares(scored: list[ScoredQuestion]) -> tuple[float | None, dict[str, float | None], float | None]:
    overall, *places, test = answer_distribution(METRIC, ScoredQuestions.of(scored))
    assert test.facets == {"test": "position-biased"}
    return overall.value, {value.facets["answer"]: value.value for value in places}, test.value


def test_a_model_that_always_takes_the_first_is_marked() -> None:
    assert shares(answered(200)) == (1.0, {"1": 1.0}, 1.0)


def test_even_answers_are_not_marked() -> None:
    assert shares(answered(52, 48, 51, 49)) == (0.26, {"1": 0.26, "2": 0.24, "3": 0.255, "4": 0.245}, 0.0)


def test_answers_that_were_not_read_do_not_count() -> None:
    value, places, _ = shares([*answered(1, 3), mark(9, None)])
    assert (value, places) == (0.75, {"1": 0.25, "2": 0.75})


def test_no_answers_have_no_distribution() -> None:
    assert shares([mark(0, None)]) == (None, {}, None)


@pytest.mark.parametrize(
    ("counts", "biased"),
    [
        ([191, 193, 193, 193], False),
        ([400, 124, 123, 123], True),
        ([770], True),
        ([3, 1], False),
        ([26_500, 24_500, 24_500, 24_500], False),
        ([35, 22, 22, 21], False),
        ([], False),
    ],
)
def test_a_bias_is_marked_if_it_is_certain_and_large(counts: list[int], biased: bool) -> None:  # noqa: FBT001
    assert is_position_biased(counts, 4) is biased


def test_it_is_split_by_facets_and_measured_as_the_card_says() -> None:
    split = AnswerDistribution(name="answers", help="", by=("shape",))
    scored = [*answered(3), *[replace(one, facets={"shape": "abstract"}, answer="2") for one in answered(2)]]
    found = [value for value in answer_distribution(split, ScoredQuestions.of(scored)) if value.facets.get("shape")]
    assert [value.facets.get("answer") for value in found] == [None, "2", None]
    assert measure(CARD, [])
