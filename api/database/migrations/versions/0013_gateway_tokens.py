"""Tokens that the api signs for the gateway, and why a sealed reply ended. Earlier answers have no reason."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.add_column("answers", sa.Column("stop", sa.String(length=24), nullable=True))
    op.create_table(
        "gateway_tokens",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("team_id", sa.String(length=64), nullable=False),
        sa.Column("purpose", sa.String(length=16), nullable=False),
        sa.Column("models", sa.Text(), nullable=False),
        sa.Column("budget", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_gateway_tokens_team_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gateway_tokens")),
    )
    op.create_index(op.f("ix_gateway_tokens_team_id"), "gateway_tokens", ["team_id"], unique=False)
    op.create_index(op.f("ix_gateway_tokens_revoked_at"), "gateway_tokens", ["revoked_at"], unique=False)
