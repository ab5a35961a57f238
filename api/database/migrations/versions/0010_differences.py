"""Keep the part of a report's differences that boards pool. Earlier reports have none, and their rows show none."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    for table in ("reports", "superseded_reports"):
        op.add_column(table, sa.Column("differences", sa.Text(), nullable=True))
