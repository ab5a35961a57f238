"""Tables for the cost of model calls: settlements, sums of budgets, and the ledger's epoch."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.create_table(
        "settlements",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("epoch", sa.BigInteger(), nullable=False),
        sa.Column("cost", sa.BigInteger(), nullable=False),
        sa.Column("estimated", sa.Boolean(), nullable=False),
        sa.Column("team", sa.String(length=128), nullable=False),
        sa.Column("account", sa.String(length=200), nullable=False),
        sa.Column("model", sa.String(length=200), nullable=False),
        sa.Column("budgets", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_settlements")),
    )
    op.create_index(op.f("ix_settlements_at"), "settlements", ["at"], unique=False)
    op.create_table(
        "spending",
        sa.Column("budget", sa.String(length=140), nullable=False),
        sa.Column("spent", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("budget", name=op.f("pk_spending")),
    )
    op.create_table(
        "ledger_epoch",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("epoch", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ledger_epoch")),
    )
    op.execute("INSERT INTO ledger_epoch (id, epoch) VALUES (1, 0)")
