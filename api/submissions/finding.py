"""Reads submissions, and returns what their teams and the public may see of them."""

from collections.abc import Sequence

import sqlalchemy as sa
from msgspec import json

from api.database.schema import models, reports, submissions, teams
from api.errors import AnsweredByServiceError, not_found
from api.inputs import known_id
from api.paging import cursor_at, link, position_of
from api.settings import ApiSettings
from api.teams.access import Caller
from tetrad.contracts.items import DrawIdentity
from tetrad.contracts.reports import MetricValue
from tetrad.contracts.submissions import Progress, Submission, SubmissionList
from tetrad.internal.jobs import attempts_of
from tetrad.server.clock import rfc3339
from tetrad.server.database import is_state, read_rows

SubmissionRow = sa.Row[tuple[object, ...]]

JOINED = (
    sa.select(
        submissions,
        models.c.name.label("model"),
        teams.c.name.label("team"),
        reports.c.headline,
        reports.c.seed,
        reports.c.object.label("report"),
        reports.c.digest.label("report_digest"),
        reports.c.revision,
    )
    .join(models, models.c.id == submissions.c.model_id)
    .join(teams, teams.c.id == submissions.c.team_id)
    .outerjoin(reports, reports.c.submission_id == submissions.c.id)
)


def find_owned(engine: sa.Engine, caller: Caller, submission: str) -> SubmissionRow:
    """Return the caller's own submission.

    Raises:
        NotFoundError: it is another team's or nobody's.
    """
    row = _find(engine, submission)
    if row is None or row.team_id != caller.team_id:
        raise not_found("submission", submission)
    return row


def answering(engine: sa.Engine, caller: Caller, submission: str) -> SubmissionRow:
    """Return the caller's own submission, if the caller is the one who answers it.

    Raises:
        NotFoundError: it is another team's or nobody's.
        AnsweredByServiceError: the service answers it, in an evaluation.
    """
    row = find_owned(engine, caller, submission)
    if row.evaluation_id is not None and not caller.is_service:
        raise answered_by_service(str(row.evaluation_id))
    return row


def answered_by_service(evaluation: str) -> AnsweredByServiceError:
    return AnsweredByServiceError(
        f"the service answers this submission, in evaluation {evaluation}: its questions are shown once it is scored; "
        f"pause, resume or cancel the evaluation (POST /v1/evaluations/{evaluation}/cancel)"
    )


def find_readable(engine: sa.Engine, caller: Caller | None, submission: str) -> SubmissionRow:
    """Return a submission whose outcome the caller may read: one's own, or a public one once it is scored or void.

    Raises:
        NotFoundError: otherwise.
    """
    row = _find(engine, submission)
    is_own = row is not None and caller is not None and row.team_id == caller.team_id
    if row is None or not (is_own or (row.visibility == "public" and row.state in {"scored", "void"})):
        raise not_found("submission", submission)
    return row


def by_id(engine: sa.Engine, submission: str) -> SubmissionRow:
    """Return any team's submission, for an operator.

    Raises:
        NotFoundError: there is none.
    """
    row = _find(engine, submission)
    if row is None:
        raise not_found("submission", submission)
    return row


def _find(engine: sa.Engine, submission: str) -> SubmissionRow | None:
    query = JOINED.where(submissions.c.id == known_id("sub", submission, "submission"))
    return next(iter(read_rows(engine, query)), None)


def list_scored(
    engine: sa.Engine, caller: Caller | None, *conditions: sa.ColumnElement[bool], most: int
) -> Sequence[SubmissionRow]:
    """Return scored submissions that the caller may read and that meet the conditions, newest first."""
    is_readable = is_state(submissions.c.visibility, "public")
    if caller is not None:
        is_readable = sa.or_(is_readable, submissions.c.team_id == caller.team_id)
    newest = sa.select(submissions.c.id).where(is_readable, is_state(submissions.c.state, "scored"), *conditions)
    newest = newest.order_by(submissions.c.id.desc()).limit(most)  # alone, so that an index of ids answers it
    found = newest.subquery()
    return read_rows(engine, JOINED.join(found, found.c.id == submissions.c.id).order_by(submissions.c.id.desc()))


def list_own(
    engine: sa.Engine,
    settings: ApiSettings,
    caller: Caller,
    cursor: str | None,
    limit: int,
    *,
    state: str = "",
    benchmark: str = "",
) -> SubmissionList:
    """Return a page of the team's submissions, newest first; with a state or a benchmark those alone."""
    before = position_of("submissions", cursor, "")
    query = JOINED.where(submissions.c.team_id == caller.team_id).order_by(submissions.c.id.desc()).limit(limit + 1)
    if before:
        query = query.where(submissions.c.id < before)
    if state:
        query = query.where(submissions.c.state == state)
    if benchmark:
        query = query.where(submissions.c.benchmark == benchmark)
    rows = read_rows(engine, query)
    shown = rows[:limit]
    return SubmissionList(
        submissions=[show(settings, row) for row in shown],
        next=cursor_at("submissions", shown[-1].id) if len(rows) > limit else None,
    )


def identity_of(row: SubmissionRow) -> DrawIdentity:
    return DrawIdentity(
        benchmark=row.benchmark,
        version=row.version,
        bank=row.bank,
        track=row.track,
        setting=row.setting,
        parameters=json.decode(row.parameters),
    )


def show(settings: ApiSettings, row: SubmissionRow) -> Submission:
    """Return a row of JOINED as its team sees it."""
    return Submission(
        id=row.id,
        team=row.team,
        model=row.model,
        identity=identity_of(row),
        size=row.size,
        visibility=row.visibility,
        nonce=row.nonce,
        commitment=row.commitment,
        state=row.state,
        opened_at=rfc3339(row.opened_at),
        deadline_at=rfc3339(row.deadline_at),
        paused_since=_time(row.paused_at) if row.state == "open" else None,
        finished_at=_time(row.finished_at),
        finish_reason=row.finish_reason,
        scored_at=_time(row.scored_at),
        attempts=attempts_of(row.attempt),
        failure=row.failure,
        void_reason=row.void_reason,
        progress=Progress(
            items=row.size,
            questions_opened=row.opened_count,
            questions_answered=row.answered_count,
            items_finished=row.finished_items,
        ),
        headline=None if row.headline is None else json.decode(row.headline, type=MetricValue),
        seed=row.seed,
        links=_links(settings, row.id),
        conversation=row.conversation,
        evaluation=row.evaluation_id,
        unranked=row.unranked or "",
    )


def _links(settings: ApiSettings, submission: str) -> dict[str, str]:
    below = ("questions", "answers", "finish", "events", "report", "revisions", "items")
    return {
        "self": link(settings, "submissions", submission),
        **{name: link(settings, "submissions", submission, name) for name in below},
    }


def _time(milliseconds: int | None) -> str | None:
    return None if milliseconds is None else rfc3339(milliseconds)
