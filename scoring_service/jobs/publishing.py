"""How an attempt ends in the database: a report, a verification's findings, or a failure. One transaction each."""

import hashlib
import json
import secrets

import msgspec
import sqlalchemy as sa

from scoring_service.jobs.ledger import events, reports, submissions
from scoring_service.jobs.outbox import Claim, write_as_holder
from tetrad.contracts.reports import Finding, Report
from tetrad.server.database import write_transaction
from tetrad.server.objects import ObjectStore


def publish_report(engine: sa.Engine, store: ObjectStore, held: Claim, report: Report, now: int) -> None:
    """Store the report, then make it the submission's: the object first, so that no row points nowhere.

    Raises:
        ClaimLostError: another attempt has overtaken this one; its object stays behind, unnamed.
    """
    body = msgspec.json.encode(report)
    name = f"reports/{held.id}/{held.attempt}-{secrets.token_hex(8)}.json"  # nobody else's, whoever is overtaken
    store.put(name, body)
    headline: dict[str, object] = {"metric": report.headline.name, "headline": report.headline.value}
    with write_transaction(engine) as connection:
        write_as_holder(connection, held, state="scored", scored_at=now, lease_until=None, failure=None)
        connection.execute(sa.insert(reports).values(_report_row(held, report, name, body, now)))
        _tell(connection, held.id, now, "scored", headline)


def publish_findings(engine: sa.Engine, held: Claim, findings: list[Finding], now: int) -> None:
    """Write a verification's findings, failures first.

    Raises:
        ClaimLostError: another attempt has overtaken this one.
    """
    result = msgspec.json.encode(findings).decode()
    with write_transaction(engine) as connection:
        write_as_holder(connection, held, state="done", finished_at=now, lease_until=None, failure=None, result=result)


def publish_failure(engine: sa.Engine, held: Claim, failure: str, now: int) -> None:
    """Say that the row failed, in words that hold no key and no traceback.

    Raises:
        ClaimLostError: another attempt has overtaken this one.
    """
    ended = {} if held.table is submissions else {"finished_at": now}  # a submission's is its team's
    with write_transaction(engine) as connection:
        write_as_holder(connection, held, state="failed", lease_until=None, failure=failure, **ended)
        if held.table is submissions:
            _tell(connection, held.id, now, "failed", {"failure": failure})


def _report_row(held: Claim, report: Report, name: str, body: bytes, now: int) -> dict[str, object]:
    return {
        "submission_id": held.id,
        "attempt": held.attempt,
        "object": name,
        "digest": hashlib.sha256(body).hexdigest(),
        "seed": report.seed,
        "metric": report.headline.name,
        "headline": msgspec.json.encode(report.headline).decode(),
        "total": report.headline.total,
        "items": report.headline.items,
        "asked": report.questions_asked,
        "unread": report.unread,
        "missing": report.missing,
        "scored_at": now,
        "revision": report.revision,
    }


def _tell(connection: sa.Connection, submission: str, now: int, kind: str, data: dict[str, object]) -> None:
    row = {"submission_id": submission, "at": now, "kind": kind, "data": json.dumps(data)}
    connection.execute(sa.insert(events).values(row))
