"""Idempotency records: the results made under a client's key, so that repeated requests make a thing once.

A request first takes a lease of its key, in a transaction of its own. The result is recorded in the transaction that
makes it, by compare-and-set on the lease. So a repeat finds every result, and nothing is made twice. If the process
dies in between, its lease expires. A request that was refused or failed made nothing; its key is free again.

A reply that holds an API key is not kept. Its record names the API key; a repeat revokes that one and issues another.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import msgspec
import sqlalchemy as sa

from api.database.schema import idempotency_records
from api.errors import InvalidInputError, StateConflictError
from tetrad.server.clock import now_ms
from tetrad.server.database import insert_into, write_transaction

T = TypeVar("T", bound=msgspec.Struct)
Keep: TypeAlias = Callable[[sa.Connection, T], None]
"""A creating function calls it with what it made, at the end of its transaction."""

HEADER = "Idempotency-Key"
KEPT_MS = 24 * 3_600_000
LEASE_MS = 90_000  # longer than the generator may take; a process that died frees its keys after it
RETRY_SECONDS = 1

r = idempotency_records.c


def unkept(_connection: sa.Connection, _made: msgspec.Struct) -> None:
    """Keep nothing: the request has no key."""


@dataclass(frozen=True)
class ClientKey:
    """A client's key: the id of its record, and a fingerprint of the request that came with it."""

    record: str
    fingerprint: str


class KeptReply(msgspec.Struct, frozen=True, array_like=True):
    """The reply to a creation: every part of it that a client may rely on."""

    status: int
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Lease:
    """This request's hold on its key; `api_key` is the id of the API key that an earlier request made under it."""

    record: str
    token: str
    api_key: str | None = None


def lease(engine: sa.Engine, key: ClientKey) -> Lease | KeptReply:
    """Take a lease of the key, or return what was replied under it. What is older than a day is swept away here.

    Raises:
        InvalidInputError: another request came under this key.
        StateConflictError: a request under it is in flight.
    """
    now, token = now_ms(), secrets.token_hex(16)
    mine = {"lease": token, "leased_until": now + LEASE_MS}
    fresh = {**mine, "fingerprint": key.fingerprint, "created_at": now}
    with write_transaction(engine) as connection:
        connection.execute(sa.delete(idempotency_records).where(r.created_at < now - KEPT_MS))
        row = _keep_or_insert(connection, {"id": key.record, **fresh})
        if row.lease == token:
            return Lease(key.record, token)
        _check(key, row, now)
        if row.reply is not None:
            return msgspec.msgpack.decode(row.reply, type=KeptReply)
        taken = mine if row.api_key_id is not None else fresh
        connection.execute(sa.update(idempotency_records).where(r.id == key.record).values(taken))
    return Lease(key.record, token, row.api_key_id)


def keep_reply(connection: sa.Connection, held: Lease, reply: KeptReply) -> None:
    """Keep the reply in the transaction that creates.

    Raises:
        StateConflictError: this request took so long that another one has the key by now.
    """
    _record(connection, held, {"reply": msgspec.msgpack.encode(reply)})


def keep_api_key(connection: sa.Connection, held: Lease, api_key_id: str) -> None:
    """Record which API key was made, in the transaction that makes it; a repeat may take a lease at once.

    Raises:
        StateConflictError: this request took so long that another one has the key by now.
    """
    _record(connection, held, {"api_key_id": api_key_id, "leased_until": 0})


def release(engine: sa.Engine, held: Lease) -> None:
    """Free the key of a request that made nothing."""
    mine = sa.and_(r.id == held.record, r.lease == held.token, r.reply.is_(None))
    with write_transaction(engine) as connection:
        connection.execute(sa.delete(idempotency_records).where(mine, r.api_key_id.is_(None)))
        connection.execute(sa.update(idempotency_records).where(mine).values(leased_until=0))


def _check(key: ClientKey, row: sa.Row[tuple[object, ...]], now: int) -> None:
    """Check that a repeat can be answered from its record."""
    if row.fingerprint != key.fingerprint:
        remedy = "send a new key for another request"
        raise InvalidInputError.at(HEADER, None, "was sent with another request", remedy)
    if row.reply is None and now < row.leased_until <= now + 2 * LEASE_MS:  # later: the clock was set back
        detail = "a request with this Idempotency-Key is in flight: its reply is kept; ask again"
        raise StateConflictError(detail, retry_after=RETRY_SECONDS)


def _record(connection: sa.Connection, held: Lease, made: dict[str, object]) -> None:
    mine = sa.update(idempotency_records).where(r.id == held.record, r.lease == held.token)
    if connection.execute(mine.values(made)).rowcount != 1:
        detail = "another request with this Idempotency-Key has overtaken this one, which created nothing; ask again"
        raise StateConflictError(detail, retry_after=RETRY_SECONDS)


def _keep_or_insert(connection: sa.Connection, row: dict[str, object]) -> sa.Row[tuple[object, ...]]:
    """Insert the row unless there is one of this id; return the one that is there, locked.

    It is one statement, so that no other request comes in between. A row that another transaction inserts now is waited
    for.
    """
    insert = insert_into(connection, idempotency_records).values(row)
    locked = insert.on_conflict_do_update(index_elements=[r.id], set_={"id": insert.excluded.id})
    return connection.execute(locked.returning(idempotency_records)).one()
