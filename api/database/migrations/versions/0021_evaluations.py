"""Evaluations: the service answers submissions itself. Several submissions may share one sealed draw.

`models.origin` tells whose answers a row of a board has: the team's, the service's, or those of a baseline.
"""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"

QUEUED = sa.text("state = 'queued'")


def upgrade() -> None:
    op.add_column("models", sa.Column("origin", sa.String(length=16), server_default="team", nullable=False))
    op.add_column("submissions", sa.Column("evaluation_id", sa.String(length=64), nullable=True))
    op.add_column("submissions", sa.Column("draw_id", sa.String(length=64), nullable=True))
    op.add_column("submissions", sa.Column("unranked", sa.Text(), nullable=True))
    op.create_index(op.f("ix_submissions_draw_id"), "submissions", ["draw_id"], unique=False)
    op.create_table(
        "evaluations",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("team_id", sa.String(length=64), nullable=False),
        sa.Column("request", sa.Text(), nullable=False),
        sa.Column("expected", sa.Text(), nullable=False),
        sa.Column("prices", sa.Text(), nullable=False),
        sa.Column("draw", sa.String(length=16), nullable=False),
        sa.Column("identity", sa.Text(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("commitment", sa.String(length=64), nullable=False),
        sa.Column("deadline_at", sa.BigInteger(), nullable=False),
        sa.Column("token_id", sa.String(length=64), nullable=False),
        sa.Column("unranked", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("outcome", sa.String(length=16), nullable=True),
        sa.Column("paused_until", sa.BigInteger(), nullable=True),
        sa.Column("pause_reason", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_evaluations_team_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evaluations")),
    )
    op.create_index("ix_evaluations_of_team", "evaluations", ["team_id", "id"], unique=False)
    op.create_index(op.f("ix_evaluations_paused_until"), "evaluations", ["paused_until"], unique=False)
    op.create_table(
        "evaluation_runs",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("evaluation_id", sa.String(length=64), nullable=False),
        sa.Column("team_id", sa.String(length=64), nullable=False),
        sa.Column("model", sa.String(length=64), nullable=False),
        sa.Column("row", sa.String(length=64), nullable=False),
        sa.Column("repeat", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("attempt", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.Column("queued_at", sa.BigInteger(), nullable=False),
        sa.Column("begun_at", sa.BigInteger(), nullable=True),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("outcome", sa.String(length=16), nullable=True),
        sa.Column("retries", sa.Integer(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["evaluation_id"], ["evaluations.id"], name=op.f("fk_evaluation_runs_evaluation_id")),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_evaluation_runs_team_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evaluation_runs")),
    )
    op.create_index(op.f("ix_evaluation_runs_evaluation_id"), "evaluation_runs", ["evaluation_id"], unique=False)
    op.create_index(
        "ix_evaluation_runs_queued",
        "evaluation_runs",
        ["queued_at"],
        unique=False,
        postgresql_where=QUEUED,
        sqlite_where=QUEUED,
    )
    op.create_table(
        "evaluation_calls",
        sa.Column("submission_id", sa.String(length=64), nullable=False),
        sa.Column("item", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("question", sa.String(length=64), nullable=False),
        sa.Column("step", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("asked_at", sa.BigInteger(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("waited", sa.Float(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("upstream_attempts", sa.Integer(), nullable=True),
        sa.Column("prompt_tokens", sa.Integer(), nullable=True),
        sa.Column("completion_tokens", sa.Integer(), nullable=True),
        sa.Column("cached_tokens", sa.Integer(), nullable=True),
        sa.Column("reasoning_tokens", sa.Integer(), nullable=True),
        sa.Column("cost", sa.BigInteger(), nullable=True),
        sa.Column("stop", sa.String(length=24), nullable=True),
        sa.Column("served_by", sa.String(length=200), nullable=False),
        sa.Column("kept", sa.Boolean(), nullable=False),
        sa.Column("reply", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("submission_id", "item", "question", "step", name=op.f("pk_evaluation_calls")),
    )
