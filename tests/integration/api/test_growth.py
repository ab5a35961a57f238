"""Postgres at 100,000 submissions: an index serves every hot query, and few rows are touched.

Which plan Postgres chooses hangs on statistics that it samples. So scans of whole tables, and joins that read both
sides, are switched off here: a plan without them is one that indexes serve, unless there is none.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
import sqlalchemy as sa
from litestar.testing import TestClient
from msgspec import json
from msgspec.structs import replace

from api.app import create_app
from api.boards.board_key import board_of
from api.boards.leaderboards import chance_on
from api.boards.queries import board_query
from api.database import schema
from api.settings import ApiSettings
from api.submissions.events import events_after
from scoring_service.jobs import retention, sweeper
from scoring_service.jobs.turns import KINDS
from tests.integration.api.conftest import Client
from tests.integration.api.scoring import metric, report_on
from tests.integration.api.team import Team
from tests.integration.api.trio import BANK, card
from tetrad.server.clock import now_ms
from tetrad.server.database import insert_rows, make_engine, read_transaction, write_transaction
from tetrad.server.objects import open_store
from tetrad.server.outbox import find_exhausted, lease_next

SUBMISSIONS = 100_000
MODELS = 1_000
BOARDS = 10
STATES = {10: "open", 20: "queued", 30: "void", 40: "failed"}  # of each 5,000, the others are scored
DAY = 86_400_000
MOST_ROWS = 800  # that one node of a plan may touch; the tables have 1,000 rows and more
NEVER_GROW = {"alembic_version"}
BY_INDEX = "SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off"
SERVING = (  # without any one of these a hot query has a fault
    "ix_events_of_submission",
    "ix_rescorings_queued",
    "ix_submissions_of_team",
    "ix_submissions_queued",
    "ix_submissions_row",
    "ix_submissions_scored",
    "ix_submissions_unpruned",
    "ix_submissions_void",
    "ix_verifications_ended",
)
HEADLINE = json.encode(metric(3.0, 4)).decode()
Statement = tuple[str, Any]


def fill(connection: sa.Connection, boards: list[str]) -> None:
    now = now_ms()
    owners = [(f"team_{number:032}", f"mdl_{number:032}") for number in range(MODELS)]
    names = [f"sub_{number:032}" for number in range(SUBMISSIONS)]
    states = [STATES.get(number % 5_000, "scored") for number in range(SUBMISSIONS)]
    connection.execute(sa.text("SET LOCAL session_replication_role = replica"))  # neither triggers nor references
    plain = {"benchmark": "trio", "version": 2, "bank": BANK, "track": "plain", "setting": "full", "parameters": "{}"}
    insert_rows(
        connection,
        schema.teams,
        [{"id": team, "name": f"n{at}", "title": "T", "created_at": 1} for at, (team, _) in enumerate(owners)],
    )
    insert_rows(
        connection,
        schema.keys,
        [
            {"id": f"key_{at}", "team_id": team, "name": "k", "prefix": "p", "hash": f"{at:064}", "scopes": "read"}
            | {"created_at": 1}
            for at, (team, _) in enumerate(owners)
        ],
    )
    insert_rows(
        connection,
        schema.models,
        [{"id": model, "team_id": team, "name": "m", "title": "M", "created_at": 1} for team, model in owners],
    )
    insert_rows(
        connection,
        schema.submissions,
        [
            {
                "id": name,
                "team_id": owners[at % MODELS][0],
                "model_id": owners[at % MODELS][1],
                **plain,
                "board": boards[at // MODELS % BOARDS],
                "size": 4,
                "visibility": "public",
                "nonce": "n",
                "commitment": "c",
                "state": states[at],
                "opened_at": now - 9 * DAY,
                "deadline_at": now + DAY,
                "fetched_at": at,
                "scored_at": at,
                "void_reason": "v",
            }
            for at, name in enumerate(names)
        ],
    )
    insert_rows(connection, schema.reports, [_report(at, name) for at, name in enumerate(names)])
    for kind in ("opened", "scored"):
        insert_rows(
            connection,
            schema.events,
            [{"submission_id": name, "at": at, "kind": kind, "data": "{}"} for at, name in enumerate(names)],
        )
    place = [{"submission_id": name, "item": 0} for name in names]
    asked = {"question": "what-0", "shape": "{}", "pictures": "a.png", "opened_at": 1}
    insert_rows(connection, schema.questions, [{**one, **asked} for one in place])
    insert_rows(connection, schema.answers, [{**one, "question": "what-0", "sealed_at": 1} for one in place])
    insert_rows(connection, schema.items, [{**one, "closing": True, "finished": True} for one in place])
    hours = [now // 3_600_000 - ago for ago in range(3)]
    used = [{"subject": f"items {at:032}", "hour": hour, "amount": 1} for at in range(MODELS) for hour in hours]
    insert_rows(connection, schema.usage_by_hour, used)
    insert_rows(connection, schema.scoring_turns, [{"team_id": team, "used": 1} for team, _ in owners])
    sliced = {"at": 1, "made_by": "x", "body": ""}
    rows = [{"job_id": name, "number": number, **sliced} for name in names[:MODELS] for number in range(3)]
    insert_rows(connection, schema.scoring_slices, rows)
    entry = {"commitment": "c", "at": "2026", "previous": "p", "entry": "e"}
    insert_rows(
        connection,
        schema.commitments,
        [{"number": at + 1, "submission_id": name, **entry} for at, name in enumerate(names)],
    )
    ended = {"object": "o", "state": "done", "created_at": 1, "finished_at": now}
    claims = [(f"ver_{at:032}", owners[at % MODELS][0]) for at in range(SUBMISSIONS // 5)]
    insert_rows(
        connection, schema.verifications, [{"id": name, "asker": team, "bytes": 9, **ended} for name, team in claims]
    )
    sums = [{"asker": team, "bytes": 9 * SUBMISSIONS // 5 // MODELS} for team, _ in owners]
    insert_rows(connection, schema.verification_bytes, sums)
    again = {"batch": "rsb", "reason": "r", "state": "applied", "created_at": 1}
    insert_rows(
        connection,
        schema.rescorings,
        [{"id": f"rsc_{at:032}", "submission_id": name, **again} for at, name in enumerate(names[::5])],
    )
    insert_rows(
        connection,
        schema.board_changes,
        [{"board": board, "subject": model, "version": 1} for board in boards for _, model in owners],
    )
    others = [f"{number:064}" for number in range(BOARDS, 3_000)]
    insert_rows(connection, schema.board_versions, [{"board": board, "version": 1} for board in (*boards, *others)])
    hidden = {"reason": "r", "hidden_at": 1}
    insert_rows(
        connection,
        schema.hidden_rows,
        [{"board": board, "model_id": model, **hidden} for board in boards for _, model in owners[:5]]
        + [{"board": board, "model_id": owners[0][1], **hidden} for board in others],
    )
    approved = {"corpus": "x", "submissions_cap": 1, "approved_at": 1}
    insert_rows(connection, schema.team_approvals, [{"team_id": team, **approved} for team, _ in owners])
    superseded = {"revision": 1, "superseded_at": 1, "reason": "r"}
    insert_rows(
        connection,
        schema.superseded_reports,
        [{**_report(at, name), **superseded} for at, name in enumerate(names[::5])],
    )


def _report(at: int, name: str) -> dict[str, object]:
    counts = {"attempt": 1, "items": 4, "asked": 4, "unread": 0, "missing": 0, "scored_at": at, "total": at % 5.0}
    return {
        "submission_id": name,
        "object": "o",
        "digest": "d",
        "seed": "s",
        "metric": "which",
        "headline": HEADLINE,
        "differences": "[]",
        **counts,
    }


@pytest.fixture
def client(settings: ApiSettings, new_postgres: Callable[[str], str]) -> Iterator[Client]:
    with TestClient(create_app(replace(settings, database_url=new_postgres("growth")))) as client:
        yield client


@contextmanager
def collecting() -> Iterator[list[Statement]]:
    """Collect every statement of every engine, with its parameters."""
    found: list[Statement] = []

    def note(_c: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        found.append((statement, parameters))

    sa.event.listen(sa.Engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", note)


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for below in plan.get("Plans", []):
        yield from nodes(below)


def faults(connection: sa.Connection, statement: str, parameters: Any) -> list[str]:
    """Run the statement under EXPLAIN; return what of its plan grows with the tables."""
    result = connection.exec_driver_sql(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}", parameters).scalar_one()
    found, said = [], " ".join(statement.split())[:400]
    for node in nodes(result[0]["Plan"]):
        touched = (node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) * node["Actual Loops"]
        table = node.get("Relation Name", "")
        if node["Node Type"] == "Seq Scan" and table not in NEVER_GROW:
            found.append(f"a sequential scan of {table} ({touched:.0f} rows): {said}")
        elif touched > MOST_ROWS:
            found.append(f"{node['Node Type']} touches {touched:.0f} rows of {table}: {said}")
    return found


def all_faults(connection: sa.Connection, asked: Mapping[str, Any], without: str | None = None) -> list[str]:
    """Return the faults of all statements, in a database that may lack an index; roll everything back."""
    connection.exec_driver_sql(BY_INDEX)
    if without is not None:
        connection.exec_driver_sql(f"DROP INDEX {without}")
    found = [fault for text, values in asked.items() for fault in faults(connection, text, values)]
    connection.rollback()
    return found


def use_everything(client: Client, old: str) -> None:
    """Do what teams, listeners and workers do all day, with rows of one's own and beside all others'."""
    team = Team.registered(client, "team-one")
    submission = team.open(size=4)
    item = team.questions(submission)[0]
    place, picture = item["item"], item["question"]["pictures"][0]["name"]
    mine = f"submissions/{submission}"
    of_mine = (
        mine,
        f"{mine}/questions",
        f"{mine}/images?pictures={place}/{picture}",
        f"{mine}/items/{place}/images/{picture}",
    )
    of_team = ("teams/me", "models", "keys", "submissions", "submissions?limit=5", "evaluations", "evaluations/queue")
    others = (f"submissions/{old}/revisions", f"verifications/ver_{1:032}")
    for path in (*of_mine, *of_team, *others):
        reply = team.get(f"/v1/{path}")
        assert reply.status_code == 200, (path, reply.text)
    team.answer_all(submission)
    for path in (f"submissions/{old}/report", "commitments", "commitments?after=99000"):  # read, and found damaged here
        assert client.get(f"/v1/{path}").status_code == 503, path
    for page in ("/log", f"/log?submission={submission}", f"/compare?a={old}", f"/compare?a={old}&b={old}"):
        client.get(page)
    row = client.get("/v1/leaderboards/trio?track=plain&limit=1").json()["rows"][0]
    client.get(f"/models/{row['team']}/{row['model']}")
    claim = json.encode({"report": report_on(team.get(f"/v1/submissions/{submission}").json(), 3.0)})
    assert client.post("/v1/verifications", content=claim).status_code == 202
    context = client.app.state.context
    with read_transaction(context.engine) as connection:  # a process asks once, at its first look at a board
        chance_on(connection, board_of(card(2), board_query(card(2), [("track", "plain")]), BANK))
    events_after(context.engine, submission)
    for kind in KINDS:
        lease_next(context.engine, kind.outbox, now_ms(), 1_000, 5, order=kind.order())
        find_exhausted(context.engine, kind.outbox, now_ms(), 5)
    sweeper.queue_expired(context.engine, now_ms())
    sweeper.drop_lapsed(context.engine, sweeper.lapse_unseen(context.engine, now_ms()))
    retention.find_due(context.engine, now_ms())
    sweeper.drop_verifications(context.engine, open_store(context.settings.store_url), now_ms() - DAY)


def test_no_hot_query_reads_what_grows(client: Client) -> None:
    where = board_query(card(2), [("track", "plain")])
    boards = [board_of(card(2), where, BANK), *(f"{number:064}" for number in range(1, BOARDS))]
    engine = make_engine(client.app.state.context.settings.database_url)
    try:
        with write_transaction(engine) as connection:
            fill(connection, boards)
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("VACUUM ANALYZE")
        whole = client.get("/v1/leaderboards/trio?track=plain&limit=500").json()
        assert (len(whole["rows"]), whole["rows"][0]["attempts"]) == (500, 10)
        old = f"sub_{1:032}"
        with collecting() as statements:
            use_everything(client, old)
            with write_transaction(engine) as connection:
                connection.execute(
                    sa.update(schema.submissions).where(schema.submissions.c.id == old).values(fetched_at=5)
                )
            again = client.get("/v1/leaderboards/trio?track=plain&limit=1")
            assert again.status_code == 200
        asked = {
            text: values for text, values in statements if text.lstrip().startswith(("SELECT", "UPDATE", "DELETE"))
        }
        assert len(asked) > 40, json.encode(list(asked))
        with engine.connect() as connection:
            found = all_faults(connection, asked)
            assert not found, "\n".join(found)
            for index in SERVING:
                assert all_faults(connection, asked, without=index), f"nothing is slower without {index}"
    finally:
        engine.dispose()
