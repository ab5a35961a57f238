"""Claims and kept replies in their table. Replies are encrypted with a key that only the client can bring back."""

import secrets
from dataclasses import dataclass
from typing import Any

import msgspec
import sqlalchemy as sa
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from sqlalchemy.dialects import postgresql, sqlite

from api.database.schema import kept_replies
from api.http.idempotency.client_key import HEADER, ClientKey
from tetrad.server.clock import now_ms
from tetrad.server.database import write_transaction
from tetrad.server.problems import ProblemError, refuse

KEPT_MS = 24 * 3_600_000
CLAIM_MS = 90_000  # longer than the generator may take; a process that died frees its keys after it
RETRY_AFTER = {"Retry-After": "1"}
NONCE_BYTES = 12  # AES-GCM's

DIALECTS: dict[str, Any] = {"sqlite": sqlite, "postgresql": postgresql}
k = kept_replies.c


class KeptReply(msgspec.Struct, frozen=True, array_like=True):
    """What a creation replied: all of it that a client may go by."""

    status: int
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Claim:
    """This request's hold on its key."""

    key: ClientKey
    mark: str


def claim(engine: sa.Engine, key: ClientKey) -> Claim | KeptReply:
    """Take the key, or return what was replied under it. What is older than a day is swept away here.

    Raises:
        ProblemError: 422, another body came under this key; 409, a request under it is in flight.
    """
    now, mark = now_ms(), secrets.token_hex(16)
    fresh = {"fingerprint": key.fingerprint, "claim": mark, "claimed_until": now + CLAIM_MS, "created_at": now}
    with write_transaction(engine) as connection:
        connection.execute(sa.delete(kept_replies).where(k.created_at < now - KEPT_MS))
        row = _kept_or_inserted(connection, {"id": key.place, **fresh})
        if row.claim == mark:
            return Claim(key, mark)
        if row.fingerprint != key.fingerprint:
            raise refuse(422, HEADER, None, "was sent with another request", "send a new key for another request")
        if row.reply is not None:
            return _opened(key, row.reply)
        if row.claimed_until > now:
            detail = "a request with this Idempotency-Key is in flight: its reply is kept; ask again"
            raise ProblemError(409, detail, headers=RETRY_AFTER)
        connection.execute(sa.update(kept_replies).where(k.id == key.place).values(fresh))
    return Claim(key, mark)


def keep(connection: sa.Connection, held: Claim, reply: KeptReply) -> None:
    """Keep the reply in the transaction that creates.

    Raises:
        ProblemError: 409, this request took so long that another one has the key by now.
    """
    nonce = secrets.token_bytes(NONCE_BYTES)
    sealed = AESGCM(held.key.secret).encrypt(nonce, msgspec.msgpack.encode(reply), held.key.place.encode())
    mine = sa.update(kept_replies).where(k.id == held.key.place, k.claim == held.mark)
    if connection.execute(mine.values(reply=nonce + sealed)).rowcount != 1:
        detail = "another request with this Idempotency-Key has overtaken this one, which created nothing; ask again"
        raise ProblemError(409, detail, headers=RETRY_AFTER)


def release(engine: sa.Engine, held: Claim) -> None:
    """Free the key of a request that created nothing."""
    unkept = sa.delete(kept_replies).where(k.id == held.key.place, k.claim == held.mark, k.reply.is_(None))
    with write_transaction(engine) as connection:
        connection.execute(unkept)


def _kept_or_inserted(connection: sa.Connection, row: dict[str, object]) -> sa.Row[tuple[object, ...]]:
    """Return the row of this id, locked, having inserted it where there is none: one statement, so none goes between.

    One that another transaction inserts now is waited for.
    """
    insert = DIALECTS[connection.dialect.name].insert(kept_replies).values(row)
    locked = insert.on_conflict_do_update(index_elements=[k.id], set_={"id": insert.excluded.id})
    return connection.execute(locked.returning(kept_replies)).one()


def _opened(key: ClientKey, sealed: bytes) -> KeptReply:
    plain = AESGCM(key.secret).decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], key.place.encode())
    return msgspec.msgpack.decode(plain, type=KeptReply)
