"""The record's tables as they were when its migrations began."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "sealed_draws",
        sa.Column("submission", sa.String(64), primary_key=True),
        sa.Column("nonce", sa.String(128), nullable=False),
        sa.Column("identity", sa.Text(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("commitment", sa.String(64), nullable=False),
        sa.Column("sealed_at", sa.BigInteger(), nullable=False),
        sa.Column("revealed_at", sa.BigInteger()),
        sa.Column("answers", sa.String(64)),
        sa.Column("secret", sa.String(16)),
        sa.Column("seed", sa.String(64)),
        sa.Column("ranges", sa.Text()),
        sa.Column("closed_at", sa.BigInteger()),
        sa.Column("packed", sa.LargeBinary()),
        sa.Column("drawn_for", sa.String(64)),
    )
    op.create_index("ix_sealed_draws_drawn_for", "sealed_draws", ["drawn_for"], unique=False)
    op.create_table(
        "gated_answers",
        sa.Column("submission", sa.String(64), primary_key=True),
        sa.Column("item", sa.Integer(), primary_key=True),
        sa.Column("question", sa.String(64), primary_key=True),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("extracted", sa.Text(), nullable=False),
    )
