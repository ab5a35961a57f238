"""Whether answers may be sealed: ids, shapes and what is sealed already. No key is anywhere near.

What is said here depends on the upload and on questions and answers that the team has seen, on nothing else.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import sqlalchemy as sa
from msgspec import json

from api.database.parts import parts
from api.database.schema import answers, questions
from api.submissions.answering.uploads import Line
from tetrad.contracts.items import AnswerShape, Choice
from tetrad.contracts.problems import Fault
from tetrad.extraction.answers import is_legal, legal_answers

_SHAPES: json.Decoder[AnswerShape] = json.Decoder(AnswerShape)
Place = tuple[int, str]
Content = tuple[str | None, str | None]
"""An answer and a response, one of them None."""


@dataclass
class Judgement:
    """What an upload would do."""

    new: dict[Place, Content] = field(default_factory=dict)
    unchanged: int = 0
    faults: list[Fault] = field(default_factory=list)
    conflicts: list[Fault] = field(default_factory=list)


def judge(connection: sa.Connection, submission: str, size: int, lines: list[Line]) -> Judgement:
    """Compare the lines with each other, with the open questions and with what is sealed."""
    judgement = Judgement()
    among = sorted({line.answer.item for line in lines if line.answer.item < size})
    shapes = _shapes(connection, submission, among)
    sealed = sealed_answers(connection, submission, among)
    for line in lines:
        fault = _misplaced(line, size, shapes)
        if fault is None:
            _place(judgement, line, sealed)
        else:
            judgement.faults.append(fault)
    return judgement


def sealed_answers(connection: sa.Connection, submission: str, among: Sequence[int]) -> dict[Place, Content]:
    """Return what is sealed of these items alone: replies are long, and those of a whole draw may fill the memory."""
    a = answers.c
    query = sa.select(a.item, a.question, a.answer, a.response).where(a.submission_id == submission)
    return {
        (row.item, row.question): (row.answer, row.response)
        for part in parts(among)
        for row in connection.execute(query.where(_is_of(a.item, part)))
    }


def _is_of(item: sa.ColumnElement[int], part: Sequence[int]) -> sa.ColumnElement[bool]:
    """Whether an item is one of these, which are sorted; a whole upload is without gaps as a rule."""
    has_gaps = part[-1] - part[0] >= len(part)
    return item.in_(part) if has_gaps else item.between(part[0], part[-1])


def conflicts_among(new: dict[Place, Content], sealed: dict[Place, Content]) -> Iterable[Place]:
    """Return where another upload was faster and said something else."""
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


def _shapes(connection: sa.Connection, submission: str, among: Sequence[int]) -> dict[Place, str]:
    q = questions.c
    query = sa.select(q.item, q.question, q.shape).where(q.submission_id == submission)
    return {
        (row.item, row.question): row.shape
        for part in parts(among)
        for row in connection.execute(query.where(_is_of(q.item, part)))
    }


def _misplaced(line: Line, size: int, shapes: dict[Place, str]) -> Fault | None:
    answer = line.answer
    if answer.item >= size:
        problem, remedy = "is no item of this submission", f"items are numbered 0 to {size - 1}"
        return Fault(field="item", value=str(answer.item), problem=problem, remedy=remedy, line=line.number)
    shape = shapes.get((answer.item, answer.question))
    if shape is None:
        problem = f"is not open for item {answer.item}"
        remedy = "answer the questions that GET .../questions gave; others open when it is asked again"
        return Fault(field="question", value=answer.question, problem=problem, remedy=remedy, line=line.number)
    known = _decoded(shape)
    if answer.answer is not None and not is_legal(known, answer.answer):
        problem = "is no option of this question" if isinstance(known, Choice) else "is no answer to this question"
        remedy = f"use {legal_answers(known)}"
        return Fault(field="answer", value=answer.answer, problem=problem, remedy=remedy, line=line.number)
    return None


@lru_cache(maxsize=1024)
def _decoded(shape: str) -> AnswerShape:
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
