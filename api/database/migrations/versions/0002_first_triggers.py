"""The first triggers, as they are in 0.1.0: acts of operators are append-only, and changes of boards are counted.

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

revision = "0002"
down_revision = "0001"

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
    "OLD.fetched_at {differs} NEW.fetched_at OR OLD.unranked {differs} NEW.unranked OR "
    "OLD.void_reason {differs} NEW.void_reason OR "
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
    for statement in APPEND_ONLY[connection.dialect.name]:
        op.execute(statement)
    _count_board_changes(connection)


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
