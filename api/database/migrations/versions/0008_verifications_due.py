"""An index for the verifications that are due: workers look for them every second."""

from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.create_index("ix_verifications_due", "verifications", ["state", "lease_until"])
