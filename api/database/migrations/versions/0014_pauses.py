"""Deadlines pause while a source is damaged: the reason of the pause, its beginning, the length of earlier ones."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.add_column("submissions", sa.Column("paused_for", sa.String(length=128), nullable=True))
    op.add_column("submissions", sa.Column("paused_at", sa.BigInteger(), nullable=True))
    op.add_column("submissions", sa.Column("paused_ms", sa.BigInteger(), nullable=False, server_default="0"))
