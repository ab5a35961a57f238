"""Conversations over the api: open questions carry the earlier turns, and boards keep the two ways of asking apart."""

import io
import tarfile
from typing import Any
from unittest.mock import patch

import httpx
import pytest
from msgspec import json

from api.submissions import asking
from tests.integration.api.conftest import Client
from tests.integration.api.operator import Operator
from tests.integration.api.scoring import Scoring, finished
from tests.integration.api.team import NONCE, OPENED, Team, answer_to
from tests.integration.api.trio import picture_of
from tests.integration.real_generator import seed_of
from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.items import Number, Question
from tetrad.internal.draws import AskedItem
from tetrad.prompting.turns import joined_questions
from tetrad.rows.png_content import png_content


def answer(submission: str, item: int, question: str, *, right: bool = True) -> dict[str, Any]:
    return {"item": item, "question": question, "answer": answer_to(submission, item, question, right=right)}


def reply(submission: str, item: int, question: str) -> dict[str, Any]:
    """Return a reply from which the right answer is extracted."""
    label = answer_to(submission, item, question, right=True)
    return {"item": item, "question": question, "response": f"I thought of {question}. The answer is ({label})."}


def turns(asked: dict[str, Any]) -> list[tuple[str, str | None, str | None]]:
    return [(turn["question"]["id"], turn["answer"], turn["response"]) for turn in asked["earlier"]]


def test_a_question_of_a_conversation_carries_the_turns_before_it_as_they_were_sealed(team: Team) -> None:
    submission = team.open(size=2, setting="dialogue")
    assert [turns(one) for one in team.questions(submission)] == [[], []]
    first, second = reply(submission, 0, "what-0"), answer(submission, 1, "what-0")
    team.seal(submission, first, second)
    asked = team.questions(submission)
    assert [(one["item"], one["question"]["id"]) for one in asked] == [(0, "how-0"), (1, "how-0")]
    assert turns(asked[0]) == [("what-0", None, first["response"])]
    assert turns(asked[1]) == [("what-0", second["answer"], None)]
    third = reply(submission, 0, "how-0")
    team.seal(submission, third)
    last = team.questions(submission)[0]
    assert turns(last) == [("what-0", None, first["response"]), ("how-0", None, third["response"])]
    shown = [picture for turn in last["earlier"] for picture in turn["question"]["pictures"]]
    assert len(shown) == 4
    for picture in shown:
        content = team.get(httpx.URL(picture["url"]).path).content
        assert png_content(content) == picture_of(seed_of(submission, NONCE), 0, picture["name"], OPENED[submission])


@pytest.mark.parametrize("setting", ["full", "dialogue"])
def test_questions_in_fresh_contexts_carry_nothing(team: Team, setting: str) -> None:
    submission = team.open(size=1, setting=setting, conversation="fresh")
    team.seal(submission, *[reply(submission, 0, one["question"]["id"]) for one in team.questions(submission)])
    (asked,) = team.questions(submission)
    assert (asked["question"]["id"], asked["earlier"]) == ("how-0", [])


def test_every_repeat_is_a_conversation_of_its_own(team: Team) -> None:
    submission = team.open(size=1, setting="dialogue", parameters={"repeats": 2})
    assert {one["question"]["id"] for one in team.questions(submission)} == {"what-0", "what-1"}
    sealed = [reply(submission, 0, "what-0"), answer(submission, 0, "what-1", right=False)]
    team.seal(submission, *sealed)
    asked = {one["question"]["id"]: turns(one) for one in team.questions(submission)}
    assert asked == {
        "how-0": [("what-0", None, sealed[0]["response"])],
        "which-1": [("what-1", sealed[1]["answer"], None)],
    }


def plain(*names: str) -> AskedItem:
    return AskedItem(item=7, questions=[Question(id=name, kind=name, text="?", shape=Number()) for name in names])


def test_questions_that_are_open_together_are_joined_one_after_the_other() -> None:
    everything = plain("rows", "columns", "puzzle")
    asked, sealed = [], list[SealedAnswer]()
    while joined := joined_questions(7, everything.questions, sealed):
        (one,) = joined
        asked.append((one.question.id, [turn.question.id for turn in one.earlier]))
        sealed.append(SealedAnswer(item=7, question=one.question.id, answer="3"))
    assert asked == [("rows", []), ("columns", ["rows"]), ("puzzle", ["rows", "columns"])]


def test_an_answer_to_a_question_that_was_not_offered_yet_is_no_turn_before_an_earlier_one() -> None:
    early = [SealedAnswer(item=7, question="puzzle", answer="3")]
    (one,) = joined_questions(7, plain("rows", "puzzle").questions, early)
    assert (one.question.id, one.earlier) == ("rows", ())
    both = [*early, SealedAnswer(item=7, question="rows", answer="1")]
    assert joined_questions(7, plain("rows", "puzzle").questions, both) == []


def test_a_page_ends_early_rather_than_carry_too_many_replies(team: Team) -> None:
    submission = team.open(size=5, setting="dialogue")
    team.questions(submission)
    team.seal(submission, *[reply(submission, item, "what-0") for item in range(5)])
    length = len(reply(submission, 0, "what-0")["response"])
    with patch.object(asking, "MOST_CARRIED", length):
        first = team.get(f"/v1/submissions/{submission}/questions").json()
        assert [one["item"] for one in first["questions"]] == [0, 1]
        assert [one["item"] for one in team.questions(submission)] == [0, 1, 2, 3, 4]
        lines = team.get(f"/v1/submissions/{submission}/questions?format=ndjson").text.splitlines()
    assert [json.decode(line)["item"] for line in lines] == [0, 1, 2, 3, 4]


def test_a_bundle_holds_the_earlier_turns_and_their_pictures_once(team: Team) -> None:
    submission = team.open(size=2, setting="dialogue")
    team.questions(submission)
    team.seal(submission, *[reply(submission, item, "what-0") for item in range(2)])
    team.questions(submission)
    team.seal(submission, *[reply(submission, item, "how-0") for item in range(2)])
    content = team.get(f"/v1/submissions/{submission}/questions?format=tar").content
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        names = archive.getnames()
        lines = archive.extractfile("questions.ndjson")
        assert lines is not None
        asked = [json.decode(line) for line in lines]
    assert [one["question"]["id"] for one in asked] == ["which-0", "which-0"]
    assert [[turn["question"]["id"] for turn in one["earlier"]] for one in asked] == [["what-0", "how-0"]] * 2
    shown = {
        picture["url"]
        for one in asked
        for question in (*(turn["question"] for turn in one["earlier"]), one["question"])
        for picture in question["pictures"]
    }
    assert len(shown) == 12
    assert sorted(names) == sorted(["submission.json", "questions.ndjson", *shown])


@pytest.mark.parametrize(
    ("setting", "chosen", "asked"),
    [
        ("full", None, "fresh"),
        ("full", "joined", "joined"),
        ("dialogue", None, "joined"),
        ("dialogue", "as-card", "joined"),
        ("dialogue", "fresh", "fresh"),
        ("which-only", "fresh", "fresh"),
    ],
)
def test_a_submission_says_how_its_questions_are_put(team: Team, setting: str, chosen: str | None, asked: str) -> None:
    declared = {} if chosen is None else {"conversation": chosen}
    submission = team.open(size=1, setting=setting, **declared)
    assert team.get(f"/v1/submissions/{submission}").json()["conversation"] == asked


def test_nothing_is_opened_where_there_is_nothing_to_join(team: Team) -> None:
    before = team.get("/v1/commitments").json()
    body = {"benchmark": "trio", "model": "model-one", "size": 2, "setting": "which-only", "conversation": "joined"}
    refused = team.post("/v1/submissions", body)
    assert refused.status_code == 422
    assert refused.json()["detail"] == (
        "conversation: setting which-only asks one question of an item (its repeats are conversations of their own); "
        "leave it out, or use fresh or as-card"
    )
    assert team.get("/v1/commitments").json() == before
    assert team.get("/v1/leaderboards/trio?setting=which-only&conversation=joined").status_code == 422
    wrong = team.get("/v1/leaderboards/trio?conversation=both")
    assert wrong.json()["faults"][0]["remedy"] == "use one of as-card, fresh, joined"


def test_the_two_ways_of_asking_stand_on_two_boards_and_the_card_s_is_the_default(
    team: Team, client: Client, operator: Operator, scoring: Scoring
) -> None:
    scoring.score(team, finished(team, size=40, setting="dialogue"), total=40.0)
    scoring.score(team, finished(team, size=40, setting="dialogue", conversation="fresh"), total=20.0)

    def board(query: str) -> tuple[str, list[float]]:
        shown = client.get(f"/v1/leaderboards/trio?setting=dialogue{query}").json()
        return shown["conversation"], [row["score"] for row in shown["rows"]]

    assert board("") == board("&conversation=as-card") == board("&conversation=joined") == ("joined", [1.0])
    assert board("&conversation=fresh") == ("fresh", [0.5])
    row = {"team": "team-one", "model": "model-one", "benchmark": "trio", "setting": "dialogue"}
    operator.post("rows/hide", **row, conversation="fresh", reason="leaked")
    assert (board(""), board("&conversation=fresh")) == (("joined", [1.0]), ("fresh", []))


def test_published_figures_stand_where_questions_are_put_as_the_card_says(client: Client) -> None:
    def published(query: str) -> list[str]:
        return [row["name"] for row in client.get(f"/v1/leaderboards/trio?{query}").json()["reference"]]

    assert published("setting=full") == published("setting=full&conversation=fresh") != []
    assert published("setting=full&conversation=joined") == []


def test_a_submission_in_fresh_contexts_stands_on_a_board_of_its_own(
    team: Team, client: Client, scoring: Scoring
) -> None:
    submission = finished(team, size=40, setting="dialogue", conversation="fresh")
    scoring.score(team, submission, total=10.0)
    shown = client.get("/v1/leaderboards/trio?setting=dialogue&conversation=fresh").json()
    assert [one["score"] for one in shown["rows"]] == [0.25]
    assert client.get("/v1/leaderboards/trio?setting=dialogue").json()["rows"] == []
