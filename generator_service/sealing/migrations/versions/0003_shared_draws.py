"""Several submissions may share one draw; `drawn_for` names the first of them."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("sealed_draws", sa.Column("drawn_for", sa.String(64), nullable=True))
    op.create_index("ix_sealed_draws_drawn_for", "sealed_draws", ["drawn_for"], unique=False)
