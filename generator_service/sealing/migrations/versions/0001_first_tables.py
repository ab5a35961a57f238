"""The record's tables as they were when its migrations began.

Releases before this one wrote no version into the record. Their tables are here already, and may lack columns.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    inspector = sa.inspect(op.get_bind())
    known = set(inspector.get_table_names())
    for name, columns in first_tables().items():
        if name not in known:
            op.create_table(name, *columns)
            continue
        there = {column["name"] for column in inspector.get_columns(name)}
        for column in columns:
            if column.name not in there:
                op.add_column(name, column)


def first_tables() -> dict[str, list[sa.Column[Any]]]:
    return {
        "sealed_draws": [
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
        ],
        "gated_answers": [
            sa.Column("submission", sa.String(64), primary_key=True),
            sa.Column("item", sa.Integer(), primary_key=True),
            sa.Column("question", sa.String(64), primary_key=True),
            sa.Column("digest", sa.String(64), nullable=False),
            sa.Column("reading", sa.Text()),
        ],
    }
