"""A bound on a team's spending on models of the gateway. None is no bound."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    op.add_column("teams", sa.Column("model_budget", sa.BigInteger(), nullable=True))
