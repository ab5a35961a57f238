"""The job of a rescoring: make a new report beside the old one, and list the differences. Nothing else changes.

The generator is asked for the keys again. It gives them only for the answers that the reveal froze. So a report can
change because the scorer changed, never because an answer did.
"""

import hashlib
import logging
from collections.abc import Iterator, Mapping

import msgspec
import sqlalchemy as sa

from scoring_service.jobs.context import WorkerContext
from scoring_service.jobs.report_work import ReportJob
from scoring_service.jobs.score_submission import kept_differences, kept_facets
from scoring_service.jobs.slices import drop_slices
from scoring_service.verification import are_equal
from tetrad.contracts.reports import MetricValue, QuestionResult, Report
from tetrad.contracts.rescoring import MetricChange, ProposedReport, ReportDifference, VerdictChange
from tetrad.server.clock import now_ms
from tetrad.server.damage import read_object
from tetrad.server.database import read_transaction, write_transaction
from tetrad.server.objects import ObjectStore
from tetrad.server.outbox import Lease, write_as_holder
from tetrad.server.scoring_tables import reports, rescorings

MOST_QUESTIONS = 500
Place = tuple[int, str]
MetricName = tuple[str, tuple[tuple[str, str], ...]]

log = logging.getLogger(__name__)


class LostReportError(Exception):
    """The submission has no report: there is nothing to compare with."""


def rescore_submission(context: WorkerContext, lease: Lease) -> bool:
    """Propose a new report for a scored submission, or say that nothing would change.

    Raises:
        AlarmError, GeneratorError: as `ReportJob.work_for_a_slice`.
        LostReportError, DamageError: there is no report to compare with.
        LeaseLostError: another attempt has overtaken this one.
    """
    now = now_ms()
    submission = _submission_of(context.engine, lease)
    made = ReportJob(context, lease, submission).work_for_a_slice(now)
    if made is None:
        return False
    old = _current_report(context.engine, context.store, submission)
    new = msgspec.structs.replace(made, revision=old.revision + 1)
    _propose(context, lease, new, difference(old, new), now)
    return True


def difference(old: Report, new: Report) -> ReportDifference:
    """Return the questions whose verdict or answer changed and the numbers that moved."""
    changed = list(_verdict_changes(old, new))
    return ReportDifference(
        versions_before=old.versions,
        versions_after=new.versions,
        questions=changed[:MOST_QUESTIONS],
        questions_changed=len(changed),
        metrics=list(_metric_changes(old, new)),
    )


def _submission_of(engine: sa.Engine, lease: Lease) -> str:
    with read_transaction(engine) as connection:
        query = sa.select(rescorings.c.submission_id).where(rescorings.c.id == lease.id)
        return str(connection.execute(query).scalar_one())


def _current_report(engine: sa.Engine, store: ObjectStore, submission: str) -> Report:
    """Return the submission's newest report.

    Raises:
        LostReportError: it does not exist.
        DamageError: it is not what was written.
    """
    with read_transaction(engine) as connection:
        row = connection.execute(sa.select(reports).where(reports.c.submission_id == submission)).one_or_none()
    if row is None:
        raise LostReportError(f"{submission} has no report: nothing to compare with")
    body = read_object(engine, store, row.object, row.digest)
    return msgspec.structs.replace(msgspec.json.decode(body, type=Report), revision=row.revision)


def _propose(context: WorkerContext, lease: Lease, new: Report, found: ReportDifference, now: int) -> None:
    """Keep the proposal, or record that nothing would change. The object is written before the row."""
    if not found.questions and not found.metrics:
        with write_transaction(context.engine) as connection:
            write_as_holder(connection, lease, state="unchanged", lease_until=None, failure=None, finished_at=now)
            drop_slices(connection, lease.id)
        return
    body = msgspec.json.encode(new)
    digest = hashlib.sha256(body).hexdigest()
    name = f"reports/{new.submission}/{lease.id}-{lease.attempt}-{digest}.json"
    context.store.put(name, body)
    proposed = ProposedReport(
        revision=new.revision,
        object=name,
        digest=digest,
        headline=new.headline,
        asked=new.questions_asked,
        unread=new.unread,
        missing=new.missing,
        scored_at=now,
        differences=kept_differences(new),
        by_facet=kept_facets(new),
    )
    kept = {"report": _text(proposed), "difference": _text(found), "revision": new.revision, "finished_at": now}
    with write_transaction(context.engine) as connection:
        write_as_holder(connection, lease, state="proposed", lease_until=None, failure=None, **kept)
        drop_slices(connection, lease.id)


def _verdict_changes(old: Report, new: Report) -> Iterator[VerdictChange]:
    before = {(result.item, result.question): result for result in old.questions}
    after = {(result.item, result.question): result for result in new.questions}
    for place in sorted(before.keys() | after.keys()):
        was, now = _verdict_and_answer(before, place), _verdict_and_answer(after, place)
        if was != now:
            yield VerdictChange(
                item=place[0],
                question=place[1],
                verdict_before=was[0],
                verdict_after=now[0],
                answer_before=was[1],
                answer_after=now[1],
            )


def _verdict_and_answer(results: Mapping[Place, QuestionResult], place: Place) -> tuple[str, str | None]:
    found = results.get(place)
    return ("not asked", None) if found is None else (found.verdict, found.answer)


def _metric_changes(old: Report, new: Report) -> Iterator[MetricChange]:
    before, after = _by_name(old.metrics), _by_name(new.metrics)
    for name in [*before, *(name for name in after if name not in before)]:
        was, now = before.get(name), after.get(name)
        if was is None or now is None or not are_equal(was, now):
            yield MetricChange(
                name=name[0],
                facets=dict(name[1]),
                before=None if was is None else was.value,
                after=None if now is None else now.value,
                unit=next(value.unit for value in (now, was) if value is not None),
            )


def _by_name(metrics: list[MetricValue]) -> dict[MetricName, MetricValue]:
    return {(metric.name, tuple(sorted(metric.facets.items()))): metric for metric in metrics}


def _text(document: msgspec.Struct) -> str:
    return msgspec.json.encode(document).decode()
