"""From opening to the queue, on both databases."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any
from unittest.mock import patch

import sqlalchemy as sa
from litestar.response.sse import ServerSentEventMessage

from api.database import schema
from api.errors import SubmissionClosedError
from api.paging import cursor_at
from api.routes import submissions as routes
from api.submissions import asking, events, finishing, sealing
from scoring_service.jobs.sweeper import LAPSED, lapse_unseen
from tests.integration.api.conftest import BOTH_DATABASES, Client
from tests.integration.api.team import NONCE, Team, answer_to
from tetrad.contracts.submissions import QuestionPage
from tetrad.server import database
from tetrad.server.scoring_tables import add_event


def test_opening_tells_id_commitment_deadline_and_where_to_go_on(team: Team) -> None:
    body = {"benchmark": "trio", "track": "plain", "model": "model-one", "size": 7, "parameters": {"repeats": 2}}
    reply = team.post("/v1/submissions", body)
    opened = reply.json()
    assert reply.status_code == 201
    assert reply.headers["Location"] == f"/v1/submissions/{opened['id']}" == opened["links"]["self"]
    assert opened["state"] == "open"
    assert opened["identity"]["parameters"] == {"repeats": 2, "shiny": False, "tint": "red", "wording": "standard"}
    assert len(opened["commitment"]) == 64
    assert len(opened["nonce"]) == 32
    assert opened["deadline_at"] > opened["opened_at"]
    assert team.get(reply.headers["Location"]).json() == opened


@BOTH_DATABASES
def test_answering_whatever_opens_finishes_with_the_last_answer(team: Team) -> None:
    submission = team.open(size=5)
    team.answer_all(submission)
    after = team.get(f"/v1/submissions/{submission}").json()
    assert (after["state"], after["finish_reason"]) == ("queued", "complete")
    assert after["progress"] == {"items": 5, "questions_opened": 15, "questions_answered": 15, "items_finished": 5}


def test_wrong_answers_skip_the_second_question(team: Team) -> None:
    submission = team.open(size=4)
    team.answer_all(submission, right=False)
    after = team.get(f"/v1/submissions/{submission}").json()
    assert after["state"] == "queued"
    assert after["progress"]["questions_opened"] == 8


def test_repeats_side_by_side_finish_too(team: Team) -> None:
    submission = team.open(size=3, parameters={"repeats": 3})
    team.answer_all(submission)
    assert team.get(f"/v1/submissions/{submission}").json()["state"] == "queued"


def test_the_last_answer_queues_at_once_and_the_next_pass_is_empty(team: Team) -> None:
    submission = team.open(size=1, setting="which-only")
    team.questions(submission)
    receipt = team.seal(submission, {"item": 0, "question": "which-0", "answer": "A"}).json()
    assert receipt == {"accepted": 1, "unchanged": 0, "dry_run": False, "state": "queued", "answered": 1}
    assert team.questions(submission) == []
    assert team.seal(submission, {"item": 0, "question": "which-0", "answer": "A"}).status_code == 409


def test_a_pass_finishes_what_only_the_generator_knows_to_be_at_its_end(team: Team) -> None:
    submission = team.open(size=2, setting="vague")
    team.questions(submission)
    sealed = [{"item": item, "question": "vague-0", "answer": "A"} for item in (0, 1)]
    assert team.seal(submission, *sealed).json()["state"] == "open"
    assert team.questions(submission) == []
    after = team.get(f"/v1/submissions/{submission}").json()
    assert (after["state"], after["progress"]["items_finished"]) == ("queued", 2)


def test_events_tell_the_life(team: Team) -> None:
    submission = team.open(size=1)
    team.answer_all(submission)
    events = team.get(f"/v1/submissions/{submission}/events").json()
    assert [event["kind"] for event in events] == ["opened", "finished"]
    assert events[1]["data"] == {"reason": "complete"}


@BOTH_DATABASES
def test_finishing_on_request_queues_what_is_there_and_again_changes_nothing(team: Team) -> None:
    submission = team.open()
    refused = team.post(f"/v1/submissions/{submission}/finish")
    assert refused.status_code == 409
    assert "no question" in refused.json()["detail"]
    team.questions(submission)
    first = team.post(f"/v1/submissions/{submission}/finish")
    assert first.status_code == 200
    assert (first.json()["state"], first.json()["finish_reason"]) == ("queued", "request")
    assert team.post(f"/v1/submissions/{submission}/finish").json() == first.json()
    late = team.get(f"/v1/submissions/{submission}/questions")
    assert late.status_code == 409
    assert "queued" in late.json()["detail"]
    assert team.seal(submission, {"item": 0, "question": "what-0", "answer": "A"}).status_code == 409


def test_after_the_deadline_nothing_opens_and_nothing_is_sealed(team: Team, engine: sa.Engine) -> None:
    submission = team.open()
    team.questions(submission)
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE submissions SET deadline_at = 1"))
    for reply in (
        team.get(f"/v1/submissions/{submission}/questions"),
        team.seal(submission, {"item": 0, "question": "what-0", "answer": "A"}),
    ):
        assert reply.status_code == 409
        assert reply.json()["detail"] == "the submission is past its deadline: its sealed answers are being scored"


def test_a_submission_that_nobody_saw_says_the_same_of_its_end_everywhere(team: Team, engine: sa.Engine) -> None:
    submission = team.open()
    path = f"/v1/submissions/{submission}"
    waiting = team.post(f"{path}/finish")
    deadline = team.get(path).json()["deadline_at"]
    assert (waiting.status_code, "fetch its questions" in waiting.json()["detail"]) == (409, True)
    assert f"or let it lapse at its deadline, {deadline}: its id is unknown then" in waiting.json()["detail"]
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE submissions SET deadline_at = 1"))
    sealed = team.seal(submission, {"item": 0, "question": "what-0", "answer": "A"})
    replies = [team.get(f"{path}/questions"), sealed, team.post(f"{path}/finish")]
    assert {reply.status_code for reply in replies} == {409}
    [said] = {reply.json()["detail"] for reply in replies}
    assert "within a minute it lapses: its id is unknown then, and its commitment stays in the public log" in said


def test_a_submission_that_scoring_has_marked_as_lapsed_opens_nothing_whatever_the_clock_here(
    team: Team, engine: sa.Engine
) -> None:
    """Its draw is being closed: a question shown now could never be scored."""
    submission = team.open()
    with engine.begin() as connection:
        connection.execute(sa.update(schema.submissions).values(finish_reason=LAPSED))
    refused = team.get(f"/v1/submissions/{submission}/questions")
    assert (refused.status_code, "deadline" in refused.json()["detail"]) == (409, True)
    assert lapse_unseen(engine, now=1) == [submission]


def test_the_cursor_stays_where_it_is_while_answers_arrive(team: Team) -> None:
    submission = team.open(size=6, setting="which-only")
    first = team.get(f"/v1/submissions/{submission}/questions?limit=2")
    assert [one["item"] for one in first.json()["questions"]] == [0, 1]
    following = first.json()["next"]
    address = f"/v1/submissions/{submission}/questions?limit=2"
    assert first.headers["Link"] == f'<{address}&cursor={following}>; rel="next"'
    sealed = [{"item": item, "question": "which-0", "answer": "A"} for item in (0, 1)]
    assert team.seal(submission, *sealed).status_code == 200
    second = team.get(f"{address}&cursor={following}")
    assert [one["item"] for one in second.json()["questions"]] == [2, 3]
    assert f'<{address}>; rel="first"' in second.headers["Link"]
    again = team.get(f"/v1/submissions/{submission}/questions?limit=9")
    assert [one["item"] for one in again.json()["questions"]] == [2, 3, 4, 5]
    assert again.json()["next"] is None
    assert "Link" not in again.headers


def test_all_open_questions_come_as_lines_when_asked_so(team: Team) -> None:
    submission = team.open(size=7)
    reply = team.get(f"/v1/submissions/{submission}/questions?limit=2", Accept="application/x-ndjson")
    assert reply.headers["Content-Type"].startswith("application/x-ndjson")
    lines = reply.text.splitlines()
    assert len(lines) == 7
    assert '"item":6' in lines[-1]


def replies(team: Team, outcome: tuple[bool, ...], *, dry_run: bool) -> list[Any]:
    """Open a submission, answer its items right or wrong, and return all that sealing said."""
    submission = team.open(size=len(outcome))
    team.questions(submission)
    path = f"/v1/submissions/{submission}/answers?dry_run={str(dry_run).lower()}"
    said = []
    for item, right in enumerate(outcome):
        for question in ("what-0", "how-0", "which-0"):
            answer = answer_to(submission, item, question, right=right)
            reply = team.post(path, {"answers": [{"item": item, "question": question, "answer": answer}]})
            said.append((reply.status_code, {**reply.json(), "instance": None, "request_id": None}))
    return said


def test_no_reply_to_answers_depends_on_what_is_right(team: Team) -> None:
    for dry_run in (True, False):
        everything = [replies(team, outcome, dry_run=dry_run) for outcome in product((True, False), repeat=3)]
        assert all(said == everything[0] for said in everything)
        statuses = [status for status, _ in everything[0]]
        assert statuses == [200, 422, 422] * 3


def test_one_upload_cannot_answer_what_its_own_answers_would_open(team: Team) -> None:
    submission = team.open(size=1)
    team.questions(submission)
    sealed = [
        {"item": 0, "question": name, "answer": answer_to(submission, 0, name, right=True)}
        for name in ("what-0", "how-0")
    ]
    reply = team.seal(submission, *sealed)
    assert reply.status_code == 422
    assert [(fault["line"], fault["field"]) for fault in reply.json()["faults"]] == [(2, "question")]
    assert team.get(f"/v1/submissions/{submission}").json()["progress"]["questions_answered"] == 0
    assert [one["question"]["id"] for one in team.questions(submission)] == ["what-0"]


def test_another_team_sees_nothing_of_a_submission(team: Team, client: Client) -> None:
    submission = team.open()
    team.questions(submission)
    other = Team.registered(client, "team-two")
    for path in ("", "/questions", "/events", "/report", "/items", "/items/0/images/what-0-1.png"):
        reply = other.get(f"/v1/submissions/{submission}{path}")
        assert reply.status_code == 404, path
    assert other.post(f"/v1/submissions/{submission}/finish").status_code == 404
    assert other.seal(submission, {"item": 0, "question": "what-0", "answer": "A"}).status_code == 404
    assert other.get("/v1/submissions").json() == {"submissions": [], "next": None}


def test_own_submissions_are_listed_newest_first_in_pages(team: Team) -> None:
    ids = [team.open(size=1) for _ in range(3)]
    first = team.get("/v1/submissions?limit=2").json()
    assert [one["id"] for one in first["submissions"]] == [ids[2], ids[1]]
    rest = team.get(f"/v1/submissions?limit=2&cursor={first['next']}").json()
    assert [one["id"] for one in rest["submissions"]] == [ids[0]]
    assert rest["next"] is None
    assert rest["submissions"][0]["nonce"] == NONCE


def test_a_pass_beyond_the_last_item_is_empty_and_repeating_a_pass_changes_nothing(team: Team) -> None:
    submission = team.open(size=2)
    beyond = cursor_at("questions", 2)
    page = team.get(f"/v1/submissions/{submission}/questions?cursor={beyond}")
    assert page.json() == {"questions": [], "next": None}
    first, second = team.questions(submission), team.questions(submission)
    assert first == second
    assert team.get(f"/v1/submissions/{submission}").json()["progress"]["questions_opened"] == 2


def test_a_stream_of_questions_ends_early_when_the_submission_is_finished_meanwhile(team: Team) -> None:
    submission = team.open(size=4)

    def finished(*_: object, **__: object) -> QuestionPage:
        raise SubmissionClosedError("finished")

    with patch.object(asking, "open_questions", finished):
        reply = team.get(f"/v1/submissions/{submission}/questions?limit=2", Accept="application/x-ndjson")
    assert reply.status_code == 200
    assert len(reply.text.splitlines()) == 2


@BOTH_DATABASES
def test_a_submission_that_is_finished_between_look_and_lock_stays_as_it_is(team: Team) -> None:
    submission = team.open(size=1)
    team.questions(submission)
    whole = database.write_transaction

    @contextmanager
    def slow(engine: sa.Engine) -> Iterator[sa.Connection]:
        with whole(engine) as connection:
            finishing.queue(connection, submission, "complete", 1)
        with whole(engine) as connection:
            yield connection

    with patch.object(finishing, "write_transaction", slow):
        reply = team.post(f"/v1/submissions/{submission}/finish")
    assert reply.json()["finish_reason"] == "complete"


@BOTH_DATABASES
def test_a_submission_that_lapses_between_look_and_lock_is_not_found(team: Team) -> None:
    submission = team.open(size=1)
    whole = database.write_transaction

    @contextmanager
    def slow(engine: sa.Engine) -> Iterator[sa.Connection]:
        with whole(engine) as connection:
            for column in (schema.events.c.submission_id, schema.submissions.c.id):
                connection.execute(sa.delete(column.table).where(column == submission))
        with whole(engine) as connection:
            yield connection

    with patch.object(finishing, "write_transaction", slow):
        assert team.post(f"/v1/submissions/{submission}/finish").status_code == 404


@BOTH_DATABASES
def test_the_same_upload_twice_at_once_is_sealed_once(team: Team) -> None:
    submission = team.open(size=1)
    team.questions(submission)
    answer = {"item": 0, "question": "what-0", "answer": "A"}
    whole = database.read_transaction
    overtakers: list[str] = []

    @contextmanager
    def overtaken(engine: sa.Engine) -> Iterator[sa.Connection]:
        with whole(engine) as connection:
            yield connection
        if not overtakers:
            overtakers.append(submission)
            assert team.seal(submission, answer).json()["accepted"] == 1

    with patch.object(sealing, "read_transaction", overtaken):
        receipt = team.seal(submission, answer).json()
    assert (receipt["accepted"], receipt["unchanged"], receipt["answered"]) == (0, 1, 1)


def test_events_that_come_later_are_followed_with_a_word_now_and_then(team: Team, engine: sa.Engine) -> None:
    submission, ended = team.open(size=1), list[str]()

    async def follow() -> list[ServerSentEventMessage]:
        heard, feed = [], events.EventFeed(engine)
        async for message in routes.follow(engine, feed, submission, 0, lambda: ended.append(submission)):
            heard.append(message)
            if message.comment == "waiting" and len(heard) == 3:
                with engine.begin() as connection:
                    add_event(connection, submission, 1, "void", {})
        await feed.close()
        return heard

    with patch.object(events, "LOOK_SECONDS", 0.01), patch.object(routes, "QUIET_SECONDS", 0.02):
        heard = asyncio.run(follow())
    assert heard[0].retry == 2000
    assert heard[1].event == "opened"
    assert heard[2].comment == "waiting"
    assert heard[-1].event == "void"
    assert ended == [submission]


def test_a_stream_of_a_submission_that_was_scored_again_ends_too(team: Team, engine: sa.Engine) -> None:
    submission, ended = team.open(size=1), list[str]()
    with engine.begin() as connection:
        for kind in ("scored", "rescored"):
            add_event(connection, submission, 1, kind, {})

    async def follow() -> list[str | None]:
        feed = events.EventFeed(engine)
        kinds = [
            message.event
            async for message in routes.follow(engine, feed, submission, 0, lambda: ended.append(submission))
        ]
        await feed.close()
        return kinds

    assert asyncio.run(asyncio.wait_for(follow(), 10)) == [None, "opened", "scored", "rescored"]
    assert ended == [submission]
