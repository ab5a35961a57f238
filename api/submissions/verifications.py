"""Queues checks of another instance's report: kept as it came, and looked at by scoring."""

import sqlalchemy as sa
from msgspec import json

from api.context import AppContext
from api.database.idempotency import Keep, unkept
from api.database.schema import verifications
from api.errors import InvalidInputError, not_found
from api.inputs import known_id
from tetrad.contracts.reports import Finding, Verification, VerificationRequest
from tetrad.server.clock import now_ms, rfc3339
from tetrad.server.database import read_transaction, write_transaction
from tetrad.server.ids import new_id


def queue_verification(context: AppContext, body: bytes, keep: Keep[Verification] = unkept) -> Verification:
    """Keep the claimed report and queue its verification. The object is written first, so that no row points nowhere.

    Raises:
        InvalidInputError: the body holds no report.
    """
    report = _claimed(body)
    name = new_id("ver")
    stored = f"verifications/{name}.json"
    context.store.put(stored, report)
    now = now_ms()
    queued = Verification(id=name, state="queued", created_at=rfc3339(now))
    with write_transaction(context.engine) as connection:
        row = {"id": name, "object": stored, "state": "queued", "created_at": now}
        connection.execute(sa.insert(verifications).values(row))
        keep(connection, queued)
    context.notifier.verify(name)
    return queued


def find_verification(engine: sa.Engine, verification: str) -> Verification:
    """Return the state of a verification, and its findings.

    Raises:
        NotFoundError: there is none.
    """
    query = sa.select(verifications).where(verifications.c.id == known_id("ver", verification, "verification"))
    with read_transaction(engine) as connection:
        row = connection.execute(query).one_or_none()
    if row is None:
        raise not_found("verification", verification)
    findings = [] if row.result is None else json.decode(row.result, type=list[Finding])
    return Verification(
        id=row.id,
        state=row.state,
        confirmed=all(finding.ok for finding in findings) if row.state == "done" else None,
        findings=findings,
        failure=row.failure,
        created_at=rfc3339(row.created_at),
        finished_at=None if row.finished_at is None else rfc3339(row.finished_at),
    )


def _claimed(body: bytes) -> bytes:
    try:
        return json.encode(json.decode(body, type=VerificationRequest).report)
    except (ValueError, RecursionError) as error:  # msgspec's errors and those of broken UTF-8 are ValueErrors
        remedy = 'send {"report": ...} with the JSON that GET /v1/submissions/{id}/report gave'
        raise InvalidInputError.at("report", None, str(error), remedy) from error
