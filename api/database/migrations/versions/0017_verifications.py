"""The asker and the kept bytes of each verification. Earlier verifications count for nobody."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.add_column("verifications", sa.Column("asker", sa.String(length=64), nullable=True))
    op.add_column("verifications", sa.Column("bytes", sa.BigInteger(), server_default="0", nullable=False))
    op.create_index("ix_verifications_of_asker", "verifications", ["asker", "state"], unique=False)
