"""Caps of the whole instance, invites, and established teams."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.add_column("teams", sa.Column("established_at", sa.BigInteger(), nullable=True))
    op.create_table(
        "usage_by_hour",
        sa.Column("subject", sa.String(length=64), nullable=False),
        sa.Column("hour", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("subject", "hour", name=op.f("pk_usage_by_hour")),
    )
    op.create_index(op.f("ix_usage_by_hour_hour"), "usage_by_hour", ["hour"], unique=False)
    op.create_table(
        "invites",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("teams_left", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invites")),
        sa.UniqueConstraint("hash", name=op.f("uq_invites_hash")),
    )
