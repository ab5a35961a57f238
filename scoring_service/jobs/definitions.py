"""The jobs, by name. What is not in this table is not run; a job's only argument is the id of a row."""

import logging
from collections.abc import Callable, Mapping

import msgspec
import sqlalchemy as sa

from scoring_service.generator import GeneratorConflictError, GeneratorRefusalError
from scoring_service.jobs.attempts import AlarmError, attempt
from scoring_service.jobs.context import Workplace
from scoring_service.jobs.ledger import answers, rescorings, submissions, verifications
from scoring_service.jobs.outbox import Claim
from scoring_service.jobs.publishing import publish_findings, publish_report
from scoring_service.jobs.rescoring import current_report, difference, propose, subject_of
from scoring_service.judge.caption_judge import JudgeRefusalError
from scoring_service.keys import Keys
from scoring_service.scoring import score
from scoring_service.verification.claims import finding
from scoring_service.verification.comparing import (
    after_regeneration,
    before_regeneration,
    can_regenerate,
    regeneration_of,
    summarised,
)
from tetrad.commitments import commitment_of
from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.items import DrawIdentity
from tetrad.contracts.reports import Finding, Report
from tetrad.contracts.wire import ParameterValue
from tetrad.internal.jobs import RESCORE_SUBMISSION, SCORE_SUBMISSION, VERIFY_REPORT
from tetrad.server.clock import now_ms, rfc3339
from tetrad.server.database import read_transaction

log = logging.getLogger(__name__)


def score_submission(workplace: Workplace, submission: str) -> None:
    """Score a queued submission, unless another worker has it."""
    if attempt(workplace, submissions, submission, lambda held: _score(workplace, held)):
        log.info("scoring ended", extra={"submission": submission})


def verify_report(workplace: Workplace, verification: str) -> None:
    """Check a queued verification's report, unless another worker has it."""
    if attempt(workplace, verifications, verification, lambda held: _verify(workplace, held)):
        log.info("verification ended", extra={"verification": verification})


def rescore_submission(workplace: Workplace, rescoring: str) -> None:
    """Propose a new report for a scored submission, unless another worker does."""
    if attempt(workplace, rescorings, rescoring, lambda held: _rescore(workplace, held)):
        log.info("rescoring ended", extra={"rescoring": rescoring})


JOBS: Mapping[str, Callable[[Workplace, str], None]] = {
    SCORE_SUBMISSION: score_submission,
    VERIFY_REPORT: verify_report,
    RESCORE_SUBMISSION: rescore_submission,
}

TABLES: Mapping[str, sa.Table] = {
    SCORE_SUBMISSION: submissions,
    VERIFY_REPORT: verifications,
    RESCORE_SUBMISSION: rescorings,
}
"""Whose outbox each job works off."""


def _score(workplace: Workplace, held: Claim) -> None:
    now = now_ms()
    publish_report(workplace.engine, workplace.store, held, _report(workplace, held.id, now), now)


def _rescore(workplace: Workplace, held: Claim) -> None:
    now = now_ms()
    submission = subject_of(workplace.engine, held.id)
    old = current_report(workplace.engine, workplace.store, submission)
    new = msgspec.structs.replace(_report(workplace, submission, now), revision=old.revision + 1)
    propose(workplace, held, new, difference(old, new), now)


def _report(workplace: Workplace, submission: str, now: int) -> Report:
    """Return the report of the submission by this scorer, from its sealed answers and the keys.

    Raises:
        AlarmError: what is revealed is not what was committed to.
        GeneratorError: it can't be had, or the answers are not those that were sealed.
    """
    row, sealed = _submission(workplace.engine, submission)
    keys = workplace.generator.reveal(submission, sealed)
    identity = _identity(row)
    _check_commitment(identity, row, keys)
    info = workplace.generator.find(identity.benchmark, identity.version)
    if info is None:
        raise GeneratorRefusalError(f"the generator has no card of {identity.benchmark} {identity.version}")
    return _judged(workplace, submission, keys, sealed, info.card, scored_at=rfc3339(now))


def _judged(
    workplace: Workplace,
    submission: str,
    keys: Keys,
    sealed: list[SealedAnswer],
    card: Card,
    *,
    scored_at: str,
) -> Report:
    """Score with a second opinion on captions; a judge that does not fit its gateway keeps nobody from a score."""
    try:
        return score(submission, keys, sealed, card, scored_at=scored_at, caption_judge=workplace.judge)
    except JudgeRefusalError as error:
        log.error("scored without a judge: %s", error, extra={"submission": submission})  # noqa: TRY400 - no defect
        return score(submission, keys, sealed, card, scored_at=scored_at)


def _verify(workplace: Workplace, held: Claim) -> None:
    report = _claimed_report(workplace, held)
    publish_findings(workplace.engine, held, summarised(_findings(workplace, report)), now_ms())


def _findings(workplace: Workplace, report: Report) -> list[Finding]:
    info = workplace.generator.find(report.identity.benchmark, report.identity.version)
    findings = before_regeneration(report, info)
    if info is None or not can_regenerate(report, info):
        return findings
    try:
        items = workplace.generator.regenerate(regeneration_of(report))
        return [*findings, *after_regeneration(report, items, info.card)]
    except (GeneratorConflictError, GeneratorRefusalError) as error:
        return [*findings, finding("regeneration", "identity", "a draw of this identity and answers", str(error))]


def _check_commitment(identity: DrawIdentity, row: sa.Row[tuple[object, ...]], keys: Keys) -> None:
    """Check that what is revealed is what was committed to before anything was answered."""
    if (keys.identity, keys.size) != (identity, row.size):
        raise AlarmError("the draw that the generator revealed is not the one that was opened")
    if commitment_of(identity, keys.seed, row.size) != row.commitment:
        raise AlarmError("the seed that the generator revealed does not fit the published commitment")


def _submission(engine: sa.Engine, submission: str) -> tuple[sa.Row[tuple[object, ...]], list[SealedAnswer]]:
    given = sa.select(answers.c.item, answers.c.question, answers.c.answer, answers.c.response)
    with read_transaction(engine) as connection:
        row = connection.execute(sa.select(submissions).where(submissions.c.id == submission)).one()
        rows = connection.execute(given.where(answers.c.submission_id == submission)).all()
    return row, [
        SealedAnswer(item=item, question=question, answer=answer, response=response)
        for item, question, answer, response in rows
    ]


def _identity(row: sa.Row[tuple[object, ...]]) -> DrawIdentity:
    return DrawIdentity(
        benchmark=row.benchmark,
        version=row.version,
        bank=row.bank,
        track=row.track,
        setting=row.setting,
        parameters=msgspec.json.decode(row.parameters, type=dict[str, ParameterValue]),
    )


def _claimed_report(workplace: Workplace, held: Claim) -> Report:
    name = sa.select(verifications.c.object).where(verifications.c.id == held.id)
    with read_transaction(workplace.engine) as connection:
        stored = str(connection.execute(name).scalar_one())
    body = workplace.store.get(stored)
    if body is None:
        raise LookupError("the claimed report is not in the object store")
    return msgspec.json.decode(body, type=Report)
