"""The job of a submission: its sealed answers and the keys of its draw become its report, slice by slice."""

import hashlib

import msgspec
import sqlalchemy as sa

from scoring_service.jobs.context import WorkerContext
from scoring_service.jobs.keys_ahead import KeysAhead
from scoring_service.jobs.report_work import ReportJob, ReportWork
from scoring_service.jobs.slices import drop_slices
from tetrad.contracts.reports import DIFFERENCE, Report
from tetrad.contracts.rescoring import KeptDifference, KeptFacet
from tetrad.server.clock import now_ms
from tetrad.server.database import write_transaction
from tetrad.server.outbox import Lease, write_as_holder
from tetrad.server.scoring_tables import add_event, reports


class SubmissionJob(ReportJob):
    """One turn of the job of a submission: its keys may have been fetched ahead."""

    def __init__(self, context: WorkerContext, lease: Lease, ahead: KeysAhead | None) -> None:
        super().__init__(context, lease, lease.id)
        self._ahead = ahead

    def begin(self) -> ReportWork:
        work = None if self._ahead is None else self._ahead.take(self._submission)
        return super().begin() if work is None else work


def score_submission(context: WorkerContext, lease: Lease, ahead: KeysAhead | None = None) -> bool:
    """Make the report of a queued submission and publish it; False if the job goes on. `ahead` may have its first keys.

    Raises:
        AlarmError, GeneratorError: as `ReportJob.work_for_a_slice`.
        LeaseLostError: another attempt has overtaken this one; its object stays behind, unnamed.
    """
    now = now_ms()
    report = SubmissionJob(context, lease, ahead).work_for_a_slice(now)
    if report is None:
        return False
    publish_report(context, lease, report, now)
    benchmark = report.identity.benchmark
    context.records.count_replies(benchmark, report.questions_asked, report.unread, report.missing)
    return True


def publish_report(context: WorkerContext, lease: Lease, report: Report, now: int) -> None:
    """Store the report, then name it in the submission's row.

    The object comes first, so that no row names a missing one.

    Raises:
        LeaseLostError: another attempt has overtaken this one; its object stays behind, unnamed.
    """
    body = msgspec.json.encode(report)
    digest = hashlib.sha256(body).hexdigest()
    name = f"reports/{lease.id}/{lease.attempt}-{digest}.json"  # overwrites no other
    context.store.put(name, body)
    headline: dict[str, object] = {"metric": report.headline.name, "headline": report.headline.value}
    with write_transaction(context.engine) as connection:
        write_as_holder(connection, lease, state="scored", scored_at=now, lease_until=None, failure=None)
        drop_slices(connection, lease.id)
        connection.execute(sa.insert(reports).values(_report_row(lease, report, name, digest, now)))
        add_event(connection, lease.id, now, "scored", headline)


def kept_differences(report: Report) -> list[KeptDifference]:
    """Return what a report's row keeps of the overall differences that have a value.

    The squares follow from the standard error, which is that of the mean of `items` values.
    """
    return [
        KeptDifference(
            name=metric.name,
            items=metric.items,
            total=metric.total,
            squares=metric.total**2 / metric.items
            + (metric.standard_error or 0.0) ** 2 * metric.items * (metric.items - 1),
        )
        for metric in report.metrics
        if metric.unit == DIFFERENCE and not metric.facets and metric.value is not None
    ]


def kept_facets(report: Report) -> list[KeptFacet]:
    """Return what a report's row keeps of the headline by the facets that its metric is split by.

    Track and setting are the same for a whole board, so they tell nothing there.
    """
    found = []
    for metric in report.metrics:
        facets = {name: value for name, value in metric.facets.items() if name not in {"track", "setting"}}
        if metric.name == report.headline.name and metric.items and facets:
            facet, value = " and ".join(facets), " and ".join(facets.values())
            found.append(KeptFacet(facet=facet, value=value, items=metric.items, total=metric.total))
    return found


def _report_row(lease: Lease, report: Report, name: str, digest: str, now: int) -> dict[str, object]:
    return {
        "submission_id": lease.id,
        "attempt": lease.attempt,
        "object": name,
        "digest": digest,
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
        "by_facet": msgspec.json.encode(kept_facets(report)).decode(),
        "revision": report.revision,
    }
