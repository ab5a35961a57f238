"""The tables of the api's database that scoring touches: the api makes them, and both read and write their rows.

Times are milliseconds since the epoch, documents are JSON text. The api's other tables stand in its `schema.py`. What
scoring may do with these, `api/database/upgrading.py` grants it.

A submission's row is the outbox of its scoring: `state`, `attempt` and `lease_until` say what is due, and Redis only
notifies. `answers` never change. A submission that nobody ever fetched is deleted from every table. Of a submission
scored long ago, the rows of questions, items and answers are deleted once the answers are in the object store. An open
submission with a `finish_reason` is about to be deleted: the api opens no more of its questions.
"""

from collections.abc import Mapping

import msgspec
import sqlalchemy as sa

from tetrad.server.request_ids import LONGEST_ID, LONGEST_TRACEPARENT

metadata = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_name)s",
    }
)


def index_where(name: str, *columns: str, state: str) -> sa.Index:
    """Return an index of the rows in this state, for queries that name it as a literal (`is_state`)."""
    only = sa.text(f"state = '{state}'")
    return sa.Index(name, *columns, postgresql_where=only, sqlite_where=only)


SERIAL = sa.BigInteger().with_variant(sa.Integer, "sqlite")
ON_BOARDS = sa.text("state = 'scored' AND visibility = 'public'")
UNPRUNED = sa.text("pruned_at IS NULL AND scored_at IS NOT NULL")


def request_columns() -> list[sa.Column[object]]:
    """Return the columns of the request that made a row due; null where nobody asked, as at a deadline."""
    return [
        sa.Column("request_id", sa.String(LONGEST_ID)),
        sa.Column("traceparent", sa.String(LONGEST_TRACEPARENT)),
    ]


def report_columns() -> list[sa.Column[object]]:
    """Return new columns, because each belongs to one table."""
    return [
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("object", sa.String(200), nullable=False),  # name of the report's JSON in the object store
        sa.Column("digest", sa.String(64), nullable=False),  # SHA-256 of that JSON
        sa.Column("seed", sa.String(64), nullable=False),
        sa.Column("metric", sa.String(64), nullable=False),
        sa.Column("headline", sa.Text, nullable=False),  # the headline MetricValue as JSON
        sa.Column("total", sa.Float, nullable=False),  # sum of per-item means, for pooling
        sa.Column("items", sa.Integer, nullable=False),
        sa.Column("asked", sa.Integer, nullable=False),
        sa.Column("unread", sa.Integer, nullable=False),
        sa.Column("missing", sa.Integer, nullable=False),
        sa.Column("scored_at", sa.BigInteger, nullable=False),
        sa.Column("differences", sa.Text, nullable=False),  # KeptDifferences as JSON
        sa.Column("by_facet", sa.Text, nullable=False, server_default="[]"),  # KeptFacets as JSON
    ]


submissions = sa.Table(
    "submissions",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("team_id", sa.String(64), sa.ForeignKey("teams.id"), nullable=False),
    sa.Column("model_id", sa.String(64), sa.ForeignKey("models.id"), nullable=False),
    sa.Column("benchmark", sa.String(64), nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("bank", sa.String(64), nullable=False),
    sa.Column("track", sa.String(64), nullable=False),
    sa.Column("setting", sa.String(64), nullable=False),
    sa.Column("parameters", sa.Text, nullable=False),  # JSON, names sorted, every parameter present
    sa.Column("board", sa.String(64), nullable=False),  # digest of everything that makes the board
    sa.Column("conversation", sa.String(16), nullable=False, server_default="fresh"),  # or joined
    sa.Column("size", sa.Integer, nullable=False),
    sa.Column("visibility", sa.String(16), nullable=False),
    sa.Column("nonce", sa.String(128), nullable=False),
    sa.Column("commitment", sa.String(64), nullable=False),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("opened_at", sa.BigInteger, nullable=False),
    sa.Column("deadline_at", sa.BigInteger, nullable=False),
    sa.Column("paused_for", sa.String(128)),  # ITEM or ITEM/PICTURE that can't be shown: see submissions/pausing.py
    sa.Column("paused_at", sa.BigInteger),
    sa.Column("paused_ms", sa.BigInteger, nullable=False, server_default="0"),  # of all pauses that are over
    sa.Column("fetched_at", sa.BigInteger),  # first questions or pictures asked for: from here on it counts
    sa.Column("finished_at", sa.BigInteger),
    sa.Column("finish_reason", sa.String(16)),  # request, complete, deadline
    sa.Column("scored_at", sa.BigInteger),
    sa.Column("attempt", sa.Integer, nullable=False, server_default="0"),
    sa.Column("lease_until", sa.BigInteger),
    sa.Column("failure", sa.Text),
    sa.Column("void_reason", sa.Text),
    sa.Column("opened_count", sa.Integer, nullable=False, server_default="0"),
    sa.Column("answered_count", sa.Integer, nullable=False, server_default="0"),
    sa.Column("finished_items", sa.Integer, nullable=False, server_default="0"),
    sa.Column("reply_bytes", sa.BigInteger, nullable=False, server_default="0"),  # of all its replies, as JSON
    sa.Column("answers_object", sa.String(200)),  # all its answers, in the object store: from here on read there
    sa.Column("answers_digest", sa.String(64)),  # SHA-256 of that object
    sa.Column("pruned_at", sa.BigInteger),  # the rows of its questions, items and answers are gone
    sa.Column("weight", sa.Integer, nullable=False, server_default="1"),  # of its team when scoring divides its time
    sa.Column("evaluation_id", sa.String(64)),  # the service answers it, not its team
    sa.Column("draw_id", sa.String(64), index=True),  # equal for submissions that share one sealed draw
    sa.Column("unranked", sa.Text),  # why it counts on no board; public
    *request_columns(),  # of the request that finished it
    sa.Index("ix_submissions_row", "board", "model_id"),
    sa.Index("ix_submissions_of_team", "team_id", "id"),
    sa.Index("ix_submissions_of_team_by_time", "team_id", "opened_at"),
    index_where("ix_submissions_queued", "id", state="queued"),
    index_where("ix_submissions_open", "deadline_at", state="open"),
    index_where("ix_submissions_open_of_team", "team_id", "deadline_at", state="open"),
    index_where("ix_submissions_void", "board", "id", state="void"),
    sa.Index("ix_submissions_scored", "board", "id", postgresql_where=ON_BOARDS, sqlite_where=ON_BOARDS),
    sa.Index("ix_submissions_unpruned", "scored_at", postgresql_where=UNPRUNED, sqlite_where=UNPRUNED),
)

questions = sa.Table(
    "questions",
    metadata,
    sa.Column("submission_id", sa.ForeignKey("submissions.id"), primary_key=True),
    sa.Column("item", sa.Integer, primary_key=True),
    sa.Column("question", sa.String(64), primary_key=True),
    sa.Column("shape", sa.Text, nullable=False),  # the answer shape as JSON
    sa.Column("pictures", sa.Text, nullable=False),  # names joined by spaces
    sa.Column("opened_at", sa.BigInteger, nullable=False),
)

items = sa.Table(
    "items",
    metadata,
    sa.Column("submission_id", sa.ForeignKey("submissions.id"), primary_key=True),
    sa.Column("item", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("closing", sa.Boolean, nullable=False),  # whatever is unanswered is final: nothing more can open
    sa.Column("finished", sa.Boolean, nullable=False),  # closing, and everything asked is answered
)

answers = sa.Table(
    "answers",
    metadata,
    sa.Column("submission_id", sa.ForeignKey("submissions.id"), primary_key=True),
    sa.Column("item", sa.Integer, primary_key=True),
    sa.Column("question", sa.String(64), primary_key=True),
    sa.Column("answer", sa.String(64)),
    sa.Column("response", sa.Text),
    sa.Column("stop", sa.String(24)),  # the reason why the response ended, if the team sent it
    sa.Column("sealed_at", sa.BigInteger, nullable=False),
)

reports = sa.Table(
    "reports",
    metadata,
    sa.Column("submission_id", sa.ForeignKey("submissions.id"), primary_key=True),
    *report_columns(),
    sa.Column("revision", sa.Integer, nullable=False, server_default="1"),  # incremented by every rescoring
)

superseded_reports = sa.Table(  # the row of `reports` before a rescoring, column for column
    "superseded_reports",
    metadata,
    sa.Column("submission_id", sa.ForeignKey("submissions.id"), primary_key=True),
    sa.Column("revision", sa.Integer, primary_key=True, autoincrement=False),
    *report_columns(),
    sa.Column("superseded_at", sa.BigInteger, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),  # public: why it was scored again
)

events = sa.Table(
    "events",
    metadata,
    sa.Column("id", SERIAL, primary_key=True, autoincrement=True),
    sa.Column("submission_id", sa.ForeignKey("submissions.id"), nullable=False),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("kind", sa.String(32), nullable=False),
    sa.Column("data", sa.Text, nullable=False),
    sa.Index("ix_events_of_submission", "submission_id", "id"),
)

verifications = sa.Table(
    "verifications",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("object", sa.String(200), nullable=False),  # the claimed report, in the object store
    sa.Column("state", sa.String(16), nullable=False),  # queued, done, failed
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("finished_at", sa.BigInteger),
    sa.Column("attempt", sa.Integer, nullable=False, server_default="0"),
    sa.Column("lease_until", sa.BigInteger),
    sa.Column("result", sa.Text),  # findings as JSON
    sa.Column("failure", sa.Text),
    sa.Column("asker", sa.String(64), nullable=False),  # a team's id, or the digest of an address
    sa.Column("bytes", sa.BigInteger, nullable=False, server_default="0"),  # of the object
    *request_columns(),
    sa.Index("ix_verifications_of_asker", "asker", "state"),
    sa.Index("ix_verifications_ended", "finished_at"),
    index_where("ix_verifications_queued", "id", state="queued"),
)

verification_bytes = sa.Table(  # sums over `verifications`, so that nobody has to read all of it to know them
    "verification_bytes",
    metadata,
    sa.Column("asker", sa.String(64), primary_key=True),  # "" is everybody together
    sa.Column("bytes", sa.BigInteger, nullable=False),
)

rescorings = sa.Table(  # an outbox like `submissions`: scoring fills in what a new report would say
    "rescorings",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("batch", sa.String(64), nullable=False, index=True),
    sa.Column("submission_id", sa.ForeignKey("submissions.id"), nullable=False, index=True),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("state", sa.String(16), nullable=False),  # queued, proposed, unchanged, failed, applied, dropped
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("finished_at", sa.BigInteger),
    sa.Column("attempt", sa.Integer, nullable=False, server_default="0"),
    sa.Column("lease_until", sa.BigInteger),
    sa.Column("failure", sa.Text),
    sa.Column("revision", sa.Integer),  # the new report's; it replaces the one numbered one less
    sa.Column("difference", sa.Text),  # ReportDifference as JSON
    sa.Column("report", sa.Text),  # the new row of `reports` as JSON
    *request_columns(),
    index_where("ix_rescorings_queued", "id", state="queued"),
)

scoring_slices = sa.Table(  # the progress of a long job, in rows that only scoring can read; deleted when the job ends
    "scoring_slices",
    metadata,
    sa.Column("job_id", sa.String(64), primary_key=True),  # of a submission, a rescoring or a verification
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),  # row 0 describes the job
    sa.Column("submission_id", sa.ForeignKey("submissions.id"), index=True),  # null for a verification
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("made_by", sa.String(64), nullable=False),  # versions of the release, the scorer and the extractor
    sa.Column("body", sa.LargeBinary, nullable=False),
)

scoring_turns = sa.Table(  # the scoring time that each team has had lately
    "scoring_turns",
    metadata,
    sa.Column("team_id", sa.String(64), primary_key=True),  # '' stands for everybody
    sa.Column("used", sa.BigInteger, nullable=False),  # milliseconds by weight
)

damages = sa.Table(  # what differs from what was written; a row is deleted once it is whole again
    "damages",
    metadata,
    sa.Column("subject", sa.String(200), primary_key=True),  # an object's name, "database", or an entry of the log
    sa.Column("problem", sa.Text, nullable=False),
    sa.Column("found_at", sa.BigInteger, nullable=False),
)

scrubs = sa.Table(  # how far the reading of everything that is kept has come
    "scrubs",
    metadata,
    sa.Column("subject", sa.String(64), primary_key=True),  # objects, database
    sa.Column("begun_at", sa.BigInteger, nullable=False),
    sa.Column("ended_at", sa.BigInteger),  # null while it goes on
    sa.Column("place", sa.String(200), nullable=False),  # table and key of the last row that was read
    sa.Column("lease_until", sa.BigInteger, nullable=False),
)

OUTBOXES = (submissions, rescorings, verifications)
"""The tables whose queued rows are work."""


def add_event(connection: sa.Connection, submission: str, at: int, kind: str, data: dict[str, object]) -> None:
    """Tell those who follow the submission what happened to it at `at` (ms)."""
    insert_event(connection, events, at, kind, data, submission_id=submission)


def insert_event(
    connection: sa.Connection, table: sa.Table, at: int, kind: str, data: Mapping[str, object], **owner: str
) -> None:
    """Insert a row of a table of events; `owner` is the column that says what it happened to."""
    row = {**owner, "at": at, "kind": kind, "data": msgspec.json.encode(data).decode()}
    connection.execute(sa.insert(table).values(row))
