"""Sums of the kept bytes of claimed reports, for each asker and in all (asker ""). Reading them reads two rows."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    op.create_table(
        "verification_bytes",
        sa.Column("asker", sa.String(length=64), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("asker", name=op.f("pk_verification_bytes")),
    )
    op.execute(
        "INSERT INTO verification_bytes (asker, bytes) "
        "SELECT asker, SUM(bytes) FROM verifications WHERE asker IS NOT NULL GROUP BY asker"
    )
    op.execute("INSERT INTO verification_bytes (asker, bytes) SELECT '', COALESCE(SUM(bytes), 0) FROM verifications")
