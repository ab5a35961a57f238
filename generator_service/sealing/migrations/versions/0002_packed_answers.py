"""Keep the extracted answers of a revealed draw packed in its row, and delete their own rows."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("sealed_draws", sa.Column("packed", sa.LargeBinary()))
