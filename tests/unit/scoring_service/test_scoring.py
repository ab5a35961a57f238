"""Scoring by hand: the toy's keys, and one answer of every kind."""

import hashlib

import msgspec
import pytest

from api.evaluations.comparing import compare, scored_report
from scoring_service.scoring import ForeignAnswerError, score
from tests.integration.scoring import toy
from tetrad import __version__
from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.inference import StopKind
from tetrad.contracts.reports import Report
from tetrad.extraction import EXTRACTOR_VERSION
from tetrad.reporting.digests import answers_digest
from tetrad.reporting.item_scores import item_scores
from tetrad.reporting.markdown import report_markdown
from tetrad.versions import SCORER_VERSION

SEED = toy.seed_of("sub_1")


def wrong(item: int, question: str) -> str:
    return next(label for label in toy.LABELS if label != toy.key_of(SEED, item, question))


ANSWERS = [
    # item 0: what right from a reply, how wrong, which right
    SealedAnswer(item=0, question="what", response=f"The answer is ({toy.key_of(SEED, 0, 'what')})."),
    SealedAnswer(item=0, question="how", answer=wrong(0, "how")),
    SealedAnswer(item=0, question="which", answer=toy.key_of(SEED, 0, "which")),
    # item 1: what unreadable, so no how; which an illegal label
    SealedAnswer(item=1, question="what", response="I would say it depends."),
    SealedAnswer(item=1, question="which", answer="Z"),
    # item 2: what wrong, which missing; item 3: nothing at all
    SealedAnswer(item=2, question="what", answer=wrong(2, "what")),
]


def made(answers: list[SealedAnswer] | None = None) -> Report:
    given = ANSWERS if answers is None else answers
    return score("sub_1", toy.keys_of(toy.IDENTITY, SEED, 4, given), given, toy.CARD, scored_at="now")


def test_every_question_asked_has_one_verdict() -> None:
    verdicts = {(result.item, result.question): result.verdict for result in made().questions}
    assert verdicts == {
        (0, "what"): "correct",
        (0, "how"): "incorrect",
        (0, "which"): "correct",
        (1, "what"): "unread",
        (1, "which"): "unread",
        (2, "what"): "incorrect",
        (2, "which"): "missing",
        (3, "what"): "missing",
    }


def test_what_was_read_and_why_stand_beside_the_key() -> None:
    results = {(result.item, result.question): result for result in made().questions}
    read, given = results[0, "what"], results[0, "how"]
    assert (read.answer, read.key, read.reason) == (read.key, toy.key_of(SEED, 0, "what"), "explicit-statement")
    assert read.reply_digest == hashlib.sha256(f"The answer is ({read.key}).".encode()).hexdigest()
    assert (given.reason, given.reply_digest) == ("given", None)
    assert (results[1, "which"].answer, results[1, "which"].reason) == (None, "not-an-option")
    assert (results[2, "which"].answer, results[2, "which"].reason) == (None, "nothing-came")


@pytest.mark.parametrize("stop", ["refused", "blocked", "cut"])
def test_a_reply_that_did_not_end_well_is_wrong_whatever_it_says_and_stays_in_the_denominator(stop: StopKind) -> None:
    right = f"The answer is ({toy.key_of(SEED, 0, 'what')})."
    answers = [SealedAnswer(item=0, question="what", response=right, stop=stop), *ANSWERS[3:]]
    report = made(answers)
    result = next(one for one in report.questions if (one.item, one.question) == (0, "what"))
    assert (result.verdict, result.answer, result.reason, result.stop) == ("unread", None, stop, stop)
    assert result.reply_digest == hashlib.sha256(right.encode()).hexdigest()
    assert (report.stops, report.incomplete) == ({stop: 1}, 0), "it is among those that are unread"
    asked = next(value for value in report.metrics if value.name == "what" and not value.facets)
    assert (asked.value, asked.questions) == (0.0, 4)
    assert f"{stop} 1 (" in report_markdown(report)


@pytest.mark.parametrize("stop", ["length", "unknown"])
def test_a_reply_that_may_have_gone_on_is_read_where_it_states_an_answer_and_counted_as_not_complete(
    stop: StopKind,
) -> None:
    right = f"The answer is ({toy.key_of(SEED, 0, 'what')})."
    report = made([SealedAnswer(item=0, question="what", response=right, stop=stop), *ANSWERS[1:]])
    assert report.questions[0].verdict == "correct"
    assert (report.stops, report.incomplete, report.unread) == ({stop: 1}, 1, made().unread)
    assert "Read from replies that are not complete: 1 (" in report_markdown(report)
    assert (made().stops, made().incomplete) == ({}, 0), "nothing is counted where nobody told"
    ended = made([SealedAnswer(item=0, question="what", response=right, stop="complete"), *ANSWERS[1:]])
    assert ended.incomplete == 0


def test_a_reply_that_begins_inside_thinking_is_marked_and_counted() -> None:
    right = f"It may be (Z).</think>The answer is ({toy.key_of(SEED, 0, 'what')})."
    report = made([SealedAnswer(item=0, question="what", response=right), *ANSWERS[1:]])
    first, *others = report.questions
    assert (first.verdict, first.begins_inside_thinking, report.begin_inside_thinking) == ("correct", True, 1)
    assert not any(result.begins_inside_thinking for result in others)
    assert "Replies that begin inside the model's thinking: 1 (" in report_markdown(report)
    assert "inside the model's thinking" not in report_markdown(made())


def test_what_a_model_extracted_is_counted_and_the_score_without_it_is_there() -> None:
    key = toy.key_of(SEED, 1, "which")
    sealed = SealedAnswer(item=1, question="which", answer=key, response="The one with the hat.")
    report = made([one for one in ANSWERS if (one.item, one.question) != (1, "which")] + [sealed])
    result = next(one for one in report.questions if (one.item, one.question) == (1, "which"))
    assert (result.verdict, result.answer, result.reason) == ("correct", key, "extracted-by-a-model")
    assert result.reply_digest == hashlib.sha256(b"The one with the hat.").hexdigest()
    assert report.headline.value == pytest.approx(2 / 3)
    assert report.extracted_by_model == 1
    assert report.headline_without_model == pytest.approx(1 / 3)
    assert "1 answer was extracted by a model" in report_markdown(report)
    assert "Without them the score is 33.3%" in report_markdown(report)
    assert (made().extracted_by_model, made().headline_without_model) == (0, None)


def test_items_that_are_not_independent_are_named_and_compared_as_one() -> None:
    """Items 0 and 1 show one photograph: their questions have one cluster."""
    keys = toy.keys_of(toy.IDENTITY, SEED, 4, ANSWERS)
    together = [
        msgspec.structs.replace(one, questions=[msgspec.structs.replace(of, cluster="p") for of in one.questions])
        if one.item in {0, 1}
        else one
        for one in keys.items
    ]
    report = score("sub_1", msgspec.structs.replace(keys, items=together), ANSWERS, toy.CARD, scored_at="now")
    assert {(one.item, one.cluster) for one in report.questions} == {(0, "p"), (1, "p"), (2, ""), (3, "")}
    assert {one.cluster for one in made().questions} == {""}
    assert (made().headline.items, report.headline.items) == (3, 2)
    assert item_scores(made(), toy.CARD) == {0: 1.0, 1: 0.0, 2: 0.0}
    assert item_scores(report, toy.CARD) == {0: 0.5, 2: 0.0}
    found = scored_report("sub_1", report, toy.CARD)
    other = found._replace(name="sub_2", scores={"0": 1.0, "2": 0.0})
    compared = compare(found, other)
    assert (compared.pairing, compared.items_a, compared.interval.method) == ("paired", 2, "paired-t")
    assert compared.difference == pytest.approx(0.25)


def test_the_headline_is_the_cards_and_missing_is_wrong() -> None:
    report = made()
    assert report.headline == report.metrics[0]
    assert (report.headline.name, report.headline.facets, report.headline.items) == ("which", {}, 3)
    assert report.headline.value == pytest.approx(1 / 3)  # right, unread, missing
    assert (report.headline.uniform_chance, report.headline.stated_chance) == (0.25, 0.33)
    assert (report.questions_asked, report.unread, report.missing) == (8, 2, 2)


def test_every_declared_metric_is_there_with_its_groups() -> None:
    named = [(value.name, value.facets, value.value) for value in made().metrics]
    assert named == [
        ("which", {}, pytest.approx(1 / 3)),
        ("which", {"domain": "color"}, 0.0),
        ("which", {"domain": "size"}, 0.5),
        ("what", {}, 0.25),
        ("which-after-right", {}, 1.0),
        ("inconsistency", {}, None),
        ("which-less-what", {}, 0.0),
    ]


def test_identity_commitment_seed_and_versions_are_stated() -> None:
    report = made()
    assert (report.identity, report.seed, report.commitment) == (toy.IDENTITY, SEED, toy.commitment("sub_1", 4))
    versions = msgspec.structs.asdict(report.versions)
    assert versions == {
        "tetrad": __version__,
        "benchmark": 1,
        "reader": EXTRACTOR_VERSION,
        "scorer": SCORER_VERSION,
        "bank": toy.BANK,
    }


def test_an_answer_to_a_question_never_asked_is_refused() -> None:
    keys = toy.keys_of(toy.IDENTITY, SEED, 4, ANSWERS)
    stray = SealedAnswer(item=3, question="which", answer="A")
    with pytest.raises(ForeignAnswerError, match="1 answers to questions never asked, the first 'which' of item 3"):
        score("sub_1", keys, [*ANSWERS, stray], toy.CARD, scored_at="now")


def test_the_digest_of_the_answers_changes_with_any_answer_and_not_with_their_order() -> None:
    results = made().questions
    digest = answers_digest(results)
    assert digest == answers_digest(reversed(results)) == made().answers_digest
    for place, result in enumerate(results):
        changed = msgspec.structs.replace(result, answer="Z", verdict="incorrect")
        assert answers_digest([*results[:place], changed, *results[place + 1 :]]) != digest
    other = msgspec.structs.replace(results[0], reply_digest="0" * 64)
    assert answers_digest([other, *results[1:]]) != digest


def test_the_digest_does_not_stumble_over_a_question_claimed_twice() -> None:
    result = made().questions[0]
    twice = [result, msgspec.structs.replace(result, answer=None)]
    assert answers_digest(twice) == answers_digest(twice[::-1]) != answers_digest(twice[:1])


def test_a_report_survives_its_json() -> None:
    report = made()
    assert msgspec.json.decode(msgspec.json.encode(report), type=Report) == report
