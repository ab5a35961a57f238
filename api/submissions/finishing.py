"""Finishes submissions: by request, and by the last answer. Scoring's sweeper does it by the deadline."""

import sqlalchemy as sa

from api.context import AppContext
from api.database.schema import answers, items, questions, submissions
from api.errors import NothingFetchedError, SubmissionClosedError, not_found
from api.inputs import known_id
from api.submissions.finding import SubmissionRow, answering, find_owned, show
from api.teams.access import Caller
from api.upstream.job_notifier import JobNotifier
from tetrad.contracts.submissions import Submission
from tetrad.server.clock import now_ms, patient_ms, rfc3339
from tetrad.server.database import write_transaction
from tetrad.server.request_ids import id_columns
from tetrad.server.scoring_tables import add_event

COMPLETE = "complete"
SEEN = "its sealed answers are being scored"
UNSEEN = (
    "no question of it was fetched and none can be any more, so within a minute it lapses: its id is unknown then, and "
    "its commitment stays in the public log; open another one"
)


def check_open(row: SubmissionRow) -> None:
    """Check that the submission is open.

    Raises:
        SubmissionClosedError: it is finished, or its deadline has passed; the detail says what becomes of it.
    """
    if row.state != "open":
        raise SubmissionClosedError(f"the submission is {row.state}: it takes no more answers and opens no questions")
    if _is_past(row, patient_ms()):
        raise SubmissionClosedError(
            "the submission is past its deadline: " + (UNSEEN if row.fetched_at is None else SEEN)
        )


def _is_past(row: SubmissionRow, now: int) -> bool:
    return bool(
        row.deadline_at <= now or row.finish_reason is not None
    )  # expired by scoring's clock: scoring is about to delete it


def lock_submission(connection: sa.Connection, submission: str) -> SubmissionRow:
    """Return the submission's row, and keep other writers of it out until the transaction ends.

    Raises:
        NotFoundError: there is none, or it has lapsed unseen a moment ago.
    """
    this = submissions.c.id == known_id("sub", submission, "submission")
    row = connection.execute(sa.select(submissions).where(this).with_for_update()).one_or_none()
    if row is None:
        raise not_found("submission", submission)
    return row


def finish_items(connection: sa.Connection, submission: str, first: int, last: int) -> int:
    """Mark the items first..last that are closing and have every question answered; return how many."""
    # A difference of two sets: without statistics, as after an installation, Postgres joins them row by row.
    opened, answered = (
        sa.select(table.c.item, table.c.question).where(
            table.c.submission_id == submission, table.c.item.between(first, last)
        )
        for table in (questions, answers)
    )
    unanswered = sa.except_(opened, answered).subquery()
    done = (
        sa.update(items)
        .where(items.c.submission_id == submission, items.c.item.between(first, last))
        .where(items.c.closing, ~items.c.finished, items.c.item.not_in(sa.select(unanswered.c.item)))
        .values(finished=True)
    )
    return connection.execute(done).rowcount


def count_up(connection: sa.Connection, row: SubmissionRow, now: int, **counted: int) -> str:
    """Add to the submission's counts; queue it when its last item is finished. Return its state."""
    added = {name: submissions.c[name] + number for name, number in counted.items()}
    fetched = sa.func.coalesce(submissions.c.fetched_at, now)
    this = submissions.c.id == row.id
    connection.execute(sa.update(submissions).where(this).values(**added, fetched_at=fetched))
    if row.finished_items + counted.get("finished_items", 0) < row.size:
        return "open"
    queue(connection, str(row.id), COMPLETE, now)
    return "queued"


def queue(connection: sa.Connection, submission: str, reason: str, now: int) -> None:
    this = sa.update(submissions).where(submissions.c.id == submission)
    connection.execute(this.values(state="queued", finished_at=now, finish_reason=reason, **id_columns()))
    add_event(connection, submission, now, "finished", {"reason": reason})


def finish(context: AppContext, caller: Caller, submission: str) -> Submission:
    """Finish the submission now: what is missing is wrong. Finishing it again changes nothing.

    Raises:
        NotFoundError: it is not the caller's.
        AnsweredByServiceError: the service answers it.
        NothingFetchedError: no question of it was ever fetched.
    """
    row = answering(context.engine, caller, submission)
    if row.state == "open":
        _finish_open(context.engine, context.notifier, submission)
    return show(context.settings, find_owned(context.engine, caller, submission))


def _finish_open(engine: sa.Engine, notifier: JobNotifier, submission: str) -> None:
    now = now_ms()
    with write_transaction(engine) as connection:
        row = lock_submission(connection, submission)
        if row.fetched_at is None:
            raise _nothing_fetched_error(row, now)
        if row.state == "open":
            queue(connection, submission, "request", now)
    notifier.score(submission)


def _nothing_fetched_error(row: SubmissionRow, now: int) -> NothingFetchedError:
    if _is_past(row, now):
        return NothingFetchedError(f"the submission is past its deadline: {UNSEEN}")
    return NothingFetchedError(
        "no question of this submission was fetched, so there is nothing to score: fetch its questions, or let it "
        f"lapse at its deadline, {rfc3339(row.deadline_at)}: its id is unknown then, and its commitment stays in the "
        "public log",
    )
