"""The progress of sliced scoring jobs, the scoring time that each team has had, and the weight of a submission."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.add_column("submissions", sa.Column("weight", sa.Integer(), server_default="1", nullable=False))
    op.create_table(
        "scoring_slices",
        sa.Column("job_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("submission_id", sa.String(length=64), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("made_by", sa.String(length=64), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name=op.f("fk_scoring_slices_submission_id")),
        sa.PrimaryKeyConstraint("job_id", "number", name=op.f("pk_scoring_slices")),
    )
    op.create_index(op.f("ix_scoring_slices_submission_id"), "scoring_slices", ["submission_id"], unique=False)
    op.create_table(
        "scoring_turns",
        sa.Column("team_id", sa.String(length=64), nullable=False),
        sa.Column("used", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("team_id", name=op.f("pk_scoring_turns")),
    )
