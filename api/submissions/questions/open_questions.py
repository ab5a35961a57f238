"""Open questions. This is the only place where questions open, so that sealing an answer never tells a thing.

The generator is asked outside of any transaction, with answers that can no longer change.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from api.context import Services
from api.http.cursors import cursor_at
from api.http.links import link
from api.practice.items import with_addresses
from api.submissions.finding import SubmissionRow, owned
from api.submissions.finishing import COMPLETE, check_open, count_up, finish_items, locked
from api.submissions.questions.newly_opened import find_news, keep_news
from api.submissions.questions.unfinished import Page, unfinished_page
from api.teams.access import Caller
from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.submissions import EarlierTurn, OpenQuestion, QuestionPage
from tetrad.internal.draws import AskedItem, GateRequest, ItemAnswers
from tetrad.server.clock import now_ms
from tetrad.server.database import read_transaction, write_transaction
from tetrad.server.problems import ProblemError

MOST_CARRIED = 16 * 2**20
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
    offered, following = _offered(row, page, asked)
    return QuestionPage(
        questions=[_addressed(one, f"{address}/{one.item}") for one in offered],
        next=None if following is None else cursor_at("questions", following),
    )


def _offered(row: SubmissionRow, page: Page, asked: list[AskedItem]) -> tuple[list[OpenQuestion], int | None]:
    """Return the questions to offer, and the item that the next page begins with.

    Replies come back whole in a conversation: a page ends early once it carries `MOST_CARRIED` characters of them.
    """
    if row.conversation == "fresh":
        return [OpenQuestion(item=one.item, question=each) for one in asked for each in page.unanswered(one)], page.next
    offered: list[OpenQuestion] = []
    carried = 0
    for one in asked:
        if carried > MOST_CARRIED:
            return offered, one.item
        joined = joined_questions(one, page.sealed[one.item])
        carried += sum(len(turn.response or "") for each in joined for turn in each.earlier)
        offered += joined
    return offered, page.next


def joined_questions(asked: AskedItem, sealed: Iterable[SealedAnswer]) -> list[OpenQuestion]:
    """Return the next question of each of the item's conversations, with the turns before it.

    A repeat of the questions is a conversation of its own. In it a question waits until those before it are answered,
    even where all are open.
    """
    answers = {one.question: one for one in sealed}
    turns: dict[str, list[EarlierTurn]] = {}
    offered: dict[str, OpenQuestion] = {}
    for question in asked.questions:
        before, answer = turns.setdefault(question.repeat, []), answers.get(question.id)
        if question.repeat in offered:
            continue
        if answer is None:
            offered[question.repeat] = OpenQuestion(item=asked.item, question=question, earlier=tuple(before))
        else:
            before.append(EarlierTurn(question=question, answer=answer.answer, response=answer.response))
    return list(offered.values())


def _addressed(asked: OpenQuestion, item_address: str) -> OpenQuestion:
    """Give each picture its address, those of earlier turns, too."""
    earlier = tuple(replace(turn, question=with_addresses(turn.question, item_address)) for turn in asked.earlier)
    return replace(asked, question=with_addresses(asked.question, item_address), earlier=earlier)


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
