"""Rows of reading replies: the published ones a second, and the slowest of many hostile replies, made by seed."""

import csv
import os
from collections.abc import Callable, Iterator, Sequence
from heapq import nlargest
from operator import attrgetter
from pathlib import Path
from statistics import median
from typing import NamedTuple, TypeAlias

from bench.hostile_replies import hostile_kind, hostile_reply
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
EACH_SHAPE = 8  # replies in a row: of each kind one
MakeReply: TypeAlias = Callable[[int, int], str]
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


def extraction(bench: Bench) -> Iterator[Line]:
    """Measure the published replies of KiVA, then hostile ones of the largest size, each in one of the shapes."""
    yield _measure_published(bench)
    for of, make in (("", hostile_reply), (" of eight kinds", hostile_kind)):
        yield from _measure_hostile(bench.scale.hostile, make, of)


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


def _measure_hostile(count: int, make: MakeReply, of: str) -> Iterator[Line]:
    """Read each hostile reply once, then the slowest again: what is slow by chance is slow once."""
    read = [_measure_reply(number, make, rounds=1) for number in range(count)]
    slowest, steepest = (
        max((_measure_reply(found.number, make, rounds=5) for found in nlargest(SUSPECTS, read, key)), key=key)
        for key in (attrgetter("milliseconds"), attrgetter("growth"))
    )
    yield Line(
        name=f"the slowest of {count:,} hostile replies of 32 KiB{of}",
        value=f"{slowest.milliseconds:.1f} core ms",
        ratio=f"number {slowest.number}; {median(each.milliseconds for each in read):.1f} ms in the middle",
        aim=f"at most {MOST_MILLISECONDS:.0f} ms",
        met=slowest.milliseconds <= MOST_MILLISECONDS,
    )
    yield Line(
        name=f"hostile replies of 8, 16 and 32 KiB{of}",
        value=f"{steepest.growth:.2f} times as long at each doubling",
        ratio=f"number {steepest.number}",
        aim=f"at most {MOST_GROWTH}",
        met=steepest.growth <= MOST_GROWTH,
    )


def _measure_reply(number: int, make: MakeReply, rounds: int) -> _Read:
    """Read a reply at three lengths. A step at one of them is no growth: another rule decides the text from there."""
    shape = SHAPES[number // EACH_SHAPE % len(SHAPES)]
    quarter, half, whole = (_read_milliseconds(make(number, size), shape, rounds) for size in SIZES)
    return _Read(whole, min(whole / half, half / quarter) if whole >= SHORTEST_COMPARED else 0.0, number)


def _read_milliseconds(reply: str, shape: AnswerShape, rounds: int) -> float:
    return 1000 * min(core_seconds(lambda: _read(reply, shape)) for _ in range(rounds))


def _read(reply: str, shape: AnswerShape) -> ExtractedAnswer:
    for cached in CACHED:
        cached.cache_clear()  # as a reply that is read for the first time
    return extract_answer(shape, None, reply, words=WORDS if shape == SHAPES[0] else NO_WORDS)
