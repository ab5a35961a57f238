"""What a board pools of a report's differences. A report from before has none here: its row says nothing of them."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    for table in ("reports", "superseded_reports"):
        op.add_column(table, sa.Column("differences", sa.Text(), nullable=True))
