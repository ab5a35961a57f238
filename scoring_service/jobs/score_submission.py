"""The job of a submission: its sealed answers and the keys of its draw become its report, slice by slice."""

import hashlib
import logging
import secrets

import msgspec
import sqlalchemy as sa

from scoring_service.generator import RevealedDraw
from scoring_service.jobs.context import WorkerContext
from scoring_service.jobs.ledger import add_event, reports, submissions
from scoring_service.jobs.report_work import JudgedSlice, ReportWork, open_report
from scoring_service.jobs.slices import drop_slices
from tetrad.contracts.reports import DIFFERENCE, Report
from tetrad.contracts.rescoring import KeptDifference
from tetrad.server.clock import now_ms, rfc3339
from tetrad.server.database import read_rows, write_transaction
from tetrad.server.outbox import Lease, write_as_holder

log = logging.getLogger(__name__)


def score_submission(context: WorkerContext, lease: Lease) -> None:
    """Make the report of a queued submission and publish it.

    Raises:
        AlarmError, GeneratorError: as `make_report`.
        LeaseLostError: another attempt has overtaken this one; its object stays behind, unnamed.
    """
    now = now_ms()
    report = make_report(context, lease, lease.id, now)
    if report is not None:
        publish_report(context, lease, report, now)
        log.info("scored", extra={"submission": lease.id})


def make_report(context: WorkerContext, lease: Lease, submission: str, now: int) -> Report | None:
    """Work for a slice on the report of the submission, by this scorer, from its sealed answers and the keys.

    Return the report. Return None if the job continues in another turn; then the row is given back.

    Raises:
        AlarmError: the revealed draw does not match the commitment.
        GeneratorError: the draw can't be revealed now, or the answers are not those that were sealed.
        JudgeUnavailableError: there is a judge of captions, and it is away.
        LeaseLostError: another attempt has overtaken this one.
    """
    slices = context.slices

    def begin() -> ReportWork:
        return open_report(context, submission, slices.store.last(lease.id, RevealedDraw, JudgedSlice))

    work = slices.open(lease.id, ReportWork, begin)
    if not slices.advance(lease, submission, work):
        return None
    report = work.report(slices.store.read(lease.id, work.number, JudgedSlice), rfc3339(now))
    conversation = sa.select(submissions.c.conversation).where(submissions.c.id == submission)
    return msgspec.structs.replace(report, conversation=read_rows(context.engine, conversation)[0].conversation)


def publish_report(context: WorkerContext, lease: Lease, report: Report, now: int) -> None:
    """Store the report, then name it in the submission's row.

    The object comes first, so that no row names a missing one.

    Raises:
        LeaseLostError: another attempt has overtaken this one; its object stays behind, unnamed.
    """
    body = msgspec.json.encode(report)
    name = f"reports/{lease.id}/{lease.attempt}-{secrets.token_hex(8)}.json"  # overwrites no other
    context.store.put(name, body)
    headline: dict[str, object] = {"metric": report.headline.name, "headline": report.headline.value}
    with write_transaction(context.engine) as connection:
        write_as_holder(connection, lease, state="scored", scored_at=now, lease_until=None, failure=None)
        drop_slices(connection, lease.id)
        connection.execute(sa.insert(reports).values(_report_row(lease, report, name, body, now)))
        add_event(connection, lease.id, now, "scored", headline)


def kept_differences(report: Report) -> list[KeptDifference]:
    """Return what a report's row keeps of the overall differences that have a value.

    The squares follow from the standard error, which is that of the mean of `items` values.
    """
    return [
        KeptDifference(
            name=one.name,
            items=one.items,
            total=one.total,
            squares=one.total**2 / one.items + (one.standard_error or 0.0) ** 2 * one.items * (one.items - 1),
        )
        for one in report.metrics
        if one.unit == DIFFERENCE and not one.facets and one.value is not None
    ]


def _report_row(lease: Lease, report: Report, name: str, body: bytes, now: int) -> dict[str, object]:
    return {
        "submission_id": lease.id,
        "attempt": lease.attempt,
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
        "differences": msgspec.json.encode(kept_differences(report)).decode(),
        "revision": report.revision,
    }
