"""The few tables and columns of the api's database that scoring touches (tests/contracts/test_ledger.py compares).

Times are milliseconds since the epoch, documents are JSON text. `answers` never change. A submission that nobody ever
fetched is deleted from every table. Of a submission scored long ago, the rows of questions,
items and answers are deleted once the answers are in the object store. An open submission with a `finish_reason` is
about to be deleted: the api opens no more of its questions.
"""

import json

import sqlalchemy as sa

metadata = sa.MetaData()

submissions = sa.Table(
    "submissions",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("team_id", sa.String(64), nullable=False),
    sa.Column("benchmark", sa.String(64), nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("bank", sa.String(64), nullable=False),
    sa.Column("track", sa.String(64), nullable=False),
    sa.Column("setting", sa.String(64), nullable=False),
    sa.Column("parameters", sa.Text, nullable=False),
    sa.Column("conversation", sa.String(16), nullable=False),
    sa.Column("size", sa.Integer, nullable=False),
    sa.Column("commitment", sa.String(64), nullable=False),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("deadline_at", sa.BigInteger, nullable=False),
    sa.Column("fetched_at", sa.BigInteger),
    sa.Column("finished_at", sa.BigInteger),
    sa.Column("finish_reason", sa.String(16)),
    sa.Column("scored_at", sa.BigInteger),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("lease_until", sa.BigInteger),
    sa.Column("failure", sa.Text),
    sa.Column("answers_object", sa.String(200)),
    sa.Column("answers_digest", sa.String(64)),
    sa.Column("pruned_at", sa.BigInteger),
    sa.Column("weight", sa.Integer, nullable=False),
    sa.Column("draw_id", sa.String(64)),
)

questions = sa.Table(
    "questions",
    metadata,
    sa.Column("submission_id", sa.String(64), primary_key=True),
    sa.Column("item", sa.Integer, primary_key=True),
)

items = sa.Table(
    "items",
    metadata,
    sa.Column("submission_id", sa.String(64), primary_key=True),
    sa.Column("item", sa.Integer, primary_key=True),
)

answers = sa.Table(
    "answers",
    metadata,
    sa.Column("submission_id", sa.String(64), primary_key=True),
    sa.Column("item", sa.Integer, primary_key=True),
    sa.Column("question", sa.String(64), primary_key=True),
    sa.Column("answer", sa.String(64)),
    sa.Column("response", sa.Text),
    sa.Column("stop", sa.String(24)),
    sa.Column("sealed_at", sa.BigInteger, nullable=False),
)

reports = sa.Table(
    "reports",
    metadata,
    sa.Column("submission_id", sa.String(64), primary_key=True),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("object", sa.String(200), nullable=False),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("seed", sa.String(64), nullable=False),
    sa.Column("metric", sa.String(64), nullable=False),
    sa.Column("headline", sa.Text, nullable=False),
    sa.Column("total", sa.Float, nullable=False),
    sa.Column("items", sa.Integer, nullable=False),
    sa.Column("asked", sa.Integer, nullable=False),
    sa.Column("unread", sa.Integer, nullable=False),
    sa.Column("missing", sa.Integer, nullable=False),
    sa.Column("scored_at", sa.BigInteger, nullable=False),
    sa.Column("differences", sa.Text, nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
)

events = sa.Table(
    "events",
    metadata,
    sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
    sa.Column("submission_id", sa.String(64), nullable=False),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("kind", sa.String(32), nullable=False),
    sa.Column("data", sa.Text, nullable=False),
)

rescorings = sa.Table(
    "rescorings",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("submission_id", sa.String(64), nullable=False),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("finished_at", sa.BigInteger),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("lease_until", sa.BigInteger),
    sa.Column("failure", sa.Text),
    sa.Column("revision", sa.Integer),
    sa.Column("difference", sa.Text),
    sa.Column("report", sa.Text),
)

verifications = sa.Table(
    "verifications",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("object", sa.String(200), nullable=False),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("finished_at", sa.BigInteger),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("lease_until", sa.BigInteger),
    sa.Column("result", sa.Text),
    sa.Column("failure", sa.Text),
    sa.Column("asker", sa.String(64), nullable=False),
    sa.Column("bytes", sa.BigInteger, nullable=False),
)

verification_bytes = sa.Table(
    "verification_bytes",
    metadata,
    sa.Column("asker", sa.String(64), primary_key=True),
    sa.Column("bytes", sa.BigInteger, nullable=False),
)

scoring_slices = sa.Table(
    "scoring_slices",
    metadata,
    sa.Column("job_id", sa.String(64), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("submission_id", sa.String(64)),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("made_by", sa.String(64), nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
)

scoring_turns = sa.Table(
    "scoring_turns",
    metadata,
    sa.Column("team_id", sa.String(64), primary_key=True),
    sa.Column("used", sa.BigInteger, nullable=False),
)

OUTBOXES = (submissions, rescorings, verifications)
"""The tables whose queued rows are work."""


def add_event(connection: sa.Connection, submission: str, at: int, kind: str, data: dict[str, object]) -> None:
    """Tell those who follow the submission what happened to it at `at` (ms)."""
    row = {"submission_id": submission, "at": at, "kind": kind, "data": json.dumps(data)}
    connection.execute(sa.insert(events).values(row))
