"""What a pass over the items finds that the tables do not hold yet: questions that opened, items that close."""

from dataclasses import dataclass

import sqlalchemy as sa
from msgspec import json

from api.database.schema import items, questions
from api.submissions.questions.unfinished import Page
from tetrad.contracts.items import Question
from tetrad.internal.draws import AskedItem
from tetrad.server.database import insert_rows

Place = tuple[int, str]
"""An item's number and a question's id."""


@dataclass(frozen=True)
class News:
    questions: dict[Place, Question]
    items: dict[int, bool]  # whether they are closing
    closing: list[int]

    def __bool__(self) -> bool:
        return bool(self.questions or self.items or self.closing)


def find_news(connection: sa.Connection, submission: str, page: Page, asked: list[AskedItem]) -> News:
    """Compare what is asked with what is kept.

    An item is closing once all its unanswered questions are final: nothing opens after those, whatever the
    answers, so the last of them finishes the item without another look at a key.
    """
    q, i = questions.c, items.c
    places = sa.select(q.item, q.question).where(q.submission_id == submission, q.item.between(*page.span))
    known = {(row.item, row.question) for row in connection.execute(places)}
    kept = sa.select(i.item, i.closing).where(i.submission_id == submission, i.item.between(*page.span))
    seen = {row.item: row.closing for row in connection.execute(kept)}
    closing = {one.item: all(question.final for question in page.unanswered(one)) for one in asked}
    opened = {(one.item, question.id): question for one in asked for question in one.questions}
    return News(
        questions={place: question for place, question in opened.items() if place not in known},
        items={item: is_closing for item, is_closing in closing.items() if item not in seen},
        closing=[item for item, is_closing in closing.items() if is_closing and seen.get(item) is False],
    )


def keep_news(connection: sa.Connection, submission: str, news: News, now: int) -> None:
    rows = [_question_row(submission, item, question, now) for (item, _), question in news.questions.items()]
    insert_rows(connection, questions, rows)
    new = [
        {"submission_id": submission, "item": item, "closing": closing, "finished": False}
        for item, closing in news.items.items()
    ]
    insert_rows(connection, items, new)
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
