"""Seals answers: all of an upload or nothing, with the same reply for right and wrong ones.

No answer key is at hand here. The reply depends only on the upload and on questions and answers that the team has seen.

Scoring reveals a draw with all replies in one request. Everything accepted must be scored, so replies too large for
that request are refused when they arrive.

In order: which answers may be sealed, how much room their replies have, and the sealing itself.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

import sqlalchemy as sa
from msgspec import json

from api.database.parts import parts
from api.database.schema import answers, questions
from api.errors import AlreadySealedError, InvalidInputError, TooLargeError
from api.submissions.finding import SubmissionRow, answering
from api.submissions.finishing import check_open, count_up, finish_items, lock_submission
from api.submissions.uploads import Line, Upload
from api.teams.access import Caller
from api.upstream.job_notifier import JobNotifier
from tetrad.contracts.answers import SealReceipt
from tetrad.contracts.items import AnswerShape, Choice
from tetrad.contracts.problems import Fault
from tetrad.extraction.answers import is_legal, legal_answers
from tetrad.internal.draws import LARGEST_REVEAL
from tetrad.server.clock import now_ms
from tetrad.server.database import insert_rows, read_transaction, write_transaction

_SHAPES: json.Decoder[AnswerShape] = json.Decoder(AnswerShape)
Place = tuple[int, str]
Content = tuple[str | None, str | None]
"""An answer and a response, one of them None."""
MOST_REPLY_BYTES = LARGEST_REVEAL * 3 // 4  # the rest holds places and options
REMEDY = "send the option as answer, or as response only the end of each reply, which usually holds the answer"
MOST_NAMED = 20  # questions of an item that a fault names
CONFLICT = "answers that are sealed never change; nothing of this upload was kept"


@dataclass
class Judgement:
    """The answers of an upload that are new, those that are sealed already, and its faults."""

    new: dict[Place, Content] = field(default_factory=dict)
    unchanged: int = 0
    stops: dict[Place, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    conflicts: list[Fault] = field(default_factory=list)


def judge(connection: sa.Connection, submission: str, size: int, lines: list[Line]) -> Judgement:
    """Compare the lines with each other, with the open questions and with what is sealed."""
    judgement = Judgement()
    among = sorted({line.answer.item for line in lines if line.answer.item < size})
    shapes = _shapes(connection, submission, among)
    sealed = sealed_answers(connection, submission, among)
    for line in lines:
        fault = _find_misplacement(line, size, shapes)
        if fault is None:
            _place(judgement, line, sealed)
        else:
            judgement.faults.append(fault)
    return judgement


def sealed_answers(connection: sa.Connection, submission: str, among: Sequence[int]) -> dict[Place, Content]:
    """Return the sealed answers of these items only, because the replies of a whole draw may fill the memory."""
    a = answers.c
    query = sa.select(a.item, a.question, a.answer, a.response).where(a.submission_id == submission)
    return {
        (row.item, row.question): (row.answer, row.response)
        for part in parts(among)
        for row in connection.execute(query.where(_is_of(a.item, part)))
    }


def _is_of(item: sa.ColumnElement[int], part: Sequence[int]) -> sa.ColumnElement[bool]:
    """Return the condition that an item is one of these sorted ones. A whole upload usually has no gaps."""
    has_gaps = part[-1] - part[0] >= len(part)
    return item.in_(part) if has_gaps else item.between(part[0], part[-1])


def conflicts_among(new: dict[Place, Content], sealed: dict[Place, Content]) -> Iterable[Place]:
    """Return the places where another upload sealed a different answer first."""
    return (place for place, content in new.items() if sealed.get(place, content) != content)


def conflict(place: Place, line: int | None = None) -> Fault:
    item, question = place
    return Fault(
        field="answer",
        value=f"item {item}, question {question}",
        problem="another answer is sealed for this question",
        remedy="a sealed answer never changes: leave this one out",
        line=line,
    )


Shapes: TypeAlias = dict[int, dict[str, str]]
"""The shapes of the opened questions as JSON, by item and question."""


def _shapes(connection: sa.Connection, submission: str, among: Sequence[int]) -> Shapes:
    q = questions.c
    query = sa.select(q.item, q.question, q.shape).where(q.submission_id == submission)
    shapes: Shapes = {}
    for part in parts(among):
        for row in connection.execute(query.where(_is_of(q.item, part)).order_by(q.opened_at, q.question)):
            shapes.setdefault(row.item, {})[row.question] = row.shape
    return shapes


def _find_misplacement(line: Line, size: int, shapes: Shapes) -> Fault | None:
    answer = line.answer
    if answer.item >= size:
        problem, remedy = "is no item of this submission", f"items are numbered 0 to {size - 1}"
        return Fault(field="item", value=str(answer.item), problem=problem, remedy=remedy, line=line.number)
    opened = shapes.get(answer.item, {})
    shape = opened.get(answer.question)
    if shape is None:
        problem, remedy = f"item {answer.item} has no open question yet", "get its questions first: GET .../questions"
        if opened:
            problem = f"item {answer.item} has no such question, or it is not open yet"
            named = ", ".join(list(opened)[:MOST_NAMED])
            remedy = f"use one of {named}; GET .../questions gives what has opened since"
        return Fault(field="question", value=answer.question, problem=problem, remedy=remedy, line=line.number)
    known = _decode_shape(shape)
    if answer.answer is not None and not is_legal(known, answer.answer):
        problem = "is no option of this question" if isinstance(known, Choice) else "is no answer to this question"
        remedy = f"use {legal_answers(known)}"
        return Fault(field="answer", value=answer.answer, problem=problem, remedy=remedy, line=line.number)
    return None


@lru_cache(maxsize=1024)
def _decode_shape(shape: str) -> AnswerShape:
    return _SHAPES.decode(shape)


def _place(judgement: Judgement, line: Line, sealed: dict[Place, Content]) -> None:
    place = (line.answer.item, line.answer.question)
    content = (line.answer.answer, line.answer.response)
    if place in sealed:
        if sealed[place] == content:
            judgement.unchanged += 1
        else:
            judgement.conflicts.append(conflict(place, line.number))
    elif judgement.new.setdefault(place, content) != content:
        problem, remedy = "this upload answers the question twice, differently", "leave one of the two out"
        shown = f"item {place[0]}, question {place[1]}"
        fault = Fault(field="question", value=shown, problem=problem, remedy=remedy, line=line.number)
        judgement.faults.append(fault)
    elif line.answer.stop is not None:
        judgement.stops.setdefault(place, line.answer.stop)


def check_room(row: SubmissionRow, new: Iterable[Content]) -> int:
    """Return the number of bytes that these replies take as JSON text.

    Raises:
        TooLargeError: the submission has not as many left.
    """
    taken = sum(len(json.encode(response)) for _, response in new if response is not None)
    left = max(0, MOST_REPLY_BYTES - row.reply_bytes)
    if taken > left:
        problem = f"hold {taken} bytes of replies; a submission may have {MOST_REPLY_BYTES}, counted as JSON, and"
        raise TooLargeError.at("answers", None, f"{problem} {left} are left", REMEDY)
    return taken


def answerable(engine: sa.Engine, caller: Caller, submission: str) -> SubmissionRow:
    """Return the submission that an upload is for, before the upload is read.

    Raises:
        NotFoundError: it is not the caller's.
        AnsweredByServiceError: the service answers it.
        SubmissionClosedError: it is not open.
    """
    row = answering(engine, caller, submission)
    check_open(row)
    return row


def seal(engine: sa.Engine, notifier: JobNotifier, row: SubmissionRow, upload: Upload, *, dry_run: bool) -> SealReceipt:
    """Seal the upload's answers; with `dry_run` only tell what sealing them would do.

    Raises:
        SubmissionClosedError: it is open no more.
        AlreadySealedError: another answer was sealed before.
        TooLargeError: more replies than a submission may have.
        InvalidInputError: the answers have faults; each names its line.
    """
    with read_transaction(engine) as connection:
        judgement = judge(connection, str(row.id), row.size, upload.lines)
    _check(upload, judgement)
    check_room(row, judgement.new.values())
    repeated = len(upload.lines) - len(judgement.new) - judgement.unchanged
    if dry_run or not judgement.new:
        return SealReceipt(
            accepted=len(judgement.new),
            unchanged=judgement.unchanged + repeated,
            dry_run=dry_run,
            state=row.state,
            answered=row.answered_count,
        )
    return _seal(engine, notifier, row, judgement, judgement.unchanged + repeated)


def _check(upload: Upload, judgement: Judgement) -> None:
    wrong = [*upload.faults, *judgement.faults]
    everything = sorted([*wrong, *judgement.conflicts], key=_line)
    if wrong:
        found = "1 fault" if len(everything) == 1 else f"{len(everything)} faults"
        detail = f"{found}; nothing of this upload was kept: correct what is wrong and send it again"
        raise InvalidInputError(detail, faults=everything)
    if everything:
        raise AlreadySealedError(CONFLICT, faults=everything)


def _line(fault: Fault) -> int:
    return fault.line or 0


def _seal(
    engine: sa.Engine, notifier: JobNotifier, row: SubmissionRow, judgement: Judgement, unchanged: int
) -> SealReceipt:
    """Check again what another upload can have changed meanwhile, then write the answers."""
    new = judgement.new
    submission = str(row.id)
    among = sorted({item for item, _ in new})
    now = now_ms()
    with write_transaction(engine) as connection:
        current = lock_submission(connection, submission)
        check_open(current)
        sealed = sealed_answers(connection, submission, among)
        if faster := sorted(conflicts_among(new, sealed)):
            raise AlreadySealedError(CONFLICT, faults=[conflict(place) for place in faster])
        fresh = {place: content for place, content in new.items() if place not in sealed}
        taken = check_room(current, fresh.values())
        _insert(connection, submission, fresh, judgement.stops, now)
        finished = finish_items(connection, submission, among[0], among[-1])
        counts = {"answered_count": len(fresh), "finished_items": finished, "reply_bytes": taken}
        state = count_up(connection, current, now, **counts)
    if state == "queued":
        notifier.score(submission)
    return SealReceipt(
        accepted=len(fresh),
        unchanged=unchanged + len(new) - len(fresh),
        dry_run=False,
        state=state,
        answered=current.answered_count + len(fresh),
    )


def _insert(
    connection: sa.Connection, submission: str, fresh: dict[Place, Content], stops: dict[Place, str], now: int
) -> None:
    rows = [
        {
            "submission_id": submission,
            "item": item,
            "question": question,
            "answer": answer,
            "response": response,
            "stop": stops.get((item, question)),
            "sealed_at": now,
        }
        for (item, question), (answer, response) in fresh.items()
    ]
    insert_rows(connection, answers, rows)
