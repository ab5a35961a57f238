"""Whether a key that came is one of ours, asked apart from what it may do."""

import sqlalchemy as sa

from api.database.schema import keys
from tetrad.server.database import read_transaction


def is_known(engine: sa.Engine, digest: str) -> bool:
    """Whether a key of this SHA-256 is somebody's and not revoked."""
    query = sa.select(keys.c.id).where(keys.c.hash == digest, keys.c.revoked_at.is_(None))
    with read_transaction(engine) as connection:
        return connection.execute(query).one_or_none() is not None
