"""Fixed corpora over the real services: mounted, approved, opened, answered by a constant, reported in aggregates."""

from collections import Counter
from collections.abc import Iterator

import pytest
import sqlalchemy as sa

from api.teams.approvals import approve
from tests.answering import answer_all, open_submission, wait_scored
from tests.instance import Instance
from tetrad.cli.team.verify import wait_for
from tetrad.client import Client, ServiceError
from tetrad.contracts.reports import Report
from tetrad.contracts.submissions import OpenQuestion

KIVA, MARVEL = "kiva-published", "marvel-published"
ITEMS = {KIVA: 28, MARVEL: 12}


def approve_for(instance: Instance, team: Client, corpus: str, cap: int = 5) -> None:
    engine = sa.create_engine(f"sqlite:///{instance.data_directory.folder}/tetrad.sqlite")
    with engine.begin() as connection:
        approve(connection, team.team().id, corpus, cap, 0)
    engine.dispose()


@pytest.fixture(scope="module")
def team(instance: Instance) -> Iterator[Client]:
    with instance.team("corpora") as client:
        for corpus in ITEMS:
            approve_for(instance, client, corpus)
        yield client


def scored_by(team: Client, corpus: str, model: str, **change: object) -> Report:
    place = {"benchmark": corpus, "track": corpus, "setting": "full", "size": ITEMS[corpus]}
    submission = open_submission(team, model, **place, **change)
    answer_all(team, submission.id, constant)
    return wait_scored(team, submission.id)


def constant(asked: OpenQuestion) -> str:
    """Say the first option, and one number of panels."""
    return asked.question.options[0].label if asked.question.options else "4"


def second(asked: OpenQuestion) -> str:
    """Say the second option, and one number of panels."""
    return asked.question.options[1].label if asked.question.options else "4"


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


def test_a_team_without_approval_is_refused_and_told_whom_to_ask(instance: Instance) -> None:
    with instance.team("not-approved") as stranger:
        with pytest.raises(ServiceError, match="for approved teams only") as refused:
            scored_by(stranger, MARVEL, "curious")
        assert refused.value.problem.status == 403
        approve_for(instance, stranger, MARVEL, cap=1)
        scored_by(stranger, MARVEL, "curious")
        with pytest.raises(ServiceError, match="opened 1 of its 1 submissions"):
            scored_by(stranger, MARVEL, "curious")


def test_items_boards_and_practice_say_why_there_is_nothing(team: Client, marvel: Report) -> None:
    with pytest.raises(ServiceError, match="fixed corpus") as refused:
        team.revealed_items(marvel.submission)
    assert refused.value.problem.status == 403
    for corpus in ITEMS:
        board = team.leaderboard(corpus, track=corpus, setting="full")
        assert board.rows == []
        assert "unranked" in (board.notice or "")
        with pytest.raises(ServiceError, match="fixed corpus"):
            team.practice(corpus, track=corpus, setting="full")


def test_two_models_are_compared_item_by_item_where_labels_are_public(team: Client, marvel: Report) -> None:
    assert set(marvel.published_scores.values()) == {0.0, 1.0}
    assert sum(marvel.published_scores.values()) == 3, "choice 1 is right in 3 of 12"
    place = {"benchmark": MARVEL, "track": MARVEL, "setting": "full", "size": ITEMS[MARVEL]}
    submission = open_submission(team, "second-choice", **place)
    answer_all(team, submission.id, second)
    other = wait_scored(team, submission.id)
    assert other.commitment != marvel.commitment
    compared = team.compare(marvel.submission, other.submission)
    assert (compared.pairing, compared.items_a) == ("paired", 12)
    assert compared.mcnemar is not None
    assert compared.mcnemar.only_a == 3
    assert compared.score_b == pytest.approx(other.headline.value or 0)


def test_a_verification_confirms_nothing_and_says_that_it_needs_the_corpus(team: Client, marvel: Report) -> None:
    verification = wait_for(team, team.verify(marvel))
    assert verification.confirmed is False
    failed = [finding for finding in verification.findings if not finding.ok]
    assert [finding.check for finding in failed] == ["corpus"]
    assert "it needs the corpus itself" in failed[0].found


def test_the_page_of_a_report_says_that_it_is_of_a_fixed_corpus(team: Client, kiva: Report) -> None:
    page = team.report_text(kiva.submission, "markdown")
    assert "A fixed corpus: its items can't be redrawn" in page
    assert "reader first-mention" in page
