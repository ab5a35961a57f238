from msgspec.structs import replace

from scoring_service.metrics.group import group_accuracy
from scoring_service.metrics.scored_questions import ScoredQuestion, ScoredQuestions
from tests.unit.scoring_service.metrics.judged import mark
from tetrad.contracts.metrics import GroupAccuracy

COUNTS = ("first", "second", "all")
METRIC = GroupAccuracy(name="perc-c", help="", where={"kind": COUNTS}, by=("configuration",))


def item(number: int, *verdicts: bool, cluster: str = "", configuration: str = "matrix") -> list[ScoredQuestion]:
    return [
        replace(
            mark(number, verdict, kind="coarse", cluster=cluster, configuration=configuration),
            facets={"kind": kind, "configuration": configuration},
        )
        for kind, verdict in zip(COUNTS, verdicts, strict=False)
    ]


def test_an_item_counts_only_if_all_its_questions_are_right() -> None:
    scored = [*item(0, True, True, True), *item(1, True, True, False), *item(2, True, False, True)]
    overall, matrix = group_accuracy(METRIC, ScoredQuestions.of(scored))
    assert (overall.value, overall.items, overall.questions) == (1 / 3, 3, 9)
    assert matrix.facets == {"configuration": "matrix"}
    assert overall.interval is not None
    assert overall.interval.method == "wilson"


def test_an_unread_answer_is_not_right() -> None:
    scored = [*item(0, True, True, True)[:2], replace(mark(0, None, kind="coarse"), facets={"kind": "all"})]
    assert group_accuracy(METRIC, ScoredQuestions.of(scored))[0].value == 0.0


def test_half_a_group_is_none() -> None:
    (overall,) = group_accuracy(METRIC, ScoredQuestions.of(item(0, True, True)))
    assert (overall.value, overall.items) == (None, 0)


def test_items_of_one_cluster_are_averaged_first() -> None:
    scored = [
        *item(0, True, True, True, cluster="one"),
        *item(1, True, True, False, cluster="one"),
        *item(2, True, True, True, configuration="sequence"),
    ]
    overall, *split = group_accuracy(METRIC, ScoredQuestions.of(scored))
    assert (overall.value, overall.items) == (0.75, 2)
    assert overall.interval is not None
    assert overall.interval.method != "wilson"
    assert [(value.facets["configuration"], value.value) for value in split] == [("matrix", 0.5), ("sequence", 1.0)]
