"""Solve an item of photographs independently, from the colours of cells that its pictures hold, and from the words.

It uses no table, function or number of what draws and asks. It tries every edit on A's cells, takes the one that comes
nearest to B's, applies it to C's, and measures there what each option says.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from generator_service.benchmark import View

Cells = npt.NDArray[np.float64]
"""(side, side, 3), 0 to 255."""
_KEPT = 0.8
_QUARTERS = ("upper left", "upper right", "lower left", "lower right")
_SIDES = ("left", "right", "upper", "lower")
_OPPOSITE = {"left": "right", "right": "left", "upper": "lower", "lower": "upper"}
_HUE_OF = {"red": 0, "orange": 45, "lime": 90, "green": 135, "cyan": 180, "blue": 225, "purple": 270, "pink": 315}
_PLACE = re.compile(r"(?:(?:upper|lower) (?:left|right)|left|right|upper|lower)")
_OF_TWO = re.compile(r"which of the ([\w ]+) and the ([\w ]+) (corner|quarter|edge|half)")
_MOST = 0.5  # of the cells of a part have a colour that prevails there
_NEAR = 38.0  # a colour is asked for within 34 degrees: rounding moves it by some when C's hues are rotated
_WASHED_OUT, _DIM = 64 / 255, 64 / 255


class _Edit(NamedTuple):
    zoom: bool
    swap: tuple[int, int] | None
    turns: int
    flip: str
    hue: int


class _Seen(NamedTuple):
    """A picture: the colours of its cells, and the boxes of things by name, in shares of the side."""

    cells: Cells
    things: Mapping[str, tuple[float, float, float, float]]


def solve_photograph(view: View) -> str | None:
    """Return the label of the one option that holds; None where the edit can't be found, or not one option holds."""
    seen = _asked_about(view)
    if seen is None:
        return None
    _, _, question = view.question.text.rpartition("\n")
    asks = question.rstrip("?").split(", and ")
    fits = {option.label: _fit(asks, str(option.text).split("; "), seen) for option in view.question.options}
    best = max(fits, key=lambda label: fits[label])
    return best if fits[best] > _MOST and list(fits.values()).count(fits[best]) == 1 else None


def _asked_about(view: View) -> _Seen | None:
    for part in ("target", "instead"):
        if shown := view.parts(part):
            return _read_picture(shown[0])
    query, text = view.parts("query"), view.question.text
    edit = _read_edit(text) if "image A" not in text else _find_edit(view)
    return None if edit is None or not query else _apply_edit(edit, _read_picture(query[0]))


def _read_picture(held: Mapping[str, Any]) -> _Seen:
    pixels = np.frombuffer(bytes.fromhex(held["cells"]), np.uint8)
    side = round((len(pixels) / 3) ** 0.5)
    return _Seen(pixels.reshape(side, side, 3).astype(np.float64), {name: tuple(box) for name, box in held["things"]})


def _read_edit(text: str) -> _Edit | None:
    _, colon, rest = text.partition("make image D from image C: ")
    steps, _, _ = rest.partition(". Image D")
    if not colon:
        return None
    exchange = re.search(r"exchange the (\w+ \w+) and the (\w+ \w+) quarter", steps)
    rotate, hue = re.search(r"rotate by (\d+)", steps), re.search(r"rotate all hues by (\d+)", steps)
    flip = re.search(r"flip (\w+)ly", steps)
    swap = None if exchange is None else (_QUARTERS.index(exchange[1]), _QUARTERS.index(exchange[2]))
    return _Edit(
        "zoom in" in steps,
        swap,
        int(rotate[1]) // 90 if rotate else 0,
        flip[1] if flip else "",
        int(hue[1]) // 90 if hue else 0,
    )


def _find_edit(view: View) -> _Edit | None:
    before, after = view.parts("before"), view.parts("after")
    if not before or not after:
        return None
    given, wanted = _read_picture(before[0]), _read_picture(after[0]).cells
    coloured = [_Seen(_recolour_cells(given.cells, 90 * hue), {}) for hue in range(4)]
    apart = [
        (float(np.square(made - wanted).sum()), edit._replace(hue=hue))
        for edit in _edits()
        for hue, seen in enumerate(coloured)
        if (made := _apply_edit(edit, seen).cells).shape == wanted.shape
    ]
    return min(apart, key=lambda one: one[0])[1]


def _edits() -> Iterator[_Edit]:
    """Yield all edits but for their hue rotation, which moves nothing."""
    swaps = (None, *combinations(range(4), 2))
    for zoom, swap, turns, flip in product((False, True), swaps, range(4), ("", "horizontal")):
        yield _Edit(zoom, swap, turns, flip, 0)


def _apply_edit(edit: _Edit, seen: _Seen) -> _Seen:
    cells, things = seen
    if edit.zoom:
        margin = round(len(cells) * (1 - _KEPT) / 2)
        cells = cells[margin:-margin, margin:-margin]
        low = (1 - _KEPT) / 2
        things = {name: tuple((value - low) / _KEPT for value in box) for name, box in things.items()}  # type: ignore[misc]
    if edit.swap is not None:
        half = len(cells) // 2
        rows = [slice(half * (tile // 2), half * (tile // 2 + 1)) for tile in edit.swap]
        columns = [slice(half * (tile % 2), half * (tile % 2 + 1)) for tile in edit.swap]
        made = cells.copy()
        made[rows[0], columns[0]], made[rows[1], columns[1]] = cells[rows[1], columns[1]], cells[rows[0], columns[0]]
        cells = made
        things = {name: _exchange_tiles(box, edit.swap) for name, box in things.items()}
    for _ in range(edit.turns):
        cells = np.rot90(cells)
        things = {name: (top, 1 - right, low, 1 - left) for name, (left, top, right, low) in things.items()}
    if edit.flip == "horizontal":
        cells = cells[:, ::-1]
        things = {name: (1 - right, top, 1 - left, low) for name, (left, top, right, low) in things.items()}
    elif edit.flip:
        cells = cells[::-1]
        things = {name: (left, 1 - low, right, 1 - top) for name, (left, top, right, low) in things.items()}
    return _Seen(_recolour_cells(cells, 90 * edit.hue), things)


def _exchange_tiles(box: tuple[float, float, float, float], swap: tuple[int, int]) -> tuple[float, float, float, float]:
    left, top, right, low = box
    own = int(left + right > 1) + 2 * int(top + low > 1)
    if own not in swap:
        return box
    other = swap[1 - swap.index(own)]
    across, down = (other % 2 - own % 2) / 2, (other // 2 - own // 2) / 2
    return left + across, top + down, right + across, low + down


def _hsv(cells: Cells) -> tuple[Cells, Cells, Cells]:
    """Return hue in degrees, saturation and value of colours, each (side, side)."""
    red, green, blue = (cells[..., channel] / 255 for channel in range(3))
    value, least = cells.max(-1) / 255, cells.min(-1) / 255
    spread = np.where(value > least, value - least, 1)
    sector = np.where(
        value == red,
        ((green - blue) / spread) % 6,
        np.where(value == green, (blue - red) / spread + 2, (red - green) / spread + 4),
    )
    hue = np.where(value > least, 60 * sector, 0)
    return hue, np.where(value > 0, (value - least) / np.where(value > 0, value, 1), 0), value


def _recolour_cells(cells: Cells, degrees: int) -> Cells:
    if not degrees:
        return cells
    hue, saturation, value = _hsv(cells)
    sector = ((hue + degrees) % 360) / 60
    channels = []
    for start in (5, 3, 1):
        along = (start + sector) % 6
        channels.append(value - value * saturation * np.clip(np.minimum(along, 4 - along), 0, 1))
    return 255 * np.stack(channels, axis=-1)


# What is asked, measured


def _fit(asks: Sequence[str], says: Sequence[str], seen: _Seen) -> float:
    """Return how well an option fits a picture: the least of its parts; 0 where one does not hold."""
    if len(asks) != len(says):
        return 0.0
    lower = [ask.lower() for ask in asks]
    return min(
        _fits(ask, say, seen, (lower[place - 1], says[place - 1]))
        for place, (ask, say) in enumerate(zip(lower, says, strict=True))
    )


def _fits(ask: str, say: str, seen: _Seen, before: tuple[str, str]) -> float:
    """Return how well one part of an option fits. before: what is asked and said before it."""
    if ask.startswith("which color prevails"):
        return _share(_select_cells(seen.cells, ask.removeprefix("which color prevails "), before), say)
    if found := re.match(r"in which quarter is the (.+)", ask):
        return float(found[1] in _lower(seen) and _middle_in(_lower(seen)[found[1]]) == say)
    if found := re.match(r"on which side of the (.+) is the (.+)", ask):
        return float(_before(seen, found[2], found[1], 0) == (say == "left"))
    if found := re.match(r"is the (.+) higher or lower than the (.+)", ask):
        return float(_before(seen, found[1], found[2], 1) == (say == "higher"))
    return _extreme(seen.cells, ask, say)


def _select_cells(cells: Cells, where: str, before: tuple[str, str]) -> Cells:
    """Return the cells, (cells, 1, 3) or as they lie, of the part that a question about a colour means."""
    quarter, eighth = len(cells) // 4, len(cells) // 8
    if where.startswith("in the middle"):
        return cells[quarter : len(cells) - quarter, quarter : len(cells) - quarter]
    if where.startswith("along the rim"):
        is_rim = np.ones(cells.shape[:2], dtype=bool)
        is_rim[eighth : len(cells) - eighth, eighth : len(cells) - eighth] = False
        return cells[is_rim][:, None]
    if where == "in the whole picture":
        return cells
    if where == "there":
        return _part(cells, _kind(before[0]), before[1])
    if where == "in the part opposite to it":
        return _part(cells, _kind(before[0]), " ".join(_OPPOSITE[word] for word in before[1].split()))
    place = _PLACE.search(where)
    return _part(cells, _kind(where), place[0] if place else "")


def _kind(ask: str) -> str:
    return next(kind for kind in ("corner", "edge", "half", "quarter") if kind in ask)


def _part(cells: Cells, kind: str, place: str) -> Cells:
    side = len(cells)
    reach = side // 2 if kind in {"quarter", "half"} else side // 8
    rows = slice(0, reach) if "upper" in place else slice(side - reach, side) if "lower" in place else slice(0, side)
    columns = slice(0, reach) if "left" in place else slice(side - reach, side) if "right" in place else slice(0, side)
    return cells[rows, columns]


def _share(part: Cells, name: str) -> float:
    """Return the share of a part's cells that are of a colour, by its name."""
    hue, saturation, value = _hsv(part)
    away = np.abs((hue - _HUE_OF[name] + 180) % 360 - 180)
    return float(((away <= _NEAR) & (saturation >= _WASHED_OUT) & (value >= _DIM)).mean())


def _extreme(cells: Cells, ask: str, say: str) -> float:
    kind, two = _kind(ask), _OF_TWO.match(ask)
    places = (two[1], two[2]) if two else _SIDES if kind == "edge" else _QUARTERS
    measure = cells.max(-1) - cells.min(-1) if "colors" in ask else cells @ (0.299, 0.587, 0.114)
    means = {place: float(_part(measure, kind, place).mean()) for place in places}
    chosen = min(means, key=means.__getitem__) if "darkest" in ask else max(means, key=means.__getitem__)
    return float(chosen == say)


def _lower(seen: _Seen) -> dict[str, tuple[float, float, float, float]]:
    return {name.lower(): box for name, box in seen.things.items()}


def _middle_in(box: tuple[float, float, float, float]) -> str:
    return _QUARTERS[int(box[0] + box[2] > 1) + 2 * int(box[1] + box[3] > 1)]


def _before(seen: _Seen, one: str, other: str, axis: int) -> bool | None:
    things = _lower(seen)
    if one not in things or other not in things:
        return None
    return things[one][axis] + things[one][axis + 2] < things[other][axis] + things[other][axis + 2]
