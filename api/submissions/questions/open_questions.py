"""Open questions. This is the only place where questions open, so that sealing an answer never tells a thing.

The generator is asked outside of any transaction, with answers that can no longer change.
"""

import sqlalchemy as sa

from api.context import AppContext
from api.errors import DomainError
from api.http.cursors import cursor_at
from api.http.links import link
from api.practice.items import with_addresses
from api.submissions.finding import SubmissionRow, owned
from api.submissions.finishing import COMPLETE, check_open, count_up, finish_items, locked
from api.submissions.questions.newly_opened import find_news, keep_news
from api.submissions.questions.unfinished import Page, unfinished_page
from api.teams.access import Caller
from api.upstream.job_notifier import JobNotifier
from tetrad.contracts.submissions import OpenQuestion, QuestionPage
from tetrad.internal.draws import AskedItem, GateRequest, ItemAnswers
from tetrad.server.clock import now_ms
from tetrad.server.database import read_transaction, write_transaction

NONE_OPEN = QuestionPage(questions=[])


def open_questions(context: AppContext, caller: Caller, submission: str, cursor: int, limit: int) -> QuestionPage:
    """Return the open questions of up to `limit` items from item `cursor` on, opening what is due.

    Raises:
        NotFoundError: it is not the caller's.
        SubmissionClosedError: it was finished before its last answer, or is past its deadline.
    """
    row = owned(context.engine, caller, submission)
    try:
        return _open_page(context, row, cursor, limit)
    except DomainError:
        if owned(context.engine, caller, submission).finish_reason == COMPLETE:
            return NONE_OPEN  # the last answer came from elsewhere while this pass was being made
        raise


def _open_page(context: AppContext, row: SubmissionRow, cursor: int, limit: int) -> QuestionPage:
    submission = str(row.id)
    if row.finish_reason == COMPLETE:  # the loop "until none is open" ends here, whoever noticed the last answer
        return NONE_OPEN
    check_open(row, now_ms())
    with read_transaction(context.engine) as connection:
        page = unfinished_page(connection, row, cursor, limit)
    if not page.items:
        return NONE_OPEN
    gate = GateRequest(items=[ItemAnswers(item=item, answers=page.sealed.get(item, [])) for item in page.items])
    asked = context.generator.asked(submission, gate).items
    _open(context.engine, context.notifier, row, page, asked)
    address = link(context.settings, "submissions", submission, "items")
    return QuestionPage(
        questions=[
            OpenQuestion(item=one.item, question=with_addresses(question, f"{address}/{one.item}"))
            for one in asked
            for question in page.unanswered(one)
        ],
        next=None if page.next is None else cursor_at("questions", page.next),
    )


def _open(engine: sa.Engine, notifier: JobNotifier, row: SubmissionRow, page: Page, asked: list[AskedItem]) -> None:
    """Keep what has opened, and finish what cannot open any more."""
    with read_transaction(engine) as connection:
        if not find_news(connection, str(row.id), page, asked):
            return
    now = now_ms()
    with write_transaction(engine) as connection:
        current = locked(connection, str(row.id))
        check_open(current, now)
        opened = find_news(connection, str(row.id), page, asked)
        keep_news(connection, str(row.id), opened, now)
        finished = finish_items(connection, str(row.id), *page.span)
        state = count_up(connection, current, now, opened_count=len(opened.questions), finished_items=finished)
    if state == "queued":
        notifier.score(str(row.id))
