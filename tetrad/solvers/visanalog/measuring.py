"""Answer questions about colours and light of parts of a picture, by measuring its pixels.

    cells_of   measures a picture in cells
    asked_of   reads the words of a question: what it asks of which part (corner, quarter, edge, half, middle, rim)
    measure_answers   tells which of the offered values holds of a picture, for each thing asked

VISANALOG asks such questions about photographs. Questions about things need somebody who recognises them: of those
`asked_of` returns None.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image

from tetrad.late_regex import late_regex
from tetrad.solvers.pictures import PictureArray

CELLS, CELLS_ZOOMED = 40, 32
"""Cells a side that a picture is measured in; a zoom keeps 32 of 40, so that cells stay what they were."""
QUARTERS = ("upper left", "upper right", "lower left", "lower right")
_EDGES = ("right", "upper", "left", "lower")
_NAMES: Mapping[str, Sequence[str]] = {"corner": QUARTERS, "quarter": QUARTERS, "edge": _EDGES}
_ACROSS = {"left": "right", "right": "left", "upper": "lower", "lower": "upper"}
_MIDDLE, _RIM, _WHOLE = "middle", "rim", "whole"
_HUES = ("red", "orange", "lime", "green", "cyan", "blue", "purple", "pink")  # in the order of Pillow's H
_CIRCLE, _APART = 256, 32  # levels of H: all, and from one named hue to the next
_WINDOW = 24  # levels of H that a cell's may be off
_LEAST_SATURATION = _LEAST_VALUE = 64  # of a cell that has a hue
_LEAST_SHARE = 0.5  # of a part's cells; where a hue prevails the question's own measure is 0.6 or more
_LEAST_LEAD = 10.0  # levels between the best part and the next; the question's own measure is 20 or more
_LUMA = np.array([0.299, 0.587, 0.114])

Cells = npt.NDArray[np.uint8]
"""(side, side, 3): mean colours."""
Offered = Sequence[str]
"""What each option says of one thing asked."""

_PREVAILS = r"which color prevails"
_PLACE = r"upper left|upper right|lower left|lower right|upper|lower|left|right"
_OF_PART = late_regex(rf"{_PREVAILS} in the (?P<place>{_PLACE}) (?P<kind>corner|quarter|edge|half)")
_OF_FIXED = {
    f"{_PREVAILS} in the middle": _MIDDLE,
    f"{_PREVAILS} along the rim": _RIM,
    f"{_PREVAILS} in the whole picture": _WHOLE,
}
_THERE, _OPPOSITE = f"{_PREVAILS} there", f"{_PREVAILS} in the part opposite to it"
_MOST = late_regex(r"which (?P<kind>corner|quarter|edge) (?:is|has) the (?P<what>lightest|darkest|strongest colors)")
_MORE = late_regex(
    rf"which of the (?P<one>{_PLACE}) and the (?P<other>{_PLACE}) (?P<kind>corner|quarter|edge|half) "
    r"(?:is|has) the (?P<what>lighter|stronger colors)"
)
_NEXT = late_regex(r", and (?=which|in which|on which|is the )")


class Clause(NamedTuple):
    """One thing asked.

    kind and places name the parts it is about. what: it asks which of the places is the most so; a colour otherwise.
    relative: it asks for the colour of the part that the clause before it asks for ("there"), or of the one opposite.
    """

    kind: str
    places: tuple[str, ...] = ()
    what: str = ""
    relative: str = ""


def cells_of(picture: PictureArray, *, zoomed: bool = False) -> Cells:
    """Return the mean colours of a square picture's cells, 40 a side; 32 where it is known to be zoomed."""
    side = CELLS_ZOOMED if zoomed else CELLS
    return np.asarray(Image.fromarray(picture[..., :3]).resize((side, side), Image.Resampling.BOX))


def asked_of(words: str) -> tuple[Clause, ...] | None:
    """Return what the last line asks that is a question about parts alone; None where there is no such line."""
    for line in reversed(words.splitlines()):
        if line.strip().endswith("?"):
            clauses = [_clause(clause) for clause in _NEXT.split(line.strip().rstrip("?").lower())]
            known = tuple(clause for clause in clauses if clause is not None)
            if len(known) == len(clauses) and not known[0].relative:
                return known
    return None


def measure_answers(cells: Cells, asked: Sequence[Clause], options: Sequence[str]) -> tuple[str | None, ...]:
    """Return, for each thing asked, which of the values that options offer holds; None where none clearly does."""
    offered = [split_values(option) for option in options]
    columns = [
        [said_values[at] if len(said_values) == len(asked) else "" for said_values in offered]
        for at in range(len(asked))
    ]
    found: list[str | None] = []
    for at, clause in enumerate(asked):
        before = found[at - 1] if at else None
        found.append(_value(cells, clause, columns[at], (asked[at - 1].kind, before)))
    return tuple(found)


def split_values(option: str) -> tuple[str, ...]:
    """Return what an option says of each thing asked."""
    return tuple(option.split("; "))


def _clause(words: str) -> Clause | None:
    plain = _plain(words)
    if part := _OF_PART.fullmatch(plain):
        return Clause(part["kind"], (part["place"],))
    if most := _MOST.fullmatch(plain):
        return Clause(most["kind"], tuple(_NAMES[most["kind"]]), what=most["what"])
    if more := _MORE.fullmatch(plain):
        return Clause(more["kind"], (more["one"], more["other"]), what=more["what"])
    if plain in _OF_FIXED:
        return Clause(_OF_FIXED[plain], (_OF_FIXED[plain],))
    return Clause("", relative=plain) if plain in {_THERE, _OPPOSITE} else None


def _plain(words: str) -> str:
    """Return words without what stands in brackets."""
    return re.sub(r" \([^)]*\)", "", words).strip()


def _value(cells: Cells, clause: Clause, offered: Offered, before: tuple[str, str | None]) -> str | None:
    if clause.what:
        return _most(cells, clause)
    if not clause.relative:
        return _hue(_part(cells, clause.kind, clause.places[0]), offered)
    kind, place = before
    if place is None:
        return None
    if clause.relative == _OPPOSITE:
        place = " ".join(_ACROSS[side] for side in place.split())
    return _hue(_part(cells, kind, place), offered)


def _most(cells: Cells, clause: Clause) -> str | None:
    measure = _MEASURES[clause.what]
    values = [measure(_part(cells, clause.kind, place)) for place in clause.places]
    ordered = sorted(values)
    clear = ordered[-1] - ordered[-2] >= _LEAST_LEAD
    return clause.places[values.index(ordered[-1])] if clear else None


def _luma(part: Cells) -> float:
    return float((part.reshape(-1, 3) @ _LUMA).mean())


def _chroma(part: Cells) -> float:
    flat = part.reshape(-1, 3).astype(np.int64)
    return float((flat.max(axis=1) - flat.min(axis=1)).mean())


_MEASURES: Mapping[str, Callable[[Cells], float]] = {
    "lightest": _luma,
    "lighter": _luma,
    "darkest": lambda part: -_luma(part),
    "strongest colors": _chroma,
    "stronger colors": _chroma,
}


def _hue(part: Cells, offered: Offered) -> str | None:
    """Return the offered hue that most cells of a part are near to, if half of them are and no other has as many."""
    shares = {name: _share(part, _HUES.index(name)) for name in set(offered) if name in _HUES}
    ordered = sorted(shares, key=lambda name: -shares[name])
    if not ordered or shares[ordered[0]] < _LEAST_SHARE:
        return None
    if any(shares[name] == shares[other] for name, other in pairwise(ordered[:2])):
        return None
    return ordered[0]


def _share(part: Cells, hue: int) -> float:
    levels = np.asarray(Image.fromarray(np.ascontiguousarray(part)).convert("HSV")).reshape(-1, 3).astype(np.int64)
    away = (levels[:, 0] - hue * _APART + _CIRCLE // 2) % _CIRCLE - _CIRCLE // 2
    coloured = (levels[:, 1] >= _LEAST_SATURATION) & (levels[:, 2] >= _LEAST_VALUE)
    return float((coloured & (np.abs(away) <= _WINDOW)).mean())


def _part(cells: Cells, kind: str, place: str) -> Cells:
    """Return the cells of a part: a corner, an edge or the rim (an eighth of a side), a quarter, a half, the middle."""
    side = len(cells)
    if kind == _WHOLE:
        return cells
    if kind == _MIDDLE:
        return cells[side // 4 : side - side // 4, side // 4 : side - side // 4]
    if kind == _RIM:
        inner = np.zeros((side, side), dtype=bool)
        inner[side // 8 : side - side // 8, side // 8 : side - side // 8] = True
        return cells[~inner][None]
    thick = side // 2 if kind in {"quarter", "half"} else side // 8
    rows = columns = slice(None)
    if "upper" in place or "lower" in place:
        rows = slice(0, thick) if "upper" in place else slice(side - thick, side)
    if "left" in place or "right" in place:
        columns = slice(0, thick) if "left" in place else slice(side - thick, side)
    return cells[rows, columns]
