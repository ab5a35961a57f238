"""Tables for operators: teams' states and caps, approvals, hidden rows, rescoring, and the audit log."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    _teams()
    _acts()
    _hidden_rows()
    _rescoring()


def _teams() -> None:
    state = sa.Column("state", sa.String(length=16), server_default="active", nullable=False)
    op.add_column("teams", state)
    op.add_column("teams", sa.Column("state_reason", sa.Text(), nullable=True))
    for name in ("open_submissions_cap", "items_a_day_cap", "models_cap"):
        op.add_column("teams", sa.Column(name, sa.Integer(), nullable=True))
    op.create_table(
        "team_approvals",
        sa.Column("team_id", sa.String(length=64), nullable=False),
        sa.Column("corpus", sa.String(length=64), nullable=False),
        sa.Column("submissions_cap", sa.Integer(), nullable=False),
        sa.Column("approved_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_team_approvals_team_id")),
        sa.PrimaryKeyConstraint("team_id", "corpus", name=op.f("pk_team_approvals")),
    )


def _acts() -> None:
    op.create_table(
        "operator_acts",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("operator", sa.String(length=64), nullable=False),
        sa.Column("act", sa.String(length=64), nullable=False),
        sa.Column("subject", sa.String(length=200), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("details", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_operator_acts")),
    )
    op.create_index(op.f("ix_operator_acts_subject"), "operator_acts", ["subject"], unique=False)
    for statement in APPEND_ONLY[op.get_bind().dialect.name]:
        op.execute(statement)


REFUSING = """
CREATE FUNCTION refuse_operator_acts() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'operator_acts is append-only'; END $$
"""
POSTGRES_TRIGGER = """
CREATE TRIGGER operator_acts_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON operator_acts
FOR EACH STATEMENT EXECUTE FUNCTION refuse_operator_acts()
"""
SQLITE_TRIGGER = """
CREATE TRIGGER operator_acts_no_{act} BEFORE {act} ON operator_acts
BEGIN SELECT RAISE(ABORT, 'operator_acts is append-only'); END
"""
APPEND_ONLY = {
    "sqlite": [SQLITE_TRIGGER.format(act=act) for act in ("UPDATE", "DELETE")],
    "postgresql": [REFUSING, POSTGRES_TRIGGER],
}


def _hidden_rows() -> None:
    op.create_table(
        "hidden_rows",
        sa.Column("board", sa.String(length=64), nullable=False),
        sa.Column("model_id", sa.String(length=64), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("hidden_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["model_id"], ["models.id"], name=op.f("fk_hidden_rows_model_id")),
        sa.PrimaryKeyConstraint("board", "model_id", name=op.f("pk_hidden_rows")),
    )


def _rescoring() -> None:
    op.add_column("reports", sa.Column("revision", sa.Integer(), server_default="1", nullable=False))
    op.create_table(
        "superseded_reports",
        sa.Column("submission_id", sa.String(length=64), nullable=False),
        sa.Column("revision", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("object", sa.String(length=200), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("seed", sa.String(length=64), nullable=False),
        sa.Column("metric", sa.String(length=64), nullable=False),
        sa.Column("headline", sa.Text(), nullable=False),
        sa.Column("total", sa.Float(), nullable=False),
        sa.Column("items", sa.Integer(), nullable=False),
        sa.Column("asked", sa.Integer(), nullable=False),
        sa.Column("unread", sa.Integer(), nullable=False),
        sa.Column("missing", sa.Integer(), nullable=False),
        sa.Column("scored_at", sa.BigInteger(), nullable=False),
        sa.Column("superseded_at", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submissions.id"], name=op.f("fk_superseded_reports_submission_id")
        ),
        sa.PrimaryKeyConstraint("submission_id", "revision", name=op.f("pk_superseded_reports")),
    )
    op.create_table(
        "rescorings",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("batch", sa.String(length=64), nullable=False),
        sa.Column("submission_id", sa.String(length=64), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.Column("attempt", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=True),
        sa.Column("difference", sa.Text(), nullable=True),
        sa.Column("report", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name=op.f("fk_rescorings_submission_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rescorings")),
    )
    op.create_index(op.f("ix_rescorings_batch"), "rescorings", ["batch"], unique=False)
    op.create_index("ix_rescorings_due", "rescorings", ["state", "lease_until"], unique=False)
    op.create_index(op.f("ix_rescorings_submission_id"), "rescorings", ["submission_id"], unique=False)
