"""Rows of reading replies: the published ones a second, and the slowest of many hostile replies, made by seed."""

import csv
import os
import random
from collections.abc import Callable, Iterator, Sequence
from heapq import nlargest
from operator import attrgetter
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench.measuring import ROOT, Bench, Line, core_seconds
from tetrad.contracts.answers import LARGEST_REPLY
from tetrad.contracts.items import AnswerShape, Choice, Diagnosis, Number, StateCaption
from tetrad.extraction import conclusions, spoken_statements, statements, thinking, visible_text
from tetrad.extraction.answers import extract_answer
from tetrad.extraction.choice import ExtractedAnswer
from tetrad.extraction.question_words import NO_WORDS, QuestionWords
from tetrad.solvers.carv import VALUES

DATA = Path(os.environ.get("TETRAD_DATA", ROOT.parent / "shared" / "data"))
MOST_MILLISECONDS = 20.0
MOST_GROWTH = 2.3  # of the time when the length doubles
SIZES = (LARGEST_REPLY // 4, LARGEST_REPLY // 2, LARGEST_REPLY)
SHORTEST_COMPARED = 2.0  # milliseconds: shorter ones are noise
MOST_TEXTS = 8  # that a cache of extraction keeps; larger caches keep patterns and short replies
SUSPECTS = 20  # replies that are read again
LABELS = ("A", "B", "C", "D")
SHAPES: Sequence[AnswerShape] = (
    Choice(labels=LABELS),
    Choice(labels=("1", "2", "3", "4")),
    Number(),
    StateCaption(properties=dict(VALUES)),
    Diagnosis(properties=dict(VALUES), pairs=2),
)
CACHED = [
    value
    for module in (conclusions, spoken_statements, statements, thinking, visible_text)
    for value in vars(module).values()
    if hasattr(value, "cache_clear") and value.cache_parameters()["maxsize"] <= MOST_TEXTS
]
WORDS = QuestionWords(tuple(zip(LABELS, ("a red chair", "a table", "a lamp", "two mugs"), strict=True)), True)
TAGS = ("think", "reasoning", "analysis", "musing", "b", "p", "answer", "x-y.z", "details", "seed:think", "THINK")
TAG_FORMS = (
    "<{}>",
    "</{}>",
    "[{}]",
    "[/{}]",
    "<|{}|>",
    "<|begin_of_{}|>",
    "<|end_of_{}|>",
    "\u25c1{}\u25b7",
    "&lt;{}&gt;",
)
CHANNELS = (
    "<|channel|>analysis<|message|>",
    "<|channel|>final<|message|>",
    "<|end|>",
    "<|start|>assistant",
    "<channel|>",
)
LABELLED = (
    "A,",
    "(A)",
    "A: ",
    "B. ",
    "**C** ",
    "1,",
    "9 ",
    "(1)(2)",
    "\nA",
    "\n- (B) ",
    "'A' ",
    "\\boxed{",
    "\\boxed{A} or ",
)
STATED = (
    "the answer is A ", "the answer is not A but ", "so ", "so (B). ", "if ", "wait, ", "wait, no: ", "not ", "isn't ",
    "A is wrong. ", "either A or ", "A: no\n", "A: yes\n", "(A) no, ", "my first answer was A. ",
    "the best option which ",
    "\u7b54\u6848\u4e0d\u662fA", "\u7b54\u3048\u306fA", "\uc815\ub2f5\uc740 A",
    "\u043e\u0442\u0432\u0435\u0442 ", "la respuesta no es ", "n\u00e3o ", "sondern ", "la r\u00e9ponse ",
)  # fmt: skip
COUNTED = (
    "9 + ",
    "3 x ",
    "a dozen ",
    "total of ",
    "1,111,",
    "at least 9 ",
    "two hundred and ",
    "9\u500b",
    "\u4e5d",
    "Row 1: 3\n",
)
CAPTIONED = (
    "two mugs on a red table. ",
    "a to ",
    "red or ",
    "at least ",
    '"caption": "x',
    "caption: ",
    "( a ",
    "wait a ",
)
PLAIN = tuple(" \n.\t'\"()[]{}<>*`\\$|-,:x\u00a0\u0130")
OPENING = ("", "", "", "{", "```json\n", "<think>", "<musing>", "The answer is (A). ", "A")
CLOSING = ("", "", "(B)", "The answer is B.", "</think>", "wait", " no", "9")


def hostile_reply(number: int, length: int) -> str:
    """Return a hostile reply of this number, of `length` characters: the same kind of text at every length.

    It repeats, nests or shuffles one to four pieces, between an opening and a closing.
    """
    rng = random.Random(f"hostile/{number}")
    pieces = [_piece(rng) for _ in range(rng.randint(1, 4))]
    opening, closing = rng.choice(OPENING), rng.choice(CLOSING)
    inside = length - len(opening) - len(closing)
    return opening + _ARRANGED[rng.randrange(len(_ARRANGED))](pieces, inside, rng)[:inside] + closing


def _piece(rng: random.Random) -> str:
    kind = rng.choice((CHANNELS, LABELLED, STATED, COUNTED, CAPTIONED, PLAIN, None))
    if kind is not None:
        return rng.choice(kind)
    return rng.choice(TAG_FORMS).format(rng.choice(TAGS))


def _repeat(pieces: Sequence[str], length: int, _: random.Random) -> str:
    unit = "".join(pieces)
    return unit * (length // len(unit) + 1)


def _in_blocks(pieces: Sequence[str], length: int, _: random.Random) -> str:
    """Return each piece many times, then the next: what opens in a first block closes in a later one."""
    share = length // len(pieces) + 1
    return "".join((piece * (share // len(piece) + 1))[:share] for piece in pieces)


def _shuffle(pieces: Sequence[str], length: int, rng: random.Random) -> str:
    shortest = min(len(piece) for piece in pieces)
    return "".join(rng.choices(pieces, k=length // shortest + 1))


_ARRANGED: Sequence[Callable[[Sequence[str], int, random.Random], str]] = (_repeat, _in_blocks, _shuffle)


def extraction(bench: Bench) -> Iterator[Line]:
    """Measure the published replies of KiVA, then hostile ones of the largest size, each in one of the shapes."""
    yield _measure_published(bench)
    yield from _measure_hostile(bench.scale.hostile)


def _measure_published(bench: Bench) -> Line:
    name, path = "replies of KiVA read a second", DATA / "kiva" / "replies.csv"
    if not path.exists():
        return Line(name=name, value="they are not here", ratio="TETRAD_DATA names the folder that holds kiva/")
    with path.open(newline="", encoding="utf-8") as lines:
        replies = [row["full_response"] for row in csv.DictReader(lines)]
    seconds = min(
        core_seconds(lambda: [_read(reply, SHAPES[0]) for reply in replies]) for _ in range(bench.scale.rounds)
    )
    return Line(
        name=name,
        value=f"{len(replies) / seconds:,.0f} a core",
        ratio=f"{1000 * seconds / len(replies):.2f} ms each of {len(replies)}",
    )


class _Read(NamedTuple):
    """The time that one hostile reply took. growth: the least factor by which this grows when the length doubles."""

    milliseconds: float
    growth: float
    number: int


def _measure_hostile(count: int) -> Iterator[Line]:
    """Read each hostile reply once, then the slowest again: what is slow by chance is slow once."""
    read = [_measure_reply(number, rounds=1) for number in range(count)]
    slowest, steepest = (
        max((_measure_reply(found.number, rounds=5) for found in nlargest(SUSPECTS, read, key)), key=key)
        for key in (attrgetter("milliseconds"), attrgetter("growth"))
    )
    yield Line(
        name=f"the slowest of {count:,} hostile replies of 32 KiB",
        value=f"{slowest.milliseconds:.1f} core ms",
        ratio=f"number {slowest.number}; {median(each.milliseconds for each in read):.1f} ms in the middle",
        aim=f"at most {MOST_MILLISECONDS:.0f} ms",
        met=slowest.milliseconds <= MOST_MILLISECONDS,
    )
    yield Line(
        name="hostile replies of 8, 16 and 32 KiB",
        value=f"{steepest.growth:.2f} times as long at each doubling",
        ratio=f"number {steepest.number}",
        aim=f"at most {MOST_GROWTH}",
        met=steepest.growth <= MOST_GROWTH,
    )


def _measure_reply(number: int, rounds: int) -> _Read:
    """Read a reply at three lengths. A step at one of them is no growth: another rule decides the text from there."""
    shape = SHAPES[number % len(SHAPES)]
    quarter, half, whole = (_read_milliseconds(hostile_reply(number, size), shape, rounds) for size in SIZES)
    return _Read(whole, min(whole / half, half / quarter) if whole >= SHORTEST_COMPARED else 0.0, number)


def _read_milliseconds(reply: str, shape: AnswerShape, rounds: int) -> float:
    return 1000 * min(core_seconds(lambda: _read(reply, shape)) for _ in range(rounds))


def _read(reply: str, shape: AnswerShape) -> ExtractedAnswer:
    for cached in CACHED:
        cached.cache_clear()  # as a reply that is read for the first time
    return extract_answer(shape, None, reply, words=WORDS if shape == SHAPES[0] else NO_WORDS)
