"""Reports on a fixed corpus: aggregates only, read by the reader that was chosen by name, and never regenerated."""

import csv
import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from scoring_service.aggregates import LEAST_ITEMS, aggregate
from scoring_service.scoring import judge, score
from scoring_service.verification import before_regeneration, can_regenerate, summarise
from tests.integration.scoring import toy
from tetrad.commitments import commitment_of
from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.benchmarks import BenchmarkInfo, CorpusNotice
from tetrad.contracts.items import Choice, ChoiceKey, KeyedQuestion, Question
from tetrad.contracts.metrics import AnswerDistribution, Distribution
from tetrad.contracts.reports import COEFFICIENT, COUNT, DIFFERENCE, SHARE, WEIGHT, Report
from tetrad.extraction import STATEMENT
from tetrad.extraction.answers import extract_answer, find_extractor
from tetrad.internal.draws import DrawKeys, KeyedItem
from tetrad.reporting.item_scores import item_scores
from tetrad.reporting.markdown import CORPUS_ONLY, HOW_TO_VERIFY, report_markdown

REPOSITORY = Path(__file__).parents[3]
DATA = Path(os.environ.get("TETRAD_DATA", REPOSITORY.parent / "shared" / "data"))
SIZE = 30
SEED = toy.seed_of("sub_1")
CARD = replace(
    toy.CARD,
    corpus=CorpusNotice(notice="Fixed.", items=SIZE, least_draw=10, labels_public=False),
    metrics=(*toy.CARD.metrics, replace(toy.CARD.metrics[0], name="by-question", where={}, by=("question", "domain"))),
)
INFO = BenchmarkInfo(card=CARD, bank=toy.BANK)
# What right in a third of the items, which right in every fifth.
ANSWERS = [
    SealedAnswer(item=item, question=name, answer=key if item % every == 0 else wrong)
    for item in range(SIZE)
    for name, every in (("what", 3), ("which", 5))
    for key in [toy.key_of(SEED, item, name)]
    for wrong in [next(label for label in toy.LABELS if label != key)]
]


def made(answers: list[SealedAnswer] | None = None, size: int = SIZE) -> Report:
    given = ANSWERS if answers is None else answers
    return score("sub_1", toy.keys_of(toy.IDENTITY, SEED, size, given), given, CARD, scored_at="now")


def test_no_question_of_a_corpus_is_in_its_report() -> None:
    report = made()
    assert report.aggregates_only
    assert report.questions == []
    assert (report.questions_asked, report.missing) == (SIZE * 2 + 10, 10)
    exact = score("sub_1", toy.keys_of(toy.IDENTITY, SEED, SIZE, ANSWERS), ANSWERS, toy.CARD, scored_at="now")
    assert not exact.aggregates_only
    assert len(exact.questions) == report.questions_asked
    assert exact.answers_digest == report.answers_digest


def test_scores_of_published_items_are_told_where_labels_are_public_alone() -> None:
    assert made().published_scores == {}
    assert CARD.corpus is not None
    public = replace(CARD, corpus=replace(CARD.corpus, labels_public=True))
    keys = toy.keys_of(toy.IDENTITY, SEED, SIZE, ANSWERS)
    report = score("sub_1", keys, ANSWERS, public, scored_at="now")
    name = {item.item: item.questions[0].cluster for item in keys.items}
    exact = score("sub_1", toy.keys_of(toy.IDENTITY, SEED, SIZE, ANSWERS), ANSWERS, toy.CARD, scored_at="now")
    by_item = item_scores(exact, toy.CARD)
    assert by_item
    assert report.published_scores == {name[item]: share for item, share in by_item.items()}
    assert set(report.published_scores.values()) == {0.0, 1.0}
    assert exact.published_scores == {}


def test_shares_are_whole_percents_and_the_total_tells_no_more() -> None:
    values = {(value.name, *value.facets.values()): value for value in made().metrics}
    what = values["what",]
    assert (what.value, what.items) == (0.33, SIZE)
    assert what.total == pytest.approx(9.9)
    assert what.interval is not None
    for number in (what.standard_error, what.interval.lower, what.interval.upper):
        assert number is not None
        assert round(number, 2) == number


def test_where_labels_are_public_numbers_are_exact_and_single_questions_stay_away() -> None:
    public = replace(CARD, corpus=CorpusNotice(notice="Fixed.", items=SIZE, least_draw=10, labels_public=True))
    keys = toy.keys_of(toy.IDENTITY, SEED, SIZE, ANSWERS)
    told = score("sub_1", keys, ANSWERS, public, scored_at="now")
    exact = score("sub_1", keys, ANSWERS, replace(CARD, corpus=None), scored_at="now")
    assert (told.headline, told.metrics) == (exact.headline, exact.metrics)
    assert told.metrics != made().metrics
    assert (told.questions, told.aggregates_only) == ([], True)


@pytest.mark.parametrize("is_public", [True, False])
def test_who_always_takes_one_place_is_marked_on_a_corpus_too(*, is_public: bool) -> None:
    marked = AnswerDistribution(name="places", help="", where={"question": ("what",)}, places=4)
    notice = CorpusNotice(notice="Fixed.", items=SIZE, least_draw=10, labels_public=is_public)
    card = replace(CARD, corpus=notice, metrics=(*CARD.metrics, marked))
    first = [replace(answer, answer=toy.LABELS[0]) for answer in ANSWERS]
    report = score("sub_1", toy.keys_of(toy.IDENTITY, SEED, SIZE, first), first, card, scored_at="now")
    (flag,) = (value.value for value in report.metrics if value.facets.get("test") == "position-biased")
    assert flag == 1


def naming(keys: DrawKeys) -> DrawKeys:
    """Name the mistakes: B is one of its own, all others another."""

    def named(keyed: KeyedQuestion) -> KeyedQuestion:
        outcomes = {label: "rare" if label == "B" else "usual" for label in toy.LABELS if label != keyed.key.label}
        return replace(keyed, key=ChoiceKey(label=keyed.key.label, outcomes=outcomes))

    return replace(keys, items=[replace(item, questions=list(map(named, item.questions))) for item in keys.items])


def test_mistakes_of_a_corpus_are_told_as_whole_percents_of_ten_items_or_more() -> None:
    distribution = Distribution(name="mistakes", help="", outcome="mistake", by=("question", "domain"))
    card = replace(CARD, metrics=(*CARD.metrics, distribution))
    answers = [answer for answer in ANSWERS if answer.item < 24]
    keys = naming(toy.keys_of(toy.IDENTITY, SEED, SIZE, answers))
    told = score("sub_1", keys, answers, card, scored_at="now")
    exact = score("sub_1", keys, answers, replace(card, corpus=None), scored_at="now")
    assert sum("mistake" in result.outcome for result in exact.questions) > LEAST_ITEMS
    assert told.questions == []
    listed, every = ([one for one in report.metrics if one.name == "mistakes"] for report in (told, exact))
    assert {one.facets["mistake"] for one in listed} == {"usual", "rare"}
    assert len(listed) < len(every), "groups of few items are left out"
    for value in listed:
        assert value.items >= LEAST_ITEMS
        assert value.value is not None
        assert round(value.value, 2) == value.value
        assert value.total == pytest.approx(round(value.value * value.items, 2))


@pytest.mark.parametrize(
    ("unit", "number", "rounded", "total"),
    [
        (SHARE, 0.4567, 0.46, 9.2),
        (DIFFERENCE, -0.1234, -0.12, -2.4),
        (COEFFICIENT, 0.4567, 0.46, 9.2),
        (WEIGHT, 1.2345, 1.2, 0.0),
        (COUNT, 17.0, 20.0, 400.0),
    ],
)
def test_each_unit_is_rounded_in_its_own_way(unit: str, number: float, rounded: float, total: float) -> None:
    exact = score("sub_1", toy.keys_of(toy.IDENTITY, SEED, SIZE, ANSWERS), ANSWERS, toy.CARD, scored_at="now")
    value = replace(
        exact.headline, value=number, unit=unit, items=20, total=number * 20, standard_error=0.0123, highest=None
    )
    told = aggregate(replace(exact, metrics=[value]), CARD).metrics[0]
    assert told.value == rounded
    assert told.total == pytest.approx(total)


def test_groups_of_few_items_are_left_out() -> None:
    report = made()
    groups = [value for value in report.metrics if value.facets]
    assert groups
    assert all(value.items >= LEAST_ITEMS for value in groups)
    listed = {tuple(value.facets.values()) for value in groups if value.name == "by-question"}
    assert ("what", "size") in listed
    assert ("how", "size") not in listed, "asked of 5 items only"


def test_a_value_over_few_items_is_withheld() -> None:
    few = [answer for answer in ANSWERS if answer.item < LEAST_ITEMS - 1]
    report = made(few, size=LEAST_ITEMS - 1)
    assert (report.headline.value, report.headline.total, report.headline.interval) == (None, 0.0, None)
    assert report.headline.items == LEAST_ITEMS - 1


def test_the_page_says_what_it_is_and_offers_no_verification() -> None:
    page = report_markdown(made())
    assert CORPUS_ONLY in page
    assert HOW_TO_VERIFY not in page


def test_a_reader_is_chosen_by_name_for_a_corpus_only() -> None:
    reply = "(A) is wrong; the answer is (C)."
    assert find_extractor({"reader": "first-mention"}) == "first-mention"
    assert [find_extractor(parameters) for parameters in ({}, {"reader": "other"}, {"reader": 3})] == [STATEMENT] * 3
    shape = Choice(labels=toy.LABELS)
    assert extract_answer(shape, None, reply).answer == "C"
    assert extract_answer(shape, None, reply, extractor="first-mention").answer == "A"
    identity = replace(toy.IDENTITY, parameters={"reader": "first-mention"})
    item = next(item for item in range(99) if toy.key_of(SEED, item, "what") == "A")
    answers = [SealedAnswer(item=item, question="what", response=reply)]
    keys = toy.keys_of(identity, SEED, item + 1, answers)
    totals = {card.corpus is None: score("s", keys, answers, card, scored_at="now") for card in (CARD, toy.CARD)}
    assert next(one for one in totals[True].questions if one.item == item).answer == "C"
    assert totals[False].identity.parameters["reader"] == "first-mention"
    asked = [result for _, result in judge(keys, answers, "first-mention")]
    assert next(one for one in asked if one.item == item).reason == "first-mention"


def test_first_mention_scores_every_published_reply_as_published() -> None:
    path = DATA / "kiva" / "replies.csv"
    if not path.exists():
        pytest.skip(f"KiVA's published replies are not at {path}: set TETRAD_DATA to the folder that holds kiva/")
    with path.open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    items = [KeyedItem(item=place, questions=[keyed(place, row["key_letter"])]) for place, row in enumerate(rows)]
    answers = [
        SealedAnswer(item=place, question="which", response=row["full_response"]) for place, row in enumerate(rows)
    ]
    identity = replace(toy.IDENTITY, parameters={"reader": "first-mention"})
    commitment = commitment_of(identity, SEED, len(rows))
    keys = DrawKeys(identity=identity, size=len(rows), seed=SEED, commitment=commitment, items=items)
    results = [result for _, result in judge(keys, answers, find_extractor(identity.parameters))]
    scores = {"correct": "1", "incorrect": "0", "unread": "Null"}
    assert [scores[result.verdict] for result in results] == [row["published_score"] for row in rows]
    report = score("sub_1", keys, answers, CARD, scored_at="now")
    right = sum(row["published_score"] == "1" for row in rows)
    assert report.headline.value == round(right / len(rows), 2)


def keyed(place: int, letter: str) -> KeyedQuestion:
    question = Question(id="which", kind="which", text="", shape=Choice(labels=toy.LABELS), final=True)
    facets = {"question": "which", "domain": "color"}
    return KeyedQuestion(question=question, key=ChoiceKey(label=letter), facets=facets, cluster=str(place))


def test_a_verification_says_that_it_needs_the_corpus() -> None:
    findings = summarise(before_regeneration(made(), INFO))
    assert {finding.check: finding.ok for finding in findings} == {"corpus": False, "bank": True, "commitment": True}
    assert "it needs the corpus itself" in findings[0].found
    assert not can_regenerate(made(), INFO)
    elsewhere = {finding.check: finding.ok for finding in before_regeneration(made(), None)}
    assert elsewhere == {"bank": False, "commitment": True, "corpus": False}


def test_a_forged_report_with_questions_gets_no_key_of_a_corpus_out_of_a_verification() -> None:
    exact = score("sub_1", toy.keys_of(toy.IDENTITY, SEED, SIZE, ANSWERS), ANSWERS, toy.CARD, scored_at="now")
    assert not can_regenerate(exact, INFO)
    assert {finding.check for finding in before_regeneration(exact, INFO)} == {"bank", "commitment", "corpus"}
