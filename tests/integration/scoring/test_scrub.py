"""The scrub: it reads what is kept once a week, goes on where a round or a kill ended it, and tells what is damaged."""

import hashlib
import logging
from pathlib import Path

import msgspec
import pytest
import sqlalchemy as sa

from api.database import schema
from scoring_service.jobs import scrub as module
from scoring_service.jobs.context import WorkerContext
from scoring_service.jobs.scrub import LEASE_MS, WEEK_MS, scrub
from scoring_service.jobs.sweeper import sweep
from tests.damaging import zero_pages
from tests.integration.scoring.rows import add_submission, add_team, add_verification
from tetrad.contracts.reports import IntervalValue, MetricValue
from tetrad.contracts.rescoring import ProposedReport
from tetrad.server.damage import known_damage
from tetrad.server.database import read_rows, write_transaction
from tetrad.server.objects import PROBE, StoreError
from tetrad.server.scoring_tables import reports, rescorings, submissions, superseded_reports, verifications

PATIENCE = 60.0  # seconds of a round: it goes through all objects, however busy the machine is

BODY = b'{"kept": true}'
DIGEST = hashlib.sha256(BODY).hexdigest()
NAMES = {
    "reports": f"reports/sub_1/1-{DIGEST}.json",
    "superseded_reports": f"reports/sub_2/1-{DIGEST}.json",
    "submissions": f"answers/sub_1/{DIGEST}.bin",
    "verifications": f"verifications/ver_1-{DIGEST}.json",
    "rescorings": f"reports/sub_1/rsc_1-1-{DIGEST}.json",
}
BOUNDS = IntervalValue(lower=0, upper=1, level=0.95, method="none")
METRIC = MetricValue(
    name="m", facets={}, value=0.5, interval=BOUNDS, standard_error=None, items=1, questions=1, total=0.5
)


def add_objects(context: WorkerContext) -> None:
    """Keep an object of every kind."""
    for name in NAMES.values():
        context.store.put(name, BODY)
    add_submission(context.engine, "sub_1", state="scored", answers_object=NAMES["submissions"], answers_digest=DIGEST)
    add_submission(context.engine, "sub_2", state="scored")
    add_verification(context.engine, NAMES["verifications"], state="done", finished_at=2**50)
    row = {"attempt": 1, "digest": DIGEST, "seed": "", "metric": "m", "headline": "", "total": 0, "items": 1}
    row |= {"asked": 1, "unread": 0, "missing": 0, "scored_at": 1, "differences": "[]"}
    proposed = ProposedReport(
        revision=2,
        object=NAMES["rescorings"],
        digest=DIGEST,
        headline=METRIC,
        asked=1,
        unread=0,
        missing=0,
        scored_at=1,
        differences=[],
    )
    text = msgspec.json.encode(proposed).decode()
    old = {"submission_id": "sub_2", "superseded_at": 1, "reason": "", "object": NAMES["superseded_reports"]}
    again = {"id": "rsc_1", "batch": "b", "submission_id": "sub_1", "reason": "", "state": "proposed", "created_at": 1}
    with write_transaction(context.engine) as connection:
        connection.execute(sa.insert(reports).values(submission_id="sub_1", object=NAMES["reports"], **row))
        connection.execute(sa.insert(superseded_reports).values(revision=1, **old, **row))
        connection.execute(sa.insert(superseded_reports).values(revision=2, **old, **row))
        connection.execute(sa.insert(rescorings).values(report=text, **again))


def refuse(*_: object) -> None:
    raise StoreError("the bucket is away")


def at(monkeypatch: pytest.MonkeyPatch, now: int) -> None:
    monkeypatch.setattr(module, "now_ms", lambda: now)


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_every_kind_of_object_is_read_and_what_is_damaged_told_until_it_is_whole(
    database: str, context: WorkerContext, request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture
) -> None:
    if database == "postgres":
        postgres = request.getfixturevalue("new_postgres")("scrubbed")
        context = msgspec.structs.replace(context, engine=sa.create_engine(postgres))
        schema.metadata.create_all(context.engine)
        with write_transaction(context.engine) as connection:
            add_team(connection)
    add_objects(context)
    context.store.put(NAMES["reports"], b"")
    context.store.put(NAMES["superseded_reports"], BODY[:5])
    context.store.put(NAMES["rescorings"], BODY.replace(b"true", b"null"))
    context.store.delete(NAMES["submissions"])
    assert scrub(context, PATIENCE) == len(NAMES) + 1
    damaged = {name for table, name in NAMES.items() if table != "verifications"}
    assert set(known_damage(context.engine)) == damaged
    alarms = [record for record in caplog.records if record.message.startswith("alarm")]
    assert {record.levelno for record in alarms} == {logging.ERROR}
    assert len(alarms) == len(damaged)
    context.store.put(NAMES["reports"], BODY)
    with write_transaction(context.engine) as connection:
        connection.execute(sa.update(submissions).values(answers_object=None))
    assert scrub(context) == 0, "once a week"
    assert set(known_damage(context.engine)) == damaged - {NAMES["reports"], NAMES["submissions"]}
    assert len([record for record in caplog.records if record.message.startswith("alarm")]) == len(damaged)
    context.engine.dispose()


def test_a_pass_goes_on_where_a_round_ended_and_begins_again_after_a_week(
    context: WorkerContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_objects(context)
    at(monkeypatch, 1000)
    rounds = [scrub(context, -1) for _ in range(6)]
    assert rounds == [1, 2, 1, 1, 1, 0], "a round without time reads what the rows of one key name"
    assert read_rows(context.engine, sa.select(schema.scrubs.c.ended_at))[0].ended_at is not None
    for later, number in ((WEEK_MS - 1, 0), (WEEK_MS, 6), (2, 6)):
        at(monkeypatch, 1000 + later)
        assert scrub(context, 1000) == number, "a clock that went back ends no scrubbing"


def test_what_is_deleted_while_it_is_read_is_not_damaged(
    context: WorkerContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_objects(context)

    def get_after_a_deletion(name: str) -> bytes | None:
        with write_transaction(context.engine) as connection:
            connection.execute(sa.delete(verifications))
        return None if name == NAMES["verifications"] else BODY

    monkeypatch.setattr(context.store, "get", get_after_a_deletion)
    scrub(context)
    assert known_damage(context.engine) == {}


def test_a_pass_begins_with_a_check_of_the_database(context: WorkerContext) -> None:
    assert scrub(context) == 0
    with write_transaction(context.engine) as connection:
        connection.execute(sa.delete(schema.scrubs))
    context.engine.dispose()
    zero_pages(Path(str(context.engine.url.database)), "idempotency_records")
    scrub(context)
    assert list(known_damage(context.engine)) == ["database"]


def test_a_worker_that_died_in_its_round_is_replaced(context: WorkerContext, monkeypatch: pytest.MonkeyPatch) -> None:
    add_objects(context)
    at(monkeypatch, 1000)
    with monkeypatch.context() as dying:
        dying.setattr(module, "_check", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            scrub(context)
    assert scrub(context) == 0, "its lease lives"
    at(monkeypatch, 1001 + LEASE_MS)
    assert scrub(context, PATIENCE) == len(NAMES) + 1


def test_a_sweep_scrubs_and_a_store_that_is_away_puts_it_off(
    context: WorkerContext, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    add_objects(context)
    with monkeypatch.context() as away:
        away.setattr(context.store, "get", refuse)
        sweep(context)
        down = [vars(record) for record in caplog.records if record.message == "the store is down"]
        assert [said["store"] for said in down] == [context.settings.store_url]
        away.setattr(context.store, "get", lambda name: None if name == PROBE else refuse(name))
        sweep(context)
    assert "reading every object put off" in caplog.text
    assert known_damage(context.engine) == {}
    at(monkeypatch, 2**50)
    context.store.put(NAMES["verifications"], b"")
    sweep(context)
    assert list(known_damage(context.engine)) == [NAMES["verifications"]]
