"""The job of a submission: its sealed answers and the keys of its draw become its report."""

import hashlib
import logging
import secrets

import msgspec
import sqlalchemy as sa

from scoring_service.generator import GeneratorRefusalError
from scoring_service.jobs.attempts import AlarmError
from scoring_service.jobs.context import WorkerContext
from scoring_service.jobs.ledger import add_event, answers, reports, submissions
from scoring_service.jobs.outbox import Lease, write_as_holder
from scoring_service.judge import JudgeRefusalError
from scoring_service.scoring import Keys, score
from tetrad.commitments import commitment_of
from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.items import DrawIdentity
from tetrad.contracts.reports import DIFFERENCE, Report
from tetrad.contracts.rescoring import KeptDifference
from tetrad.contracts.wire import ParameterValue
from tetrad.internal.kept_answers import KeptAnswer, KeptAnswersError, checked_body, unpack_answers
from tetrad.server.clock import now_ms, rfc3339
from tetrad.server.database import read_transaction, write_transaction

log = logging.getLogger(__name__)


def score_submission(context: WorkerContext, lease: Lease) -> None:
    """Make the report of a queued submission and publish it.

    Raises:
        AlarmError, GeneratorError: as `make_report`.
        LeaseLostError: another attempt has overtaken this one; its object stays behind, unnamed.
    """
    now = now_ms()
    publish_report(context, lease, make_report(context, lease.id, now), now)
    log.info("scored", extra={"submission": lease.id})


def make_report(context: WorkerContext, submission: str, now: int) -> Report:
    """Return the report of the submission by this scorer, from its sealed answers and the keys.

    Raises:
        AlarmError: what is revealed is not what was committed to.
        GeneratorError: it can't be had, or the answers are not those that were sealed.
    """
    row, sealed = _submission(context, submission)
    keys = context.generator.reveal(submission, sealed)
    identity = _identity(row)
    _check_commitment(identity, row, keys)
    info = context.generator.find(identity.benchmark, identity.version)
    if info is None:
        raise GeneratorRefusalError(f"the generator has no card of {identity.benchmark} {identity.version}")
    report = _scored(context, submission, keys, sealed, info.card, scored_at=rfc3339(now))
    return msgspec.structs.replace(report, conversation=row.conversation)


def publish_report(context: WorkerContext, lease: Lease, report: Report, now: int) -> None:
    """Store the report, then make it the submission's: the object first, so that no row points nowhere.

    Raises:
        LeaseLostError: another attempt has overtaken this one; its object stays behind, unnamed.
    """
    body = msgspec.json.encode(report)
    name = f"reports/{lease.id}/{lease.attempt}-{secrets.token_hex(8)}.json"  # overwrites no other
    context.store.put(name, body)
    headline: dict[str, object] = {"metric": report.headline.name, "headline": report.headline.value}
    with write_transaction(context.engine) as connection:
        write_as_holder(connection, lease, state="scored", scored_at=now, lease_until=None, failure=None)
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


def _scored(
    context: WorkerContext,
    submission: str,
    keys: Keys,
    sealed: list[SealedAnswer],
    card: Card,
    *,
    scored_at: str,
) -> Report:
    """Score with a second opinion on captions; a judge that does not fit its gateway keeps nobody from a score."""
    try:
        return score(submission, keys, sealed, card, scored_at=scored_at, caption_judge=context.judge)
    except JudgeRefusalError as error:
        log.error("scored without a judge: %s", error, extra={"submission": submission})  # noqa: TRY400 - no defect
        return score(submission, keys, sealed, card, scored_at=scored_at)


def _check_commitment(identity: DrawIdentity, row: sa.Row[tuple[object, ...]], keys: Keys) -> None:
    """Check that what is revealed is what was committed to before anything was answered."""
    if (keys.identity, keys.size) != (identity, row.size):
        raise AlarmError("the draw that the generator revealed is not the one that was opened")
    if commitment_of(identity, keys.seed, row.size) != row.commitment:
        raise AlarmError("the seed that the generator revealed does not fit the published commitment")


def _submission(context: WorkerContext, submission: str) -> tuple[sa.Row[tuple[object, ...]], list[SealedAnswer]]:
    """Return the submission's row and all its answers, from their rows or from the object that took their place.

    Raises:
        AlarmError: the object is not there, or not what was kept.
    """
    given = sa.select(answers.c.item, answers.c.question, answers.c.answer, answers.c.response, answers.c.stop)
    with read_transaction(context.engine) as connection:
        row = connection.execute(sa.select(submissions).where(submissions.c.id == submission)).one()
        if row.answers_object is None:
            found = connection.execute(given.where(answers.c.submission_id == submission)).all()
            return row, [
                SealedAnswer(item=item, question=question, answer=answer, response=response, stop=stop)
                for item, question, answer, response, stop in found
            ]
    return row, [
        SealedAnswer(item=one.item, question=one.question, answer=one.answer, response=one.response, stop=one.stop)
        for one in _kept(context, row)
    ]


def _kept(context: WorkerContext, row: sa.Row[tuple[object, ...]]) -> list[KeptAnswer]:
    try:
        body = checked_body(context.store.get(str(row.answers_object)), str(row.answers_digest))
        return list(unpack_answers(body))
    except KeptAnswersError as error:
        raise AlarmError(f"{error}: restore {row.answers_object} from a backup") from error


def _identity(row: sa.Row[tuple[object, ...]]) -> DrawIdentity:
    return DrawIdentity(
        benchmark=row.benchmark,
        version=row.version,
        bank=row.bank,
        track=row.track,
        setting=row.setting,
        parameters=msgspec.json.decode(row.parameters, type=dict[str, ParameterValue]),
    )


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
