"""What a report gives to gates: scores by item, by what items share, or by published item."""

import msgspec

from tests.integration.api.trio import card
from tests.unit.tetrad.reporting.test_item_scores import report, result
from tetrad.ci.applying import apply_gates
from tetrad.ci.measured import Place, of_report
from tetrad.ci.result import Thresholds
from tetrad.contracts.metrics import Accuracy
from tetrad.contracts.reports import Report
from tetrad.reporting.item_scores import first_items

CARD = msgspec.structs.replace(
    card(2),
    metrics=(Accuracy(name="which", where={"stage": ("which",)}, by=(), help="which"),),
    headline=msgspec.structs.replace(card(2).headline, metric="which"),
)


def sharing() -> Report:
    """Return a report of five items; those of photograph p are right, wrong, right, and one of q is right."""
    verdicts = [("", "correct"), ("p", "correct"), ("q", "correct"), ("p", "incorrect"), ("p", "correct")]
    results = [
        msgspec.structs.replace(result(item, "which-0", verdict), cluster=cluster)
        for item, (cluster, verdict) in enumerate(verdicts)
    ]
    return report(1 + 2 / 3 + 1, 3, *results)


def test_items_that_share_a_picture_are_one_item_at_the_place_of_the_first() -> None:
    made = of_report(CARD, sharing(), "mine")
    scores = {place.item: score for place, score in made.scores.items()}
    assert scores == {0: 1.0, 1: 2 / 3, 2: 1.0}
    assert first_items(sharing()) == {1: 1, 2: 2, 3: 1, 4: 1}
    assert [(place.item, answer) for place, _, answer, _ in made.wrong] == [(3, None)], "its own place, to be shown"
    assert (made.asked, made.sample.count) == (5, 3)


def test_published_items_have_the_same_place_in_every_draw() -> None:
    def on_corpus(submission: str, scores: dict[str, float]) -> Report:
        empty = report(sum(scores.values()), len(scores))
        return msgspec.structs.replace(
            empty, submission=submission, aggregates_only=True, questions_asked=9, unread=2, published_scores=scores
        )

    ours = of_report(CARD, on_corpus("sub_1", {"t1": 1.0, "t2": 0.0, "t3": 1.0}), "mine")
    theirs = of_report(CARD, on_corpus("sub_2", {"t3": 1.0, "t1": 1.0, "t2": 1.0}), "old")
    assert ours.scores[Place(submission="trio", name="t2")] == 0.0
    assert (ours.asked, ours.unread, ours.sealed, ours.wrong) == (9, 2, True, ())
    (gate,) = apply_gates(Thresholds(allow_drop=0.5), ours, theirs, pairing="published")
    assert "on 3 shared items, only the candidate right on 0, only the baseline on 1" in gate.why


def test_answers_from_replies_that_are_not_complete_are_counted_apart() -> None:
    ends = (
        ("correct", "unknown"),
        ("incorrect", "length"),
        ("unread", "cut"),
        ("correct", "complete"),
        ("correct", None),
    )
    results = [
        msgspec.structs.replace(result(item, "which-0", verdict), stop=stop)
        for item, (verdict, stop) in enumerate(ends)
    ]
    made = of_report(CARD, report(3.0, 5, *results), "mine")
    assert (made.unread, made.incomplete, made.asked) == (1, 2, 5)
