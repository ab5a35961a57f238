"""The job of a verification: check a report that somebody sent, and write down what was found.

Each job of the worker's table has a module of its own.
"""

import logging

import msgspec
import sqlalchemy as sa

from scoring_service.generator import GeneratorConflictError, GeneratorRefusalError
from scoring_service.jobs.context import WorkerContext
from scoring_service.jobs.ledger import verifications
from scoring_service.jobs.outbox import Lease, write_as_holder
from scoring_service.verification import (
    after_regeneration,
    before_regeneration,
    can_regenerate,
    finding,
    regeneration_of,
    summarised,
)
from tetrad.contracts.reports import Finding, Report
from tetrad.server.clock import now_ms
from tetrad.server.database import read_transaction, write_transaction

log = logging.getLogger(__name__)


def verify_report(context: WorkerContext, lease: Lease) -> None:
    """Check a queued verification's report, and write its findings, failures first.

    Raises:
        LeaseLostError: another attempt has overtaken this one.
    """
    findings = summarised(_findings(context, _claimed_report(context, lease)))
    result = msgspec.json.encode(findings).decode()
    ended: dict[str, object] = {"finished_at": now_ms(), "lease_until": None, "failure": None}
    with write_transaction(context.engine) as connection:
        write_as_holder(connection, lease, state="done", result=result, **ended)
    log.info("verified", extra={"verification": lease.id})


def _findings(context: WorkerContext, report: Report) -> list[Finding]:
    info = context.generator.find(report.identity.benchmark, report.identity.version)
    findings = before_regeneration(report, info)
    if info is None or not can_regenerate(report, info):
        return findings
    try:
        items = context.generator.regenerate(regeneration_of(report))
        return [*findings, *after_regeneration(report, items, info.card)]
    except (GeneratorConflictError, GeneratorRefusalError) as error:
        return [*findings, finding("regeneration", "identity", "a draw of this identity and answers", str(error))]


def _claimed_report(context: WorkerContext, lease: Lease) -> Report:
    name = sa.select(verifications.c.object).where(verifications.c.id == lease.id)
    with read_transaction(context.engine) as connection:
        stored = str(connection.execute(name).scalar_one())
    body = context.store.get(stored)
    if body is None:
        raise LookupError("the claimed report is not in the object store")
    return msgspec.json.decode(body, type=Report)
