"""Declares a submission void, and queues a failed one again."""

import sqlalchemy as sa

from api.context import AppContext
from api.database.schema import submissions
from api.errors import NotFailedError, VoidSubmissionError
from api.operator.access import Operator
from api.operator.audit_log import note
from api.settings import ApiSettings
from api.submissions.finding import by_id, show
from api.submissions.finishing import lock_submission
from tetrad.contracts.submissions import Submission
from tetrad.internal.jobs import attempts_of, queued_again
from tetrad.server.clock import now_ms
from tetrad.server.database import write_transaction
from tetrad.server.scoring_tables import add_event


def void(engine: sa.Engine, settings: ApiSettings, operator: Operator, submission: str, reason: str) -> Submission:
    """Take the submission out of everything that counts, for good, with a public reason.

    A worker that is scoring it finds the row no longer queued and keeps nothing. Its line in the log stays, and its
    report too, but the report counts nowhere.

    Raises:
        NotFoundError: there is none.
        VoidSubmissionError: it is void already.
    """
    now = now_ms()
    with write_transaction(engine) as connection:
        row = lock_submission(connection, submission)
        if row.state == "void":
            raise VoidSubmissionError(f"the submission is void already: {row.void_reason}")
        note(connection, operator, "void", submission, reason=reason, state=row.state)
        ended = {"state": "void", "void_reason": reason, "lease_until": None}
        connection.execute(sa.update(submissions).where(submissions.c.id == submission).values(ended))
        add_event(connection, submission, now, "void", {"reason": reason})
    return show(settings, by_id(engine, submission))


def requeue(context: AppContext, operator: Operator, submission: str, reason: str) -> Submission:
    """Queue a failed submission afresh. It costs the team nothing.

    It gets all its attempts again, and a stalled worker loses its lease. The audit log records the number of earlier
    attempts.

    Raises:
        NotFoundError: there is none.
        NotFailedError: it is in another state.
    """
    with write_transaction(context.engine) as connection:
        row = lock_submission(connection, submission)
        if row.state != "failed":
            raise NotFailedError(f"the submission is {row.state}: only a failed one is queued again")
        tried = attempts_of(row.attempt)
        note(connection, operator, "requeue", submission, reason=reason, failure=row.failure, attempts=tried)
        again = {"state": "queued", "attempt": queued_again(row.attempt), "lease_until": None, "failure": None}
        connection.execute(sa.update(submissions).where(submissions.c.id == submission).values(again))
        add_event(connection, submission, now_ms(), "requeued", {})
    context.notifier.score(submission)
    return show(context.settings, by_id(context.engine, submission))
