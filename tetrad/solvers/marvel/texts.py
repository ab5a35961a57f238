"""Interpret a panel's description as values that a rule may govern."""

import re
from collections.abc import Callable, Hashable, Mapping
from typing import NamedTuple

from tetrad.late_regex import late_regex

NUMBER, RING, TRACK, SORT, SET = "number", "ring", "track", "sort", "set"
FIGURE, TURN = "figure", "turn"
_NUMBERS = (
    *("no", "one", "two", "three", "four", "five", "six", "seven"),
    *("eight", "nine", "ten", "eleven", "twelve", "thirteen"),
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth")
_CLOCK = ("up", "up and right", "right", "down and right", "down", "down and left", "left", "up and left")
_EIGHT = ("top", "top right", "right", "bottom right", "bottom", "bottom left", "left", "top left")
_SIX = ("top", "upper right", "lower right", "bottom", "lower left", "upper left")
_AXES = ("upright", "slanted, rising to the right", "level", "slanted, falling to the right")
_CELL = late_regex(r"row (\d) column (\d)")
_COUNT = rf"({'|'.join(_NUMBERS)})"


class Reading(NamedTuple):
    """One value that a description states. `size`: the number of places of a ring."""

    kind: str
    value: Hashable
    size: int = 0


Readings = Mapping[str, Reading]


def read_panel(text: str) -> Readings:
    """Return the values that the description states, by name; nothing if it is of no known kind."""
    for pattern, read in _KINDS:
        if found := pattern.search(text):
            return read(found)
    return {}


def _number(word: str) -> Reading:
    return Reading(NUMBER, _NUMBERS.index(word.lower()))


def _read_count(found: re.Match[str]) -> Readings:
    return {"count": _number(found[1])}


def _two_counted(found: re.Match[str]) -> Readings:
    return {"white": _number(found[1]), "black": _number(found[2])}


def _read_sorts(found: re.Match[str]) -> Readings:
    """Take every group of the match as a value without order."""
    return {str(place): Reading(SORT, word) for place, word in enumerate(found.groups())}


def _read_order(found: re.Match[str]) -> Readings:
    return {"order": Reading(SORT, found.groups())}


def _row(found: re.Match[str]) -> Readings:
    return {"order": Reading(SORT, tuple(re.split(r", | and ", found[1])))}


def _read_places(found: re.Match[str]) -> Readings:
    """Read places on one ring, or on an outer and an inner one."""
    size, *places = found.groups()
    words = _SIX if size == "6" else _EIGHT
    return {str(at): Reading(RING, words.index(place), len(words)) for at, place in enumerate(places)}


def _read_turn(found: re.Match[str]) -> Readings:
    return {FIGURE: Reading(SORT, found[1]), TURN: Reading(RING, _CLOCK.index(found[2]), len(_CLOCK))}


def _hands(found: re.Match[str]) -> Readings:
    long, short = (_CLOCK.index(word) for word in found.groups())
    gap = (short - long) % len(_CLOCK)
    return {"long": Reading(RING, long, len(_CLOCK)), "gap": Reading(RING, gap, len(_CLOCK))}


def _beads(found: re.Match[str]) -> Readings:
    """Separate a ring of beads from its turn. The smallest of all its turns stands for the ring."""
    black = [_EIGHT.index(place) for place in found[1].removeprefix("at the ").split(", at the ")]
    turns = {turn: tuple(sorted((place - turn) % len(_EIGHT) for place in black)) for turn in range(len(_EIGHT))}
    turn = min(turns, key=lambda one: turns[one])
    return {FIGURE: Reading(SORT, turns[turn]), TURN: Reading(RING, turn, len(_EIGHT))}


def _read_walk(found: re.Match[str]) -> Readings:
    across, row, column = (int(part) for part in found.groups())
    return {"place": Reading(RING, across * (row - 1) + column - 1, across * across)}


def _patch(found: re.Match[str]) -> Readings:
    """Return a figure without its place: its cells counted from its own corner."""
    cells = [(int(row), int(column)) for row, column in _CELL.findall(found[1])]
    top, left = min(row for row, _ in cells), min(column for _, column in cells)
    return {FIGURE: Reading(SORT, frozenset((row - top, column - left) for row, column in cells))}


def _read_cells(found: re.Match[str]) -> Readings:
    return {"cells": Reading(SET, frozenset(_CELL.findall(found[1])))}


def _strokes(found: re.Match[str]) -> Readings:
    return {"strokes": Reading(SET, frozenset(re.findall(r"the \w+ half of the \w+ (?:line|upright)", found[1])))}


def _spokes(found: re.Match[str]) -> Readings:
    return {"spokes": Reading(SET, frozenset(re.split(r", | and ", found[1])))}


def _sides(found: re.Match[str]) -> Readings:
    """Count changed sides: "all six sides straight" is none, "all six sides bent" is six."""
    return {"count": _number("no" if found[2] == "straight" else found[1])}


def _read_station(found: re.Match[str]) -> Readings:
    return {"station": Reading(TRACK, _ORDINALS.index(found[1]), len(_ORDINALS))}


def _read_axis(found: re.Match[str]) -> Readings:
    return {"axis": Reading(RING, _AXES.index(found[1]), len(_AXES))}


def _read_angle(found: re.Match[str]) -> Readings:
    return {"angle": Reading(NUMBER, int(found[1]) // 30)}


_FIGURE = r"(?:an? )?(?:black |white |grey |dark )?(.+?)"
# The pattern of each kind of panel, and the function that interprets its match. They are tried in turn.
_KINDS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Readings]], ...] = tuple(
    (late_regex(pattern, re.IGNORECASE), read)
    for pattern, read in (
        (r"^(.+) The whole is turned so that its top points (.+)\.$", _read_turn),
        (r"long thin one points (.+), the short thick one points (.+)\.$", _hands),
        (r"^A ring of eight beads.+; the black ones stand (.+); the other", _beads),
        (
            r"^Two rings of (\d) places.+? at the ([\w ]+) of the outer ring.+? at the ([\w ]+) of the inner",
            _read_places,
        ),
        (r"in the middle of a ring of (\d) places; .+ stands at the ([\w ]+) of the ring", _read_places),
        (r"^A grid of (\d) by \d cells; .+ in row (\d), column (\d), the other cells empty", _read_walk),
        (r"^A straight line with five stations; .+ at the (\w+) station", _read_station),
        (r"^A grid of five by five cells with .+? in (row .+)\.$", _patch),
        (r"^A grid of three by three cells with .+? in (row .+); the other", _read_cells),
        (rf"^A grid of four by four cells, {_COUNT} cells? holding", _read_count),
        (r"^Nine points in three rows; \w+ strokes join (.+)\.$", _strokes),
        (r"^Inside a circle, (?:one spoke points|spokes point) from the middle (.+), (?:each )?ending", _spokes),
        (r"one axis, which is ([\w, ]+)\.$", _read_axis),
        (r"(?:The figure|A half turn) (has no|is its own|leaves|has two)", _read_sorts),
        (r"^An? (open|closed) outline made of (?:a )?(straight|curved)", _read_sorts),
        (rf"outline; (?:all )?{_COUNT} sides? (bent|straight)", _sides),
        (rf"outline with {_COUNT} pointed notch", _read_count),
        (r"at an angle of (\d+) degrees", _read_angle),
        (rf"^(?:Five|Six) \w+ lines; (?:all )?{_COUNT} (?:of them )?point", _read_count),
        (rf"^{_COUNT} white .+ and {_COUNT} black .+, scattered", _two_counted),
        (rf"^{_COUNT} .+, scattered", _read_count),
        (r"^(one) (?:white|black|grey) [\w -]+\.$", _read_count),
        (rf"^{_COUNT} separate", _read_count),
        (rf"\b{_COUNT} pieces?\b", _read_count),
        (rf"crosses it {_COUNT} time", _read_count),
        (rf"\bwith {_COUNT} (?:corner|point|lobe)", _read_count),
        (r"a black dot (.+)\.$", _read_sorts),
        (r"^A small .+? (above|below|to the left of|to the right of) a large", _read_sorts),
        (r"^An? (.+) with an? (.+) inside it, and inside that a small black ([^.]+)\.", _read_order),
        (r"^Three figures in a line from [\w ]+: (.+)\.$", _row),
        (r"on top a \w+ (.+), below it a \w+ (.+), at the bottom a \w+ (.+); the", _read_order),
        (r"\b(apart|touching each other|overlapping|inside)\b", _read_sorts),
    )
)
