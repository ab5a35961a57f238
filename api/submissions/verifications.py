"""Checking another instance's report: kept as it came, queued, and looked at by scoring."""

import sqlalchemy as sa
from msgspec import json

from api.context import Services
from api.database.schema import verifications
from api.http.idempotency import Keep, unkept
from api.http.known_ids import known_id, not_found
from tetrad.contracts.reports import Finding, Verification, VerificationRequest
from tetrad.server.clock import now_ms, rfc3339
from tetrad.server.database import read_transaction, write_transaction
from tetrad.server.ids import new_id
from tetrad.server.problems import refuse


def queue_verification(services: Services, body: bytes, keep: Keep[Verification] = unkept) -> Verification:
    """Keep the claimed report and queue its verification. The object comes first: no row points nowhere.

    Raises:
        ProblemError: 422, the body holds no report.
    """
    report = _claimed(body)
    name = new_id("ver")
    stored = f"verifications/{name}.json"
    services.store.put(stored, report)
    now = now_ms()
    queued = Verification(id=name, state="queued", created_at=rfc3339(now))
    with write_transaction(services.engine) as connection:
        row = {"id": name, "object": stored, "state": "queued", "created_at": now}
        connection.execute(sa.insert(verifications).values(row))
        keep(connection, queued)
    services.doorbell.verify(name)
    return queued


def find_verification(services: Services, verification: str) -> Verification:
    """Return how far a verification is, and what it found.

    Raises:
        ProblemError: 404.
    """
    query = sa.select(verifications).where(verifications.c.id == known_id("ver", verification, "verification"))
    with read_transaction(services.engine) as connection:
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
        raise refuse(422, "report", None, str(error), remedy) from error
