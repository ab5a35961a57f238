"""What was extracted from a revealed draw's answers is kept in its row, packed; their own rows go."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("sealed_draws", sa.Column("packed", sa.LargeBinary()))
