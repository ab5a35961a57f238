"""Asks the open questions of a submission, page by page.

This is the only place where questions open, so that the reply to an answer never reveals anything. The generator is
asked outside of any transaction, with answers that can no longer change. The cursor of a page is an item's number, so
answers that arrive don't shift it.

In order: the unfinished items, what has newly opened, pages of open questions, all pages of a round, and the pictures
that opened questions show.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock

import sqlalchemy as sa
from cachetools import TTLCache
from msgspec import json
from msgspec.structs import replace

from api.context import AppContext
from api.database.schema import answers, items, questions, submissions
from api.errors import DomainError, InvalidInputError, SourceUnavailableError, not_found
from api.inputs import known_id, split_pictures
from api.paging import cursor_at, link, position_of
from api.practice.items import with_addresses
from api.submissions.finding import SubmissionRow, answered_by_service, answering, find_owned
from api.submissions.finishing import COMPLETE, check_open, count_up, finish_items, lock_submission
from api.submissions.pausing import of_questions, pause, resume_questions
from api.teams.access import Caller
from api.upstream.job_notifier import JobNotifier
from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.items import Question
from tetrad.contracts.submissions import OpenQuestion, QuestionPage
from tetrad.internal.draws import AskedItem, GateRequest, ItemAnswers
from tetrad.prompting.turns import joined_questions
from tetrad.server.clock import now_ms
from tetrad.server.database import insert_rows, read_rows, read_transaction, write_transaction

STRIDE = 2000  # items looked at in one query while searching unfinished ones
Place = tuple[int, str]
"""An item's number and a question's id."""
MOST_CARRIED = 16_000_000  # characters of replies on a page: what is read and sent at a time
NONE_OPEN = QuestionPage(questions=[])
ITEMS_AT_ONCE = 100
DIGITS = 10  # of an item's number
MOST_SHOWN, SHOWN_SECONDS = 1000, 10.0
UNREVEALED = frozenset({"open", "queued", "failed"})
LARGEST_ITEM = 2**31 - 1  # the largest number in the column; no draw is as large


@dataclass(frozen=True)
class Page:
    """The unfinished items of one page, what is sealed of them, and where the next page begins."""

    items: list[int]
    sealed: dict[int, list[SealedAnswer]]
    next: int | None

    @property
    def span(self) -> tuple[int, int]:
        return self.items[0], self.items[-1]

    def holds(self, item: sa.ColumnElement[int]) -> sa.ColumnElement[bool]:
        """Return the condition that an item is one of these. Pages become ranges; lists are named one by one."""
        first, last = self.span
        return item.between(first, last) if last - first < 2 * len(self.items) else item.in_(self.items)

    def find_unanswered(self, asked: AskedItem) -> list[Question]:
        answered = {answer.question for answer in self.sealed[asked.item]}
        return [question for question in asked.questions if question.id not in answered]


def unfinished_page(
    connection: sa.Connection, row: SubmissionRow, cursor: int, limit: int, among: Sequence[int] | None = None
) -> Page:
    """Return up to `limit` unfinished items from item `cursor` on, and their sealed answers. `among` restricts them."""
    found: list[int] = []
    unfinished = (
        _find_unfinished(connection, row, cursor) if among is None else _still_open(connection, row, cursor, among)
    )
    for item in unfinished:
        if len(found) == limit:
            return Page(found, _read_sealed(connection, str(row.id), found), item)
        found.append(item)
    return Page(found, _read_sealed(connection, str(row.id), found) if found else {}, None)


def _find_unfinished(connection: sa.Connection, row: SubmissionRow, cursor: int) -> Iterator[int]:
    for start in range(cursor, row.size, STRIDE):
        end = min(start + STRIDE, row.size)
        mine = sa.select(items.c.item).where(items.c.submission_id == row.id, items.c.finished)
        finished = set(connection.execute(mine.where(items.c.item.between(start, end - 1))).scalars())
        yield from (item for item in range(start, end) if item not in finished)


def _still_open(connection: sa.Connection, row: SubmissionRow, cursor: int, among: Sequence[int]) -> Iterator[int]:
    mine = sa.select(items.c.item).where(items.c.submission_id == row.id, items.c.finished)
    finished = set(connection.execute(mine.where(items.c.item.in_(among))).scalars())
    return (item for item in sorted(set(among)) if item >= cursor and item not in finished)


def parse_items(listed: str | None, size: int) -> list[int] | None:
    """Return the items of a list such as 3,7,12; None where there is no list.

    Raises:
        InvalidInputError: it is no such list, too long, or names an item that the submission has not.
    """
    if listed is None:
        return None
    numbers = listed.split(",")
    if not all(number.isascii() and number.isdecimal() and len(number) <= DIGITS for number in numbers):
        raise InvalidInputError.at("items", listed, "is no list of item numbers", "write them like 3,7,12")
    if len(numbers) > ITEMS_AT_ONCE:
        problem = f"names {len(numbers)} items"
        raise InvalidInputError.at("items", listed, problem, f"name up to {ITEMS_AT_ONCE} in a request")
    found = [int(number) for number in numbers]
    if max(found) >= size:
        problem = "is not an item of this submission"
        raise InvalidInputError.at("items", max(found), problem, f"items are numbered 0 to {size - 1}")
    return found


def parse_pictures(listed: str) -> dict[int, list[str]]:
    """Return the names of pictures by item, of a list such as 3/what-0-1,3/what-0-2; each picture once.

    Raises:
        InvalidInputError: it is no such list, or too long.
    """
    found: dict[int, list[str]] = {}
    for picture in split_pictures(listed):
        item, _, name = picture.partition("/")
        if not (item.isascii() and item.isdecimal() and len(item) <= DIGITS and name):
            remedy = "write item and name as they stand in the picture's address: 3/what-0-1"
            raise InvalidInputError.at("pictures", picture, "is no picture of an item", remedy)
        found.setdefault(int(item), []).append(name)
    return found


def _read_sealed(connection: sa.Connection, submission: str, among: list[int]) -> dict[int, list[SealedAnswer]]:
    a = answers.c
    query = sa.select(a.item, a.question, a.answer, a.response, a.stop)
    query = query.where(a.submission_id == submission, a.item.in_(among))
    sealed: dict[int, list[SealedAnswer]] = {item: [] for item in among}
    for row in connection.execute(query):
        one = SealedAnswer(
            item=row.item, question=row.question, answer=row.answer, response=row.response, stop=row.stop
        )
        sealed[row.item].append(one)
    return sealed


@dataclass(frozen=True)
class NewlyOpened:
    """Questions and items that the tables do not hold yet, and kept items that are closing now."""

    questions: dict[Place, Question]
    items: dict[int, bool]  # whether they are closing
    closing: list[int]

    def __bool__(self) -> bool:
        return bool(self.questions or self.items or self.closing)


def find_newly_opened(connection: sa.Connection, submission: str, page: Page, asked: list[AskedItem]) -> NewlyOpened:
    """Compare the questions that are asked with those that are kept.

    An item is closing once all its unanswered questions are final. Nothing opens after those, whatever the answers, so
    the last of them finishes the item without another look at an answer key.
    """
    q, i = questions.c, items.c
    places = sa.select(q.item, q.question).where(q.submission_id == submission, page.holds(q.item))
    known = {(row.item, row.question) for row in connection.execute(places)}
    kept = sa.select(i.item, i.closing).where(i.submission_id == submission, page.holds(i.item))
    seen = {row.item: row.closing for row in connection.execute(kept)}
    closing = {item.item: all(question.final for question in page.find_unanswered(item)) for item in asked}
    opened = {(item.item, question.id): question for item in asked for question in item.questions}
    return NewlyOpened(
        questions={place: question for place, question in opened.items() if place not in known},
        items={item: is_closing for item, is_closing in closing.items() if item not in seen},
        closing=[item for item, is_closing in closing.items() if is_closing and seen.get(item) is False],
    )


def keep_newly_opened(connection: sa.Connection, submission: str, newly: NewlyOpened, now: int) -> None:
    rows = [_question_row(submission, item, question, now) for (item, _), question in newly.questions.items()]
    insert_rows(connection, questions, rows)
    new = [
        {"submission_id": submission, "item": item, "closing": closing, "finished": False}
        for item, closing in newly.items.items()
    ]
    insert_rows(connection, items, new)
    if newly.closing:
        these = sa.update(items).where(items.c.submission_id == submission, items.c.item.in_(newly.closing))
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


def open_questions(
    context: AppContext, caller: Caller, submission: str, cursor: int, limit: int, *, listed: str | None = None
) -> QuestionPage:
    """Return the open questions of up to `limit` items from item `cursor` on, opening what is due.

    `listed` names the items to look at, as `items_named` reads it. After sealing answers, a client can ask for the
    questions that they opened without a pass over the whole submission.

    Raises:
        NotFoundError: it is not the caller's.
        AnsweredByServiceError: the service answers it.
        InvalidInputError: the list of items is none.
        SubmissionClosedError: it was finished before its last answer, or is past its deadline.
    """
    row = answering(context.engine, caller, submission)
    among = parse_items(listed, row.size)
    try:
        return _open_page(context, row, cursor, limit, among)
    except DomainError:
        if find_owned(context.engine, caller, submission).finish_reason == COMPLETE:
            return NONE_OPEN  # the last answer came from elsewhere while this page was being made
        raise


def _open_page(
    context: AppContext, row: SubmissionRow, cursor: int, limit: int, among: Sequence[int] | None
) -> QuestionPage:
    submission = str(row.id)
    if row.finish_reason == COMPLETE:  # ends the client's loop "until none is open"
        return NONE_OPEN
    check_open(row)
    with read_transaction(context.engine) as connection:
        page = unfinished_page(connection, row, cursor, limit, among)
    if not page.items:
        return NONE_OPEN
    gate = GateRequest(items=[ItemAnswers(item=item, answers=page.sealed.get(item, [])) for item in page.items])
    try:
        asked = context.generator.ask(submission, gate).items
    except SourceUnavailableError:
        pause(context.engine, submission, of_questions(page.items[0]))
        raise
    resume_questions(context.engine, submission, row.paused_for, page.items)
    _open(context.engine, context.notifier, row, page, asked)
    address = link(context.settings, "submissions", submission, "items")
    offered, following = _offer_questions(row, page, asked)
    return QuestionPage(
        questions=[_fill_in_addresses(question, f"{address}/{question.item}") for question in offered],
        next=None if following is None else cursor_at("questions", following),
    )


def _offer_questions(row: SubmissionRow, page: Page, asked: list[AskedItem]) -> tuple[list[OpenQuestion], int | None]:
    """Return the questions to offer, and the item that the next page begins with.

    Replies come back whole in a conversation: a page ends early once it carries `MOST_CARRIED` characters of them.
    """
    if row.conversation == "fresh":
        return [
            OpenQuestion(item=item.item, question=question) for item in asked for question in page.find_unanswered(item)
        ], page.next
    offered: list[OpenQuestion] = []
    carried = 0
    for item in asked:
        if carried > MOST_CARRIED:
            return offered, item.item
        joined = joined_questions(item.item, item.questions, page.sealed[item.item])
        carried += sum(len(turn.response or "") for question in joined for turn in question.earlier)
        offered += joined
    return offered, page.next


def _fill_in_addresses(asked: OpenQuestion, item_address: str) -> OpenQuestion:
    """Fill in the address of each picture, also in earlier turns."""
    earlier = tuple(replace(turn, question=with_addresses(turn.question, item_address)) for turn in asked.earlier)
    return replace(asked, question=with_addresses(asked.question, item_address), earlier=earlier)


def _open(engine: sa.Engine, notifier: JobNotifier, row: SubmissionRow, page: Page, asked: list[AskedItem]) -> None:
    """Keep the questions that have opened, and finish the items where nothing can open any more."""
    with read_transaction(engine) as connection:
        if not find_newly_opened(connection, str(row.id), page, asked):
            return
    now = now_ms()
    with write_transaction(engine) as connection:
        current = lock_submission(connection, str(row.id))
        check_open(current)
        opened = find_newly_opened(connection, str(row.id), page, asked)
        keep_newly_opened(connection, str(row.id), opened, now)
        finished = finish_items(connection, str(row.id), *page.span)
        state = count_up(connection, current, now, opened_count=len(opened.questions), finished_items=finished)
    if state == "queued":
        notifier.score(str(row.id))


def pages(
    context: AppContext, caller: Caller, submission: str, first: QuestionPage, listed: str | None = None
) -> Iterator[QuestionPage]:
    """Yield the pages of a round. The first is made before the reply begins, so that a refusal gets its own status.

    Raises:
        DomainError: the submission was finished meanwhile, or the generator is away.
    """
    page = first
    yield page
    while page.next is not None:
        begin = position_of("questions", page.next, 0)
        page = open_questions(context, caller, submission, begin, ITEMS_AT_ONCE, listed=listed)
        yield page


def as_lines(questions: list[OpenQuestion]) -> bytes:
    return b"".join(json.encode(question) + b"\n" for question in questions)


class ShownPictures:
    """The names of pictures that opened questions show, of items that were looked at in the last seconds.

    What has opened stays open. So a known name needs no query; an unknown one is looked up in the database. A pause
    that began at another process is seen after SHOWN_SECONDS, before a client asks again that waits as it was told.
    Whoever asks sooner may leave the pause on: it only adds time to the deadline, and the next request ends it.
    """

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._known: TTLCache[tuple[str, int, str], set[str]] = TTLCache(MOST_SHOWN, SHOWN_SECONDS)
        self._lock = Lock()

    def allow_all(self, caller: Caller, submission: str, wanted: Mapping[int, Sequence[str]]) -> dict[int, str | None]:
        """Check several pictures as `allow` does, by item. Return what it returns, by item.

        Raises:
            NotFoundError: one of them is not shown.
            AnsweredByServiceError: the service answers the submission.
        """
        paused: dict[int, str | None] = {}
        for item, names in wanted.items():
            paused[item] = None
            for name in names:
                if not self.is_known(caller, submission, item, name):
                    paused[item] = self.allow(caller, submission, item, name) or paused[item]
        return paused

    def is_known(self, caller: Caller, submission: str, item: int, name: str) -> bool:
        """Tell whether `allow` let through a picture of this item a moment ago, and this is one of its own."""
        with self._lock:
            return name in self._known.get((submission, item, caller.team_id), ())

    def forget(self, caller: Caller, submission: str, item: int) -> None:
        """Ask the database at the next request for a picture of this item."""
        with self._lock:
            self._known.pop((submission, item, caller.team_id), None)

    def allow(self, caller: Caller, submission: str, item: int, name: str) -> str | None:
        """Check that an opened question of the caller's own submission shows this picture.

        Return the name of the item or picture that pauses the deadline; None if it is not paused. During a pause no
        name is kept.

        Raises:
            NotFoundError: otherwise: the same words whether it exists or not.
            AnsweredByServiceError: it is its team's, but the service answers it.
        """
        known_id("sub", submission, "submission")
        if not 0 <= item <= LARGEST_ITEM:
            raise not_found("picture", f"{submission}/{item}/{name}")
        q, s = questions.c, submissions.c
        shown = (
            sa.select(q.pictures, s.paused_for, s.evaluation_id, s.state)
            .join(submissions, s.id == q.submission_id)
            .where(q.submission_id == submission, q.item == item, s.team_id == caller.team_id)
        )
        rows = read_rows(self._engine, shown)
        if rows and rows[0].evaluation_id is not None and rows[0].state in UNREVEALED and not caller.is_service:
            raise answered_by_service(str(rows[0].evaluation_id))
        names = {picture for row in rows for picture in row.pictures.split()}
        if not names and self._is_pruned(caller, submission):
            return None  # its draw is revealed: the generator shows every picture, and knows their names
        if name not in names:
            raise not_found("picture", f"{submission}/{item}/{name}")
        paused: str | None = rows[0].paused_for
        if paused is None:
            with self._lock:
                self._known[submission, item, caller.team_id] = names
        return paused

    def _is_pruned(self, caller: Caller, submission: str) -> bool:
        s = submissions.c
        mine = sa.select(s.answers_object).where(s.id == submission, s.team_id == caller.team_id)
        return any(row.answers_object is not None for row in read_rows(self._engine, mine))
