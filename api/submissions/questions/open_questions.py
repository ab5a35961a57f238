"""Open questions. This is the only place where questions open, so that sealing an answer never tells a thing.

The generator is asked outside of any transaction, with answers that can no longer change.
"""

from api.context import Services
from api.http.cursors import cursor_at
from api.http.links import link
from api.practice.items import with_addresses
from api.submissions.finding import SubmissionRow, owned
from api.submissions.finishing import COMPLETE, check_open, count_up, finish_items, locked
from api.submissions.questions.newly_opened import find_news, keep_news
from api.submissions.questions.unfinished import Page, unfinished_page
from api.teams.access import Caller
from tetrad.contracts.submissions import OpenQuestion, QuestionPage
from tetrad.internal.draws import AskedItem, GateRequest, ItemAnswers
from tetrad.server.clock import now_ms
from tetrad.server.database import read_transaction, write_transaction
from tetrad.server.problems import ProblemError

NONE_OPEN = QuestionPage(questions=[])


def open_questions(services: Services, caller: Caller, submission: str, cursor: int, limit: int) -> QuestionPage:
    """Return the open questions of up to `limit` items from item `cursor` on, opening what is due.

    Raises:
        ProblemError: 404, not the caller's; 409, finished before its last answer, or past its deadline.
    """
    row = owned(services, caller, submission)
    try:
        return _open_page(services, row, cursor, limit)
    except ProblemError:
        if owned(services, caller, submission).finish_reason == COMPLETE:
            return NONE_OPEN  # the last answer came from elsewhere while this pass was being made
        raise


def _open_page(services: Services, row: SubmissionRow, cursor: int, limit: int) -> QuestionPage:
    submission = str(row.id)
    if row.finish_reason == COMPLETE:  # the loop "until none is open" ends here, whoever noticed the last answer
        return NONE_OPEN
    check_open(row, now_ms())
    with read_transaction(services.engine) as connection:
        page = unfinished_page(connection, row, cursor, limit)
    if not page.items:
        return NONE_OPEN
    gate = GateRequest(items=[ItemAnswers(item=item, answers=page.sealed.get(item, [])) for item in page.items])
    asked = services.generator.asked(submission, gate).items
    _open(services, row, page, asked)
    address = link(services.settings, "submissions", submission, "items")
    return QuestionPage(
        questions=[
            OpenQuestion(item=one.item, question=with_addresses(question, f"{address}/{one.item}"))
            for one in asked
            for question in page.unanswered(one)
        ],
        next=None if page.next is None else cursor_at("questions", page.next),
    )


def _open(services: Services, row: SubmissionRow, page: Page, asked: list[AskedItem]) -> None:
    """Keep what has opened, and finish what cannot open any more."""
    with read_transaction(services.engine) as connection:
        if not find_news(connection, str(row.id), page, asked):
            return
    now = now_ms()
    with write_transaction(services.engine) as connection:
        current = locked(connection, str(row.id))
        check_open(current, now)
        opened = find_news(connection, str(row.id), page, asked)
        keep_news(connection, str(row.id), opened, now)
        finished = finish_items(connection, str(row.id), *page.span)
        state = count_up(connection, current, now, opened_count=len(opened.questions), finished_items=finished)
    if state == "queued":
        services.doorbell.score(str(row.id))
