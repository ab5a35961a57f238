"""Fixed corpora over the real services: mounted, opened, answered by a constant, reported in aggregates."""

from collections import Counter
from collections.abc import Iterator

import pytest

from tests.answering import answer_all, open_submission, wait_scored
from tests.instance import Instance
from tests.operating import approve_for
from tetrad.client import Client
from tetrad.contracts.reports import Report
from tetrad.contracts.submissions import OpenQuestion

KIVA, MARVEL = "kiva-published", "marvel-published"
ITEMS = {KIVA: 28, MARVEL: 12}


@pytest.fixture(scope="module")
def team(instance: Instance) -> Iterator[Client]:
    with instance.team("corpora") as client:
        for corpus in ITEMS:
            approve_for(instance, client, corpus, cap=5)
        yield client


def scored_by(team: Client, corpus: str, model: str, **change: object) -> Report:
    place = {"benchmark": corpus, "track": corpus, "setting": "full", "size": ITEMS[corpus]}
    submission = open_submission(team, model, **place, **change)
    answer_all(team, submission.id, constant)
    return wait_scored(team, submission.id)


def constant(asked: OpenQuestion) -> str:
    """Say the first option, and one number of panels."""
    return asked.question.options[0].label if asked.question.options else "4"


@pytest.fixture(scope="module")
def kiva(team: Client) -> Report:
    return scored_by(team, KIVA, "constant", parameters={"reader": "first-mention", "repeats": 2})


@pytest.fixture(scope="module")
def marvel(team: Client) -> Report:
    return scored_by(team, MARVEL, "constant")


def test_a_constant_gets_what_the_labels_give_it_and_nothing_of_a_question_is_told(marvel: Report) -> None:
    values = {value.name: value for value in marvel.metrics if not value.facets}
    assert (values["avr"].value, values["avr"].items) == (0.25, 12), "choice 1 is right in 3 of 12"
    assert values["coarse-perception"].value is not None
    assert marvel.questions == []
    assert marvel.aggregates_only
    assert (marvel.questions_asked, marvel.missing, marvel.unread) == (60, 0, 0)
    groups = [value for value in marvel.metrics if value.facets]
    assert {("kind",), ("answer",), ("pattern",), ("test",)} <= {tuple(value.facets) for value in groups}
    assert min(value.items for value in groups) < 10, "its labels are public, so small groups are told, too"
    (flag,) = (value.value for value in groups if value.facets.get("test") == "position-biased")
    assert flag == 1


def test_all_of_kiva_s_stages_are_asked_and_the_reader_is_in_the_report(kiva: Report) -> None:
    assert kiva.identity.parameters == {
        "no_change": 0,
        "presentation": "separate",
        "reader": "first-mention",
        "repeats": 2,
    }
    assert kiva.questions_asked == 28 * 3 * 2
    names = Counter(value.name for value in kiva.metrics if not value.facets)
    assert names["extrapolation"] == names["classification"] == names["specification"] == 1
    assert kiva.headline.value is not None
    assert kiva.headline.total == pytest.approx(kiva.headline.value * kiva.headline.items)
