"""Count the bytes of each submission's replies. Open submissions get the bytes of the replies they have."""

import sqlalchemy as sa
from alembic import op
from msgspec import json

revision = "0004"
down_revision = "0003"

AT_ONCE = 1000
OPEN = "SELECT id FROM submissions WHERE state = 'open' AND answered_count > 0"
REPLIES = "SELECT response FROM answers WHERE submission_id = :id AND response IS NOT NULL"
COUNTED = "UPDATE submissions SET reply_bytes = :taken WHERE id = :id"


def upgrade() -> None:
    op.add_column("submissions", sa.Column("reply_bytes", sa.BigInteger(), server_default="0", nullable=False))
    connection = op.get_bind()
    for submission in connection.execute(sa.text(OPEN)).scalars().all():
        replies = connection.execute(sa.text(REPLIES), {"id": submission}, execution_options={"yield_per": AT_ONCE})
        taken = sum(len(json.encode(reply)) for reply in replies.scalars())
        connection.execute(sa.text(COUNTED), {"id": submission, "taken": taken})
