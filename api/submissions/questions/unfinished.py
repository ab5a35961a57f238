"""The items of a submission that may still ask something, page by page.

The cursor is an item's number, which stays where it is while answers arrive.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import sqlalchemy as sa

from api.database.schema import answers, items
from api.submissions.finding import SubmissionRow
from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.items import Question
from tetrad.internal.draws import AskedItem

STRIDE = 2000  # items looked at in one query while searching unfinished ones


@dataclass(frozen=True)
class Page:
    """The unfinished items of one page, what is sealed of them, and where the next page begins."""

    items: list[int]
    sealed: dict[int, list[SealedAnswer]]
    next: int | None

    @property
    def span(self) -> tuple[int, int]:
        return self.items[0], self.items[-1]

    def unanswered(self, asked: AskedItem) -> list[Question]:
        answered = {one.question for one in self.sealed[asked.item]}
        return [question for question in asked.questions if question.id not in answered]


def unfinished_page(connection: sa.Connection, row: SubmissionRow, cursor: int, limit: int) -> Page:
    """Return up to `limit` unfinished items from item `cursor` on, with what is sealed of them."""
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
    query = query.where(a.submission_id == submission, a.item.in_(among))
    sealed: dict[int, list[SealedAnswer]] = {item: [] for item in among}
    for row in connection.execute(query):
        one = SealedAnswer(item=row.item, question=row.question, answer=row.answer, response=row.response)
        sealed[row.item].append(one)
    return sealed
