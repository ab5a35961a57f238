"""Record whether a submission joins the questions of an item. Earlier ones asked each in a fresh context."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    column = sa.Column("conversation", sa.String(length=16), server_default="fresh", nullable=False)
    op.add_column("submissions", column)
