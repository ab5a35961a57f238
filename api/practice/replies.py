"""Lines of JSON about practice items, as trainers send them, and what the service answers to each."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from api.errors import InvalidInputError, NotFoundError, StateConflictError, TooLargeError
from api.practice.items import read_item_id
from api.submissions.uploads import NO_JSON, decompress
from tetrad.contracts.answers import LARGEST_REPLY, PracticeAnswer
from tetrad.contracts.problems import LONGEST_VALUE, Fault
from tetrad.contracts.training import NextRows, PracticeReply, PracticeVerdict
from tetrad.extraction.judging import CORRECT, MISTAKE, UNREAD
from tetrad.internal.practice import JudgedReply, PracticeItemRequest, ReplyToJudge
from tetrad.server.value_words import find_field, find_place

L = TypeVar("L", PracticeReply, NextRows)
MOST_FAULTS = 100
Allowed = Callable[[str], list[str]]
"""What the caller may draw from beside public sources, by the seed of an item."""


def read_lines(body: bytes, encoding: str, kind: type[L], most: int) -> list[L]:
    """Return the lines of a body. All of them are good, or none is taken.

    Raises:
        TooLargeError: there are more than `most`.
        InvalidInputError: lines are wrong; the first hundred are named.
        UnreadableFormatError: nothing here reads its encoding.
    """
    decoder = msgspec.json.Decoder(kind)
    lines, faults = list[L](), list[Fault]()
    for number, line in enumerate(decompress(body, encoding.strip().lower()).split(b"\n"), 1):
        if not line.strip():
            continue
        if len(lines) == most:
            raise TooLargeError.at("body", None, f"has more than {most} lines", "send the others in another request")
        try:
            lines.append(decoder.decode(line))
        except NO_JSON as error:
            faults.append(_unreadable(number, line, str(error), kind))
            continue
        faults += [replace(fault, line=number) for fault in _wrong_forms(lines[-1])]
    if faults:
        found = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        raise InvalidInputError(f"{found} in the lines; nothing was judged", faults=faults[:MOST_FAULTS])
    if not lines:
        raise InvalidInputError.at("body", None, "has no lines", f"send lines of JSON: {_example(kind)}")
    return lines


def _unreadable(number: int, line: bytes, message: str, kind: type) -> Fault:
    field, (_, problem) = find_field(message) or "line", find_place(message)
    remedy = f"send a line like {_example(kind)}"
    value = line[:LONGEST_VALUE].decode(errors="replace")
    return Fault(field=field, value=value, problem=problem, remedy=remedy, line=number)


def _example(kind: type) -> str:
    if kind is NextRows:
        return '{"item": "itm_...", "answers": [{"question": "what", "response": "..."}]}'
    return '{"item": "itm_...", "question": "which", "response": "..."}'


def _wrong_forms(line: PracticeReply | NextRows) -> Iterator[Fault]:
    answers: Sequence[PracticeReply | PracticeAnswer]
    answers = line.answers if isinstance(line, NextRows) else [line, *line.earlier]
    for given in answers:
        if (given.answer is None) == (given.response is None):
            problem = "is missing, and so is answer" if given.answer is None else "is given beside answer: give one"
            remedy = "send the whole reply as response"
            yield Fault(field="response", value=given.answer, problem=problem, remedy=remedy)
        if len((given.response or "").encode()) > LARGEST_REPLY:
            problem = f"is longer than {LARGEST_REPLY} bytes"
            remedy = "cut its beginning; the answer usually stands at the end"
            yield Fault(field="response", value=(given.response or "")[:LONGEST_VALUE], problem=problem, remedy=remedy)


class KnownItems:
    """The practice items that lines name, each once, in the order of its first line."""

    def __init__(self, benchmark: str, allowed: Allowed) -> None:
        self._benchmark = benchmark
        self._allowed = allowed
        self._places: dict[str, int] = {}
        self.requests: list[PracticeItemRequest] = []

    def place_of(self, item: str) -> int:
        """Return the item's place in `requests`.

        Raises:
            NotFoundError: it is no practice item of the benchmark. The words are the same whatever it is.
        """
        if item not in self._places:
            request = read_item_id(item)
            if request.identity.benchmark != self._benchmark:
                raise no_item(item)
            self._places[item] = len(self.requests)
            self.requests.append(replace(request, allowed=self._allowed(request.seed)))
        return self._places[item]


def no_item(item: str) -> NotFoundError:
    return NotFoundError(f"there is no practice item {item[:80]!r}")


def to_judge(place: int, reply: PracticeReply) -> ReplyToJudge:
    return ReplyToJudge(
        item=place,
        question=reply.question,
        answer=reply.answer,
        response=reply.response,
        stop=reply.stop,
        earlier=reply.earlier,
    )


def check_opened(replies: Sequence[PracticeReply], judged: Sequence[JudgedReply]) -> None:
    """Check that each reply is to a question that is open after the replies before it.

    Raises:
        StateConflictError: some are not; the first hundred are named.
    """
    remedy = "send in `earlier` the replies that open it, as they were given"
    faults = [
        Fault(field="question", value=", ".join(found.never), problem="was never opened", remedy=remedy, line=number)
        for number, (_, found) in enumerate(zip(replies, judged, strict=True), 1)
        if found.never
    ]
    if faults:
        raise StateConflictError(f"never opened: {faults[0].value}; nothing was judged", faults=faults[:MOST_FAULTS])


def verdict_of(reply: PracticeReply, judged: JudgedReply) -> PracticeVerdict:
    """Return the verdict on a reply whose question was open."""
    verdict = judged.verdict
    if verdict is None:
        raise LookupError(f"question {reply.question} was never opened")
    return PracticeVerdict(
        item=reply.item,
        question=reply.question,
        verdict=verdict.verdict,
        answer=verdict.answer,
        reason=verdict.reason,
        key=verdict.key,
        mistake=verdict.outcome.get(MISTAKE),
        reward=float(verdict.verdict == CORRECT),
        unread=float(verdict.verdict == UNREAD),
        stage_reward=judged.right / judged.questions,
        outcome=verdict.outcome,
        begins_inside_thinking=verdict.begins_inside_thinking,
        opened=judged.opened,
    )
