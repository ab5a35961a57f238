"""What a report's row says, whether it counts or was superseded: a rescoring moves one table's row to the other."""

import sqlalchemy as sa


def report_columns() -> list[sa.Column[object]]:
    """Return the columns anew: each belongs to one table."""
    return [
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("object", sa.String(200), nullable=False),  # name of the report's JSON in the object store
        sa.Column("digest", sa.String(64), nullable=False),  # SHA-256 of that JSON
        sa.Column("seed", sa.String(64), nullable=False),
        sa.Column("metric", sa.String(64), nullable=False),
        sa.Column("headline", sa.Text, nullable=False),  # the headline MetricValue as JSON
        sa.Column("total", sa.Float, nullable=False),  # sum of per-item means, for pooling
        sa.Column("items", sa.Integer, nullable=False),
        sa.Column("asked", sa.Integer, nullable=False),
        sa.Column("unread", sa.Integer, nullable=False),
        sa.Column("missing", sa.Integer, nullable=False),
        sa.Column("scored_at", sa.BigInteger, nullable=False),
    ]
