"""The first tables and triggers. The tables stand here as they were then: `schema.py` goes on from them.

The version of each board is counted by triggers: no code path of the api or of scoring can change a board unnoticed.
`board_versions` has the number of a board's newest change, `board_changes` the number of the newest change of each row
there, by the model's id. The board '' counts what stands on every board: a team's name, the names of its models and how
many they are. Its rows are those of teams.

On Postgres the triggers run when a transaction commits. A board's row is then locked for the moment of the commit
only, and nobody who holds one waits for a lock of a submission. They run with the rights of the tables' owner, so that
scoring needs none on these tables.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

metadata = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_name)s",
    }
)


def index_where(name: str, *columns: str, state: str) -> sa.Index:
    """Return an index of the rows in this state."""
    only = sa.text(f"state = '{state}'")
    return sa.Index(name, *columns, postgresql_where=only, sqlite_where=only)


SERIAL = sa.BigInteger().with_variant(sa.Integer, "sqlite")
UNPRUNED = sa.text("pruned_at IS NULL AND scored_at IS NOT NULL")


def report_columns() -> list[sa.Column[object]]:
    """Return new columns, because each belongs to one table."""
    return [
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
    ]


sa.Table(
    "teams",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("name", sa.String(64), nullable=False, unique=True),
    sa.Column("title", sa.String(200), nullable=False),
    sa.Column("contact", sa.String(200)),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("state", sa.String(16), nullable=False, server_default="active"),
    sa.Column("state_reason", sa.Text),
    sa.Column("open_submissions_cap", sa.Integer),
    sa.Column("items_a_day_cap", sa.Integer),
    sa.Column("models_cap", sa.Integer),
    sa.Column("model_budget", sa.BigInteger),
    sa.Column("established_at", sa.BigInteger),
)

sa.Table(
    "usage_by_hour",
    metadata,
    sa.Column("subject", sa.String(64), primary_key=True),
    sa.Column("hour", sa.Integer, primary_key=True, autoincrement=False, index=True),
    sa.Column("amount", sa.BigInteger, nullable=False),
)

sa.Table(
    "invites",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("hash", sa.String(64), nullable=False, unique=True),
    sa.Column("note", sa.Text, nullable=False),
    sa.Column("teams_left", sa.Integer, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("expires_at", sa.BigInteger, nullable=False),
    sa.Column("revoked_at", sa.BigInteger),
)

sa.Table(
    "keys",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("team_id", sa.ForeignKey("teams.id"), nullable=False, index=True),
    sa.Column("name", sa.String(64), nullable=False),
    sa.Column("prefix", sa.String(16), nullable=False),
    sa.Column("hash", sa.String(64), nullable=False, unique=True),
    sa.Column("scopes", sa.String(64), nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("revoked_at", sa.BigInteger),
)

sa.Table(
    "models",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("team_id", sa.ForeignKey("teams.id"), nullable=False),
    sa.Column("name", sa.String(64), nullable=False),
    sa.Column("title", sa.String(200), nullable=False),
    sa.Column("url", sa.String(500)),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("origin", sa.String(16), nullable=False, server_default="team"),
    sa.UniqueConstraint("team_id", "name"),
)

sa.Table(
    "submissions",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("team_id", sa.ForeignKey("teams.id"), nullable=False),
    sa.Column("model_id", sa.ForeignKey("models.id"), nullable=False),
    sa.Column("benchmark", sa.String(64), nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("bank", sa.String(64), nullable=False),
    sa.Column("track", sa.String(64), nullable=False),
    sa.Column("setting", sa.String(64), nullable=False),
    sa.Column("parameters", sa.Text, nullable=False),
    sa.Column("board", sa.String(64), nullable=False),
    sa.Column("conversation", sa.String(16), nullable=False, server_default="fresh"),
    sa.Column("size", sa.Integer, nullable=False),
    sa.Column("visibility", sa.String(16), nullable=False),
    sa.Column("nonce", sa.String(128), nullable=False),
    sa.Column("commitment", sa.String(64), nullable=False),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("opened_at", sa.BigInteger, nullable=False),
    sa.Column("deadline_at", sa.BigInteger, nullable=False),
    sa.Column("paused_for", sa.String(128)),
    sa.Column("paused_at", sa.BigInteger),
    sa.Column("paused_ms", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("fetched_at", sa.BigInteger),
    sa.Column("finished_at", sa.BigInteger),
    sa.Column("finish_reason", sa.String(16)),
    sa.Column("scored_at", sa.BigInteger),
    sa.Column("attempt", sa.Integer, nullable=False, server_default="0"),
    sa.Column("lease_until", sa.BigInteger),
    sa.Column("failure", sa.Text),
    sa.Column("void_reason", sa.Text),
    sa.Column("opened_count", sa.Integer, nullable=False, server_default="0"),
    sa.Column("answered_count", sa.Integer, nullable=False, server_default="0"),
    sa.Column("finished_items", sa.Integer, nullable=False, server_default="0"),
    sa.Column("reply_bytes", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("answers_object", sa.String(200)),
    sa.Column("answers_digest", sa.String(64)),
    sa.Column("pruned_at", sa.BigInteger),
    sa.Column("weight", sa.Integer, nullable=False, server_default="1"),
    sa.Column("evaluation_id", sa.String(64)),
    sa.Column("draw_id", sa.String(64), index=True),
    sa.Column("unranked", sa.Text),
    sa.Index("ix_submissions_row", "board", "model_id"),
    sa.Index("ix_submissions_of_team", "team_id", "id"),
    sa.Index("ix_submissions_of_team_by_time", "team_id", "opened_at"),
    index_where("ix_submissions_queued", "id", state="queued"),
    index_where("ix_submissions_open", "deadline_at", state="open"),
    index_where("ix_submissions_open_of_team", "team_id", "deadline_at", state="open"),
    index_where("ix_submissions_void", "board", "id", state="void"),
    sa.Index("ix_submissions_unpruned", "scored_at", postgresql_where=UNPRUNED, sqlite_where=UNPRUNED),
)

sa.Table(
    "questions",
    metadata,
    sa.Column("submission_id", sa.ForeignKey("submissions.id"), primary_key=True),
    sa.Column("item", sa.Integer, primary_key=True),
    sa.Column("question", sa.String(64), primary_key=True),
    sa.Column("shape", sa.Text, nullable=False),
    sa.Column("pictures", sa.Text, nullable=False),
    sa.Column("opened_at", sa.BigInteger, nullable=False),
)

sa.Table(
    "items",
    metadata,
    sa.Column("submission_id", sa.ForeignKey("submissions.id"), primary_key=True),
    sa.Column("item", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("closing", sa.Boolean, nullable=False),
    sa.Column("finished", sa.Boolean, nullable=False),
)

sa.Table(
    "answers",
    metadata,
    sa.Column("submission_id", sa.ForeignKey("submissions.id"), primary_key=True),
    sa.Column("item", sa.Integer, primary_key=True),
    sa.Column("question", sa.String(64), primary_key=True),
    sa.Column("answer", sa.String(64)),
    sa.Column("response", sa.Text),
    sa.Column("stop", sa.String(24)),
    sa.Column("sealed_at", sa.BigInteger, nullable=False),
)

sa.Table(
    "reports",
    metadata,
    sa.Column("submission_id", sa.ForeignKey("submissions.id"), primary_key=True),
    *report_columns(),
    sa.Column("revision", sa.Integer, nullable=False, server_default="1"),
)

sa.Table(
    "events",
    metadata,
    sa.Column("id", SERIAL, primary_key=True, autoincrement=True),
    sa.Column("submission_id", sa.ForeignKey("submissions.id"), nullable=False),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("kind", sa.String(32), nullable=False),
    sa.Column("data", sa.Text, nullable=False),
    sa.Index("ix_events_of_submission", "submission_id", "id"),
)

sa.Table(
    "commitments",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("submission_id", sa.String(64), nullable=False, unique=True),
    sa.Column("commitment", sa.String(64), nullable=False),
    sa.Column("at", sa.String(32), nullable=False),
    sa.Column("previous", sa.String(64), nullable=False),
    sa.Column("entry", sa.String(64), nullable=False),
)

sa.Table(
    "verifications",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("object", sa.String(200), nullable=False),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("finished_at", sa.BigInteger),
    sa.Column("attempt", sa.Integer, nullable=False, server_default="0"),
    sa.Column("lease_until", sa.BigInteger),
    sa.Column("result", sa.Text),
    sa.Column("failure", sa.Text),
    sa.Column("asker", sa.String(64), nullable=False),
    sa.Column("bytes", sa.BigInteger, nullable=False, server_default="0"),
    sa.Index("ix_verifications_of_asker", "asker", "state"),
    sa.Index("ix_verifications_ended", "finished_at"),
    index_where("ix_verifications_queued", "id", state="queued"),
)

sa.Table(
    "verification_bytes",
    metadata,
    sa.Column("asker", sa.String(64), primary_key=True),
    sa.Column("bytes", sa.BigInteger, nullable=False),
)

sa.Table(
    "idempotency_records",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("fingerprint", sa.String(64), nullable=False),
    sa.Column("lease", sa.String(32), nullable=False),
    sa.Column("leased_until", sa.BigInteger, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False, index=True),
    sa.Column("reply", sa.LargeBinary),
    sa.Column("api_key_id", sa.String(64)),
)


sa.Table(
    "evaluations",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("team_id", sa.ForeignKey("teams.id"), nullable=False),
    sa.Column("request", sa.Text, nullable=False),
    sa.Column("expected", sa.Text, nullable=False),
    sa.Column("prices", sa.Text, nullable=False),
    sa.Column("draw", sa.String(16), nullable=False),
    sa.Column("identity", sa.Text, nullable=False),
    sa.Column("size", sa.Integer, nullable=False),
    sa.Column("commitment", sa.String(64), nullable=False),
    sa.Column("deadline_at", sa.BigInteger, nullable=False),
    sa.Column("token_id", sa.String(64), nullable=False),
    sa.Column("unranked", sa.Text),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("ended_at", sa.BigInteger),
    sa.Column("outcome", sa.String(16)),
    sa.Column("paused_until", sa.BigInteger, index=True),
    sa.Column("pause_reason", sa.Text),
    sa.Index("ix_evaluations_of_team", "team_id", "id"),
)

sa.Table(
    "evaluation_runs",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("evaluation_id", sa.ForeignKey("evaluations.id"), nullable=False, index=True),
    sa.Column("team_id", sa.ForeignKey("teams.id"), nullable=False),
    sa.Column("model", sa.String(64), nullable=False),
    sa.Column("row", sa.String(64), nullable=False),
    sa.Column("repeat", sa.Integer, nullable=False),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False, server_default="0"),
    sa.Column("lease_until", sa.BigInteger),
    sa.Column("failure", sa.Text),
    sa.Column("queued_at", sa.BigInteger, nullable=False),
    sa.Column("begun_at", sa.BigInteger),
    sa.Column("ended_at", sa.BigInteger),
    sa.Column("outcome", sa.String(16)),
    sa.Column("retries", sa.Integer, nullable=False, server_default="0"),
    index_where("ix_evaluation_runs_queued", "queued_at", state="queued"),
)

sa.Table(
    "evaluation_calls",
    metadata,
    sa.Column("submission_id", sa.String(64), primary_key=True),
    sa.Column("item", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("question", sa.String(64), primary_key=True),
    sa.Column("step", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("asked_at", sa.BigInteger, nullable=False),
    sa.Column("seconds", sa.Float, nullable=False),
    sa.Column("waited", sa.Float),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("upstream_attempts", sa.Integer),
    sa.Column("prompt_tokens", sa.Integer),
    sa.Column("completion_tokens", sa.Integer),
    sa.Column("cached_tokens", sa.Integer),
    sa.Column("reasoning_tokens", sa.Integer),
    sa.Column("cost", sa.BigInteger),
    sa.Column("stop", sa.String(24)),
    sa.Column("served_by", sa.String(200), nullable=False),
    sa.Column("kept", sa.Boolean, nullable=False),
    sa.Column("reply", sa.Text),
)


sa.Table(
    "operator_acts",
    metadata,
    sa.Column("id", SERIAL, primary_key=True, autoincrement=True),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("operator", sa.String(64), nullable=False),
    sa.Column("act", sa.String(64), nullable=False),
    sa.Column("subject", sa.String(200), nullable=False, index=True),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("details", sa.Text, nullable=False),
)

sa.Table(
    "team_approvals",
    metadata,
    sa.Column("team_id", sa.ForeignKey("teams.id"), primary_key=True),
    sa.Column("corpus", sa.String(64), primary_key=True),
    sa.Column("submissions_cap", sa.Integer, nullable=False),
    sa.Column("approved_at", sa.BigInteger, nullable=False),
)

sa.Table(
    "hidden_rows",
    metadata,
    sa.Column("board", sa.String(64), primary_key=True),
    sa.Column("model_id", sa.ForeignKey("models.id"), primary_key=True),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("hidden_at", sa.BigInteger, nullable=False),
)

sa.Table(
    "board_versions",
    metadata,
    sa.Column("board", sa.String(64), primary_key=True),
    sa.Column("version", sa.BigInteger, nullable=False),
)

sa.Table(
    "board_changes",
    metadata,
    sa.Column("board", sa.String(64), primary_key=True),
    sa.Column("subject", sa.String(64), primary_key=True),
    sa.Column("version", sa.BigInteger, nullable=False),
    sa.Index("ix_board_changes_newest", "board", "version"),
)

sa.Table(
    "superseded_reports",
    metadata,
    sa.Column("submission_id", sa.ForeignKey("submissions.id"), primary_key=True),
    sa.Column("revision", sa.Integer, primary_key=True, autoincrement=False),
    *report_columns(),
    sa.Column("superseded_at", sa.BigInteger, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
)

sa.Table(
    "rescorings",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("batch", sa.String(64), nullable=False, index=True),
    sa.Column("submission_id", sa.ForeignKey("submissions.id"), nullable=False, index=True),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("finished_at", sa.BigInteger),
    sa.Column("attempt", sa.Integer, nullable=False, server_default="0"),
    sa.Column("lease_until", sa.BigInteger),
    sa.Column("failure", sa.Text),
    sa.Column("revision", sa.Integer),
    sa.Column("difference", sa.Text),
    sa.Column("report", sa.Text),
    index_where("ix_rescorings_queued", "id", state="queued"),
)

sa.Table(
    "scoring_slices",
    metadata,
    sa.Column("job_id", sa.String(64), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("submission_id", sa.ForeignKey("submissions.id"), index=True),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("made_by", sa.String(64), nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
)

sa.Table(
    "scoring_turns",
    metadata,
    sa.Column("team_id", sa.String(64), primary_key=True),
    sa.Column("used", sa.BigInteger, nullable=False),
)

sa.Table(
    "settlements",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("at", sa.BigInteger, nullable=False, index=True),
    sa.Column("epoch", sa.BigInteger, nullable=False),
    sa.Column("cost", sa.BigInteger, nullable=False),
    sa.Column("estimated", sa.Boolean, nullable=False),
    sa.Column("team", sa.String(128), nullable=False),
    sa.Column("account", sa.String(200), nullable=False),
    sa.Column("model", sa.String(200), nullable=False),
    sa.Column("budgets", sa.Text, nullable=False),
)

sa.Table(
    "spending",
    metadata,
    sa.Column("budget", sa.String(140), primary_key=True),
    sa.Column("spent", sa.BigInteger, nullable=False),
)

sa.Table(
    "ledger_epoch",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("epoch", sa.BigInteger, nullable=False),
)

sa.Table(
    "gateway_tokens",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("team_id", sa.ForeignKey("teams.id"), nullable=False, index=True),
    sa.Column("purpose", sa.String(16), nullable=False),
    sa.Column("models", sa.Text, nullable=False),
    sa.Column("budget", sa.BigInteger),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("expires_at", sa.BigInteger, nullable=False),
    sa.Column("revoked_at", sa.BigInteger, index=True),
)


REFUSING = """
CREATE FUNCTION refuse_operator_acts() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'operator_acts is append-only'; END $$
"""
APPEND_ONLY_TRIGGER = """
CREATE TRIGGER operator_acts_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON operator_acts
FOR EACH STATEMENT EXECUTE FUNCTION refuse_operator_acts()
"""
APPEND_ONLY_ROWS = """
CREATE TRIGGER operator_acts_no_{act} BEFORE {act} ON operator_acts
BEGIN SELECT RAISE(ABORT, 'operator_acts is append-only'); END
"""
APPEND_ONLY = {
    "sqlite": [APPEND_ONLY_ROWS.format(act=act) for act in ("UPDATE", "DELETE")],
    "postgresql": [REFUSING, APPEND_ONLY_TRIGGER],
}

COUNTS = "('scored', 'void')"
ON_A_BOARD = "{row}.visibility = 'public' AND ({row}.fetched_at IS NOT NULL OR {row}.state = 'void')"
MOVED = (
    "NEW.visibility = 'public' AND ("
    "OLD.fetched_at {differs} NEW.fetched_at OR OLD.void_reason {differs} NEW.void_reason OR "
    f"(OLD.state {{differs}} NEW.state AND (OLD.state IN {COUNTS} OR NEW.state IN {COUNTS})))"
)
DIFFERS = {"sqlite": "IS NOT", "postgresql": "IS DISTINCT FROM"}
Trigger = tuple[str, str, str, str, str]


def triggers(differs: str) -> list[Trigger]:
    """Return each trigger: its name, what happens to which table, the row that names the board, and the condition."""
    inserted, deleted = ON_A_BOARD.format(row="NEW"), ON_A_BOARD.format(row="OLD")
    return [
        ("submissions_on_boards_inserted", "INSERT", "submissions", "NEW", inserted),
        ("submissions_on_boards_updated", "UPDATE", "submissions", "NEW", MOVED.format(differs=differs)),
        ("submissions_on_boards_deleted", "DELETE", "submissions", "OLD", deleted),
        ("reports_on_boards_updated", "UPDATE", "reports", "NEW", ""),
        ("hidden_rows_on_boards_inserted", "INSERT", "hidden_rows", "NEW", ""),
        ("hidden_rows_on_boards_updated", "UPDATE", "hidden_rows", "NEW", ""),
        ("hidden_rows_on_boards_deleted", "DELETE", "hidden_rows", "OLD", ""),
        ("models_on_boards_inserted", "INSERT", "models", "NEW", ""),
        ("models_on_boards_updated", "UPDATE", "models", "NEW", f"OLD.name {differs} NEW.name"),
        ("models_on_boards_deleted", "DELETE", "models", "OLD", ""),
        ("teams_on_boards_updated", "UPDATE", "teams", "NEW", f"OLD.name {differs} NEW.name"),
    ]


FUNCTION = """
CREATE FUNCTION count_board_change() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = {schema}, pg_temp AS $$
DECLARE
  changed_board varchar := '';
  changed_subject varchar;
  counted bigint;
BEGIN
  IF TG_TABLE_NAME = 'reports' THEN
    SELECT board, model_id INTO changed_board, changed_subject FROM submissions
    WHERE id = NEW.submission_id AND visibility = 'public';
    IF NOT FOUND THEN RETURN NULL; END IF;
  ELSIF TG_TABLE_NAME IN ('submissions', 'hidden_rows') AND TG_OP = 'DELETE' THEN
    changed_board := OLD.board; changed_subject := OLD.model_id;
  ELSIF TG_TABLE_NAME IN ('submissions', 'hidden_rows') THEN
    changed_board := NEW.board; changed_subject := NEW.model_id;
  ELSIF TG_TABLE_NAME = 'teams' THEN
    changed_subject := NEW.id;
  ELSIF TG_OP = 'DELETE' THEN
    changed_subject := OLD.team_id;
  ELSE
    changed_subject := NEW.team_id;
  END IF;
  INSERT INTO board_versions (board, version) VALUES (changed_board, 1)
  ON CONFLICT (board) DO UPDATE SET version = board_versions.version + 1 RETURNING version INTO counted;
  INSERT INTO board_changes (board, subject, version) VALUES (changed_board, changed_subject, counted)
  ON CONFLICT (board, subject) DO UPDATE SET version = excluded.version;
  RETURN NULL;
END $$
"""
POSTGRES_TRIGGER = """
CREATE CONSTRAINT TRIGGER {name} AFTER {act} ON {table} DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW {when} EXECUTE FUNCTION count_board_change()
"""
SQLITE_TRIGGER = """
CREATE TRIGGER {name} AFTER {act} ON {table} FOR EACH ROW {when}
BEGIN {body} END
"""
REPORTED = "SELECT board, model_id AS subject FROM submissions WHERE id = NEW.submission_id AND visibility = 'public'"
COUNT = """
INSERT INTO board_versions (board, version) SELECT board, 1 FROM ({changed}) WHERE true
ON CONFLICT (board) DO UPDATE SET version = version + 1;
"""
REMEMBER = """
INSERT INTO board_changes (board, subject, version)
SELECT changed.board, changed.subject, v.version FROM ({changed}) AS changed
JOIN board_versions AS v ON v.board = changed.board WHERE true
ON CONFLICT (board, subject) DO UPDATE SET version = excluded.version;
"""


def upgrade() -> None:
    connection = op.get_bind()
    metadata.create_all(connection, checkfirst=False)
    for statement in APPEND_ONLY[connection.dialect.name]:
        op.execute(statement)
    _count_board_changes(connection)
    op.execute("INSERT INTO ledger_epoch (id, epoch) VALUES (1, 0)")
    op.execute("INSERT INTO verification_bytes (asker, bytes) VALUES ('', 0)")


def _count_board_changes(connection: sa.Connection) -> None:
    dialect = connection.dialect
    if dialect.name == "postgresql":
        schema = str(connection.scalar(sa.select(sa.func.current_schema())))
        op.execute(FUNCTION.format(schema=dialect.identifier_preparer.quote(schema)))
    for name, act, table, row, condition in triggers(DIFFERS[dialect.name]):
        when = f"WHEN ({condition})" if condition else ""
        if dialect.name == "postgresql":
            op.execute(POSTGRES_TRIGGER.format(name=name, act=act, table=table, when=when))
        else:
            op.execute(SQLITE_TRIGGER.format(name=name, act=act, table=table, when=when, body=_body(table, row)))


def _body(table: str, row: str) -> str:
    """Return the statements of a SQLite trigger."""
    changed = {
        "submissions": f"SELECT {row}.board AS board, {row}.model_id AS subject",
        "hidden_rows": f"SELECT {row}.board AS board, {row}.model_id AS subject",
        "reports": REPORTED,
        "models": f"SELECT '' AS board, {row}.team_id AS subject",
        "teams": f"SELECT '' AS board, {row}.id AS subject",
    }[table]
    return COUNT.format(changed=changed) + REMEMBER.format(changed=changed)
