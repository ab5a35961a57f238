"""Open questions. This is the only place where questions open, so that sealing an answer never tells a thing.

A pass walks the unfinished items in order; the cursor is an item's number, which stays where it is while answers
arrive. The generator is asked outside of any transaction, with answers that can no longer change.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import sqlalchemy as sa
from msgspec import json

from api.access import Caller
from api.database.schema import answers, items, questions
from api.links import link
from api.practice.items import with_addresses
from api.services import Services
from api.submissions.finding import SubmissionRow, owned
from api.submissions.finishing import COMPLETE, check_open, count_up, finish_items, locked
from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.draws import AskedItem, GateRequest, ItemAnswers
from tetrad.contracts.items import Question
from tetrad.contracts.submissions import OpenQuestion, QuestionPage
from tetrad.serving.clock import now_ms
from tetrad.serving.database import reading, writing

STRIDE = 2000  # items looked at in one query while searching unfinished ones

Place = tuple[int, str]
"""An item's number and a question's id."""


@dataclass(frozen=True)
class Page:
    """The unfinished items of one page, what is sealed of them, and where the next page begins."""

    items: list[int]
    sealed: dict[int, list[SealedAnswer]]
    next: int | None

    @property
    def span(self) -> tuple[int, int]:
        return self.items[0], self.items[-1]


def open_questions(services: Services, caller: Caller, submission: str, cursor: int, limit: int) -> QuestionPage:
    """Return the open questions of up to `limit` items from item `cursor` on, opening what is due.

    Raises:
        ProblemError: 404, not the caller's; 409, finished before its last answer, or past its deadline.
    """
    row = owned(services, caller, submission)
    if row.finish_reason == COMPLETE:  # the loop "until none is open" ends here, whoever noticed the last answer
        return QuestionPage(questions=[])
    check_open(row, now_ms())
    with reading(services.engine) as connection:
        page = _page(connection, row, cursor, limit)
    if not page.items:
        return QuestionPage(questions=[])
    gate = GateRequest(items=[ItemAnswers(item=item, answers=page.sealed.get(item, [])) for item in page.items])
    asked = services.generator.asked(submission, gate).items
    _open(services, row, page, asked)
    address = link(services.settings, "submissions", submission, "items")
    return QuestionPage(
        questions=[
            OpenQuestion(item=one.item, question=with_addresses(question, f"{address}/{one.item}"))
            for one in asked
            for question in _unanswered(page, one)
        ],
        next=None if page.next is None else str(page.next),
    )


def _page(connection: sa.Connection, row: SubmissionRow, cursor: int, limit: int) -> Page:
    found: list[int] = []
    for item in _unfinished(connection, row, cursor):
        if len(found) == limit:
            return Page(found, _sealed(connection, str(row.id), found), item)
        found.append(item)
    return Page(found, _sealed(connection, str(row.id), found) if found else {}, None)


def _unfinished(connection: sa.Connection, row: SubmissionRow, cursor: int) -> Iterator[int]:
    for start in range(cursor, row.size, STRIDE):
        end = min(start + STRIDE, row.size)
        mine = sa.select(items.c.item).where(items.c.submission_id == row.id, items.c.finished)
        finished = set(connection.execute(mine.where(items.c.item.between(start, end - 1))).scalars())
        yield from (item for item in range(start, end) if item not in finished)


def _sealed(connection: sa.Connection, submission: str, among: list[int]) -> dict[int, list[SealedAnswer]]:
    a = answers.c
    query = sa.select(a.item, a.question, a.answer, a.response)
    query = query.where(a.submission_id == submission, a.item.between(among[0], among[-1]))
    sealed: dict[int, list[SealedAnswer]] = {item: [] for item in among}
    for row in connection.execute(query):
        if row.item in sealed:
            one = SealedAnswer(item=row.item, question=row.question, answer=row.answer, response=row.response)
            sealed[row.item].append(one)
    return sealed


def _unanswered(page: Page, asked: AskedItem) -> list[Question]:
    answered = {one.question for one in page.sealed[asked.item]}
    return [question for question in asked.questions if question.id not in answered]


def _open(services: Services, row: SubmissionRow, page: Page, asked: list[AskedItem]) -> None:
    """Keep what has opened, and finish what cannot open any more."""
    with reading(services.engine) as connection:
        if not _news(connection, str(row.id), page, asked):
            return
    now = now_ms()
    with writing(services.engine) as connection:
        current = locked(connection, str(row.id))
        check_open(current, now)
        opened = _news(connection, str(row.id), page, asked)
        _keep(connection, str(row.id), opened, now)
        finished = finish_items(connection, str(row.id), *page.span)
        state = count_up(connection, current, now, opened_count=len(opened.questions), finished_items=finished)
    if state == "queued":
        services.doorbell.score(str(row.id))


@dataclass(frozen=True)
class News:
    """What a pass found that the tables do not hold yet."""

    questions: dict[Place, Question]
    items: dict[int, bool]  # whether they are closing
    closing: list[int]

    def __bool__(self) -> bool:
        return bool(self.questions or self.items or self.closing)


def _news(connection: sa.Connection, submission: str, page: Page, asked: list[AskedItem]) -> News:
    """Compare what is asked with what is kept.

    An item is closing once all its unanswered questions are final: nothing opens after those, whatever the
    answers, so the last of them finishes the item without another look at a key.
    """
    q, i = questions.c, items.c
    places = sa.select(q.item, q.question).where(q.submission_id == submission, q.item.between(*page.span))
    known = {(row.item, row.question) for row in connection.execute(places)}
    kept = sa.select(i.item, i.closing).where(i.submission_id == submission, i.item.between(*page.span))
    seen = {row.item: row.closing for row in connection.execute(kept)}
    closing = {one.item: all(question.final for question in _unanswered(page, one)) for one in asked}
    opened = {(one.item, question.id): question for one in asked for question in one.questions}
    return News(
        questions={place: question for place, question in opened.items() if place not in known},
        items={item: is_closing for item, is_closing in closing.items() if item not in seen},
        closing=[item for item, is_closing in closing.items() if is_closing and seen.get(item) is False],
    )


def _keep(connection: sa.Connection, submission: str, news: News, now: int) -> None:
    if news.questions:
        rows = [_question_row(submission, item, question, now) for (item, _), question in news.questions.items()]
        connection.execute(sa.insert(questions), rows)
    if news.items:
        new = [
            {"submission_id": submission, "item": item, "closing": closing, "finished": False}
            for item, closing in news.items.items()
        ]
        connection.execute(sa.insert(items), new)
    if news.closing:
        these = sa.update(items).where(items.c.submission_id == submission, items.c.item.in_(news.closing))
        connection.execute(these.values(closing=True))


def _question_row(submission: str, item: int, question: Question, now: int) -> dict[str, object]:
    return {
        "submission_id": submission,
        "item": item,
        "question": question.id,
        "shape": json.encode(question.shape).decode(),
        "pictures": " ".join(picture.name for picture in question.pictures),
        "opened_at": now,
    }
