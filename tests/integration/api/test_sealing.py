"""Uploads of answers: whole or not at all, and never a word on what is right."""

import gzip
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import msgspec
import pytest
import sqlalchemy as sa

from api.database import schema
from api.database.schema import questions
from api.submissions import sealing, uploads
from api.submissions.finishing import finish_items
from api.submissions.sealing import MOST_REPLY_BYTES, sealed_answers
from tests.integration.api.conftest import BOTH_DATABASES, Client
from tests.integration.api.team import Team, answer_to
from tests.integration.conftest import MakeDatabase
from tetrad.contracts.answers import SealedAnswer
from tetrad.internal.draws import LARGEST_REVEAL
from tetrad.server.database import insert_rows, make_engine, read_transaction, write_transaction

WHICH = {"question": "which-0", "answer": "A"}


def opened(team: Team, size: int = 5, **fields: Any) -> str:
    submission = team.open(size=size, setting="which-only", **fields)
    team.get(f"/v1/submissions/{submission}/questions?limit=500")
    return submission


def upload(team: Team, submission: str, body: bytes, query: str = "", **headers: str) -> httpx.Response:
    path = f"/v1/submissions/{submission}/answers{query}"
    return team.client.post(path, content=body, headers={**team.headers, **headers})


def answered(team: Team, submission: str) -> int:
    return int(team.get(f"/v1/submissions/{submission}").json()["progress"]["questions_answered"])


@BOTH_DATABASES
def test_the_same_answer_again_is_fine_and_another_is_a_conflict(team: Team) -> None:
    submission = opened(team)
    first, second = {"item": 0, **WHICH}, {"item": 1, **WHICH}
    assert team.seal(submission, first, first).json()["unchanged"] == 1
    again = team.seal(submission, first, second).json()
    assert (again["accepted"], again["unchanged"], again["answered"]) == (1, 1, 2)
    assert team.seal(submission, first).json()["answered"] == 2
    changed = team.seal(submission, {**first, "answer": "B"}, {"item": 2, **WHICH})
    assert changed.status_code == 409
    assert [(fault["line"], fault["field"]) for fault in changed.json()["faults"]] == [(1, "answer")]
    as_text = team.seal(submission, {"item": 0, "question": "which-0", "response": "A"})
    assert as_text.status_code == 409
    assert answered(team, submission) == 2


def test_a_conflict_among_other_faults_is_422_with_all_of_them(team: Team) -> None:
    submission = opened(team)
    team.seal(submission, {"item": 0, **WHICH})
    reply = team.seal(submission, {"item": 0, **WHICH, "answer": "B"}, {"item": 9, **WHICH})
    assert reply.status_code == 422
    assert [fault["line"] for fault in reply.json()["faults"]] == [1, 2]


def test_every_kind_of_fault_is_told_and_nothing_is_kept(team: Team) -> None:
    submission = opened(team)
    reply = team.seal(
        submission,
        {"item": 0, **WHICH},
        {"item": 5, **WHICH},
        {"item": 1, "question": "what-0", "answer": "A"},
        {"item": 1, "question": "which-0", "answer": "E"},
        {"item": 2, **WHICH},
        {"item": 2, "question": "which-0", "answer": "B"},
        {"item": 3, "question": "which-0"},
        {"item": 2**60, **WHICH},
    )
    assert reply.status_code == 422
    faults = reply.json()["faults"]
    assert [(fault["line"], fault["field"]) for fault in faults] == [
        (2, "item"),
        (3, "question"),
        (4, "answer"),
        (6, "question"),
        (7, "answer"),
        (8, "item"),
    ]
    assert all(fault["remedy"] for fault in faults)
    assert answered(team, submission) == 0


def test_a_single_fault_is_one_fault(team: Team) -> None:
    reply = team.seal(opened(team), {"item": 9, **WHICH})
    assert reply.json()["detail"].startswith("1 fault; nothing of this upload was kept")


def test_only_the_first_100_faults_are_shown_and_all_are_counted(team: Team) -> None:
    submission = opened(team)
    reply = team.seal(submission, *({"item": 5 + number, **WHICH} for number in range(250)))
    problem = reply.json()
    assert reply.status_code == 422
    assert problem["faults_total"] == 250
    assert problem["detail"].startswith("250 faults; ")
    assert [fault["line"] for fault in problem["faults"]] == list(range(1, 101))


def test_a_dry_run_says_what_would_become_and_keeps_nothing(team: Team) -> None:
    submission = opened(team)
    body = {"answers": [{"item": item, **WHICH} for item in range(5)]}
    reply = team.post(f"/v1/submissions/{submission}/answers?dry_run=true", body)
    assert reply.json() == {"accepted": 5, "unchanged": 0, "dry_run": True, "state": "open", "answered": 0}
    assert answered(team, submission) == 0


def test_lines_and_gzip_are_taken(team: Team) -> None:
    submission = opened(team)
    lines = b"\n".join(json.dumps({"item": item, **WHICH}).encode() for item in range(4))
    kind = {"Content-Type": "application/x-ndjson"}
    assert upload(team, submission, lines, **kind).json()["accepted"] == 4
    packed = upload(team, submission, gzip.compress(lines), **kind, **{"Content-Encoding": "gzip"})
    assert packed.json()["unchanged"] == 4


def test_a_body_longer_than_64_mib_is_refused(team: Team) -> None:
    submission = opened(team)
    reply = upload(team, submission, bytes(64 * 2**20 + 1))
    assert reply.status_code == 413
    assert reply.headers["Content-Type"] == "application/problem+json"
    bomb = gzip.compress(bytes(65 * 2**20))
    assert upload(team, submission, bomb, **{"Content-Encoding": "gzip"}).status_code == 413


@BOTH_DATABASES
def test_an_upload_of_100_000_answers_is_sealed_at_once(team: Team, engine: sa.Engine) -> None:
    submission = opened(team, size=5)
    row = {"submission_id": submission, "question": "which-0", "shape": SHAPE, "pictures": "", "opened_at": 1}
    with write_transaction(engine) as connection:
        insert_rows(connection, questions, [{**row, "item": item} for item in range(5, 100_000)])
        connection.execute(sa.text("UPDATE submissions SET size = 100000"))
    lines = b"\n".join(json.dumps({"item": item, **WHICH}).encode() for item in range(100_000))
    reply = upload(team, submission, lines, **{"Content-Type": "application/x-ndjson"})
    assert reply.status_code == 200
    assert reply.json()["accepted"] == 100_000
    assert answered(team, submission) == 100_000


SHAPE = '{"shape":"choice","labels":["A","B","C","D"]}'


@BOTH_DATABASES
def test_sealing_two_far_items_reads_nothing_of_what_lies_between(team: Team, engine: sa.Engine) -> None:
    submission = opened(team, size=5)
    rest = [{"item": item, "question": "which-0", "response": "A"} for item in (1, 2, 3)]
    assert team.seal(submission, *rest).status_code == 200
    with read_transaction(engine) as connection:
        assert sealed_answers(connection, submission, [0, 2, 4]) == {(2, "which-0"): (None, "A")}
        assert len(sealed_answers(connection, submission, [1, 2, 3])) == 3
    assert team.seal(submission, {"item": 0, **WHICH}, {"item": 4, **WHICH}).json()["state"] == "queued"


@BOTH_DATABASES
def test_50_uploads_at_once_say_the_same_whatever_is_right(team: Team) -> None:
    said = []
    for right in (True, False):
        submission = team.open(size=50)
        team.get(f"/v1/submissions/{submission}/questions?limit=500")

        def send(item: int, submission: str = submission, *, right: bool = right) -> tuple[int, int, list[Any]]:
            answer = answer_to(submission, item, "what-0", right=right)
            first = team.seal(submission, {"item": item, "question": "what-0", "answer": answer})
            early = team.seal(submission, {"item": item, "question": "which-0", "answer": "A"})
            return first.status_code, early.status_code, early.json()["faults"]

        with ThreadPoolExecutor(50) as pool:
            said.append(list(pool.map(send, range(50))))
        assert answered(team, submission) == 50
    assert said[0] == said[1]
    assert {(first, early) for first, early, _ in said[0]} == {(200, 422)}


@BOTH_DATABASES
def test_of_different_answers_at_once_one_is_sealed(team: Team) -> None:
    submission = opened(team)
    choices = ["ABCD"[number % 4] for number in range(24)]
    with ThreadPoolExecutor(24) as pool:
        replies = list(pool.map(lambda choice: team.seal(submission, {"item": 0, **WHICH, "answer": choice}), choices))
    winners = {choice for choice, reply in zip(choices, replies, strict=True) if reply.status_code == 200}
    assert len(winners) == 1
    assert {reply.status_code for reply in replies} == {200, 409}
    assert sum(reply.json()["accepted"] for reply in replies if reply.status_code == 200) == 1
    assert answered(team, submission) == 1


@BOTH_DATABASES
def test_passes_at_once_open_each_question_once(team: Team) -> None:
    submission = team.open(size=20)
    with ThreadPoolExecutor(12) as pool:
        pages = list(pool.map(lambda _: team.get(f"/v1/submissions/{submission}/questions"), range(12)))
    assert {page.status_code for page in pages} == {200}
    assert len({page.text for page in pages}) == 1
    progress = team.get(f"/v1/submissions/{submission}").json()["progress"]
    assert progress["questions_opened"] == 20


def test_whose_submission_it_is_and_whether_it_is_open_is_looked_at_before_the_upload_is_read(
    client: Client, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission, finished = opened(team), opened(team)
    assert team.post(f"/v1/submissions/{finished}/finish").status_code == 200
    read: list[str] = []
    monkeypatch.setattr(uploads, "decompress", lambda *_: read.append("it was read"))
    assert client.post(f"/v1/submissions/{submission}/answers", content=b"garbage").status_code == 401
    assert upload(Team.registered(client, "team-two"), submission, b"garbage").status_code == 404
    assert upload(team, "sub_" + "0" * 32, b"garbage").status_code == 404
    assert upload(team, finished, b"garbage").status_code == 409
    assert not read


def test_replies_of_a_submission_that_no_reveal_could_carry_are_refused_before_any_is_kept(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealing, "MOST_REPLY_BYTES", 100)
    submission = opened(team, size=4)
    half, quotes = {"question": "which-0", "response": "x" * 46 + "so A"}, {"question": "which-0", "response": '"' * 24}
    for answer in ({"item": 0, **half}, {"item": 0, **half}):  # the same again takes no room
        assert team.seal(submission, answer).status_code == 200
    for query in ("", "?dry_run=true"):
        refused = upload(team, submission, json.dumps({"answers": [{"item": 1, **half}]}).encode(), query)
        assert refused.status_code == 413
        assert refused.json()["faults"] == [
            {
                "field": "answers",
                "value": None,
                "problem": "hold 52 bytes of replies; a submission may have 100, counted as JSON, and 48 are left",
                "remedy": "send the option as answer, or as response only the end of each reply, which usually holds "
                "the answer",
                "line": None,
            }
        ]
    assert team.seal(submission, {"item": 1, **quotes}).status_code == 413, "each mark is two bytes of JSON"
    assert team.seal(submission, {"item": 1, **quotes, "response": '"' * 23}).status_code == 200
    assert team.seal(submission, {"item": 2, **WHICH}, {"item": 3, **WHICH}).json()["state"] == "queued"


def test_what_all_uploads_may_bring_fits_one_reveal() -> None:
    """Longest names and options, and 30 questions an item of the largest draw; no benchmark asks more than 9."""
    longest = SealedAnswer(item=10_000, question="q" * 64, answer="a" * 64)
    assert MOST_REPLY_BYTES + 300_000 * len(msgspec.json.encode(longest) + b",") < LARGEST_REVEAL


def test_before_there_are_statistics_postgres_touches_what_is_sealed_a_few_times(
    new_postgres: MakeDatabase, migrated_postgres: str
) -> None:
    """As after an installation. A join row by row would touch millions of rows of a submission of 500 items."""
    items, asked = 500, ("what-0", "which-0", "why-0")
    engine = make_engine(new_postgres("fresh", migrated_postgres))
    place = [{"submission_id": "sub_1", "item": item} for item in range(items)]
    named = [{**where, "question": question} for where in place for question in asked]
    with write_transaction(engine) as connection:
        connection.exec_driver_sql("SET LOCAL session_replication_role = replica")  # without the submission itself
        insert_rows(connection, schema.items, [{**where, "closing": True, "finished": False} for where in place])
        insert_rows(
            connection,
            schema.questions,
            [{**where, "shape": "{}", "pictures": "a.png", "opened_at": 1} for where in named],
        )
        insert_rows(connection, schema.answers, [{**where, "sealed_at": 1} for where in named[:-1]])
    with write_transaction(engine) as connection:
        assert finish_items(connection, "sub_1", 0, items - 1) == items - 1
        read = "SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) FROM pg_stat_xact_user_tables"
        touched = connection.exec_driver_sql(read).scalar()
    engine.dispose()
    assert touched is not None
    assert touched < 4 * (len(place) + 2 * len(named))
