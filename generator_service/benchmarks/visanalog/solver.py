"""Solve an item independently, from what the pictures hold and the words.

It uses no table, function or number of the sampler, of the question or of their geometry. It finds the edit from A and
B, applies it to C box by box, and holds each option against what then lies there. An item is valid only if this agrees
with its key.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from generator_service.benchmark import View
from generator_service.benchmarks.visanalog.photographs.solver import solve_photograph

Seen = Mapping[str, Any]
"""A thing in a picture: name, box, percent, colour, top, mirrored; and round, or in a scene of people its kind."""
Box = tuple[float, float, float, float]
_SIDE = 512.0
_LOW, _HIGH = 51.0, 461.0  # the box that zooming keeps
_RINGS = (("red", "lime", "cyan", "purple"), ("gold", "green", "blue", "pink"))
_ROUND = ("up", "left", "down", "right")  # counter-clockwise
_QUARTERS = ("upper left", "upper right", "lower left", "lower right")
_CLOSE = 2.5  # pixels
_ALL = 94  # percent from which a thing counts as whole

_ZOOM = re.compile(r"zoom in on the middle")
_EXCHANGE = re.compile(r"exchange the (\w+ \w+) and the (\w+ \w+) quarter")
_ROTATE = re.compile(r"rotate by (\d+) degrees counter")
_FLIP = re.compile(r"flip (horizontal|vertical)ly")
_HUE = re.compile(r"rotate all hues by (\d+) degrees")


@dataclass(frozen=True)
class _Edit:
    """Zooming or not, two quarters or none, then quarter turns and mirroring, then quarters of hue."""

    zoom: bool
    swap: tuple[int, int] | None
    moves: Sequence[str]
    hue: int

    def apply(self, things: Sequence[Seen]) -> Iterator[dict[str, Any]]:
        """Yield the things that stay in the picture, where they come to lie."""
        return (made for thing in things if (made := self._move_thing(thing)) is not None)

    def _move_thing(self, one: Seen) -> dict[str, Any] | None:
        box: Box = tuple(one["box"])
        percent = one["percent"]
        if self.zoom:
            cut = tuple(min(max(value, _LOW), _HIGH) for value in box)
            area = (cut[2] - cut[0]) * (cut[3] - cut[1])
            percent = 100 * area / ((box[2] - box[0]) * (box[3] - box[1]))
            if area <= 0:
                return None
            box = tuple((value - _LOW) * _SIDE / (_HIGH - _LOW) for value in cut)  # type: ignore[assignment]
        if self.swap is not None and (quarter := _quarter(box)) in self.swap:
            other = self.swap[1 - self.swap.index(quarter)]
            across, down = (other % 2 - quarter % 2) * _SIDE / 2, (other // 2 - quarter // 2) * _SIDE / 2
            box = box[0] + across, box[1] + down, box[2] + across, box[3] + down
        top, mirrored = one["top"], one["mirrored"]
        for move in self.moves:
            box, top, mirrored = _step(move, box, top, mirrored=mirrored)
        ring = next(ring for ring in _RINGS if one["color"] in ring)
        colour = ring[(ring.index(one["color"]) + self.hue) % 4]
        return {**one, "box": box, "percent": percent, "top": top, "mirrored": mirrored, "color": colour}


def _step(move: str, box: Box, top: str, *, mirrored: bool) -> tuple[Box, str, bool]:
    left, high, right, low = box
    if move == "turn":
        return (high, _SIDE - right, low, _SIDE - left), _ROUND[(_ROUND.index(top) + 1) % 4], mirrored
    if move == "horizontal":
        swapped = {"left": "right", "right": "left"}.get(top, top)
        return (_SIDE - right, high, _SIDE - left, low), swapped, not mirrored
    swapped = {"up": "down", "down": "up"}.get(top, top)
    return (left, _SIDE - low, right, _SIDE - high), swapped, not mirrored


def _quarter(box: Sequence[float]) -> int:
    return int(box[0] + box[2] > _SIDE) + 2 * int(box[1] + box[3] > _SIDE)


def solve(view: View) -> str | None:
    """Return the label of the one option that holds; None where none or several do, or the edit can't be found."""
    if any("cells" in held for parts in view.pictures.values() for held in parts.values()):
        return solve_photograph(view)
    things = _asked_about(view)
    if things is None:
        return None
    _, _, question = view.question.text.rpartition("\n")
    right = [option.label for option in view.question.options if _holds_all(question, str(option.text), things)]
    return right[0] if len(right) == 1 else None


def _asked_about(view: View) -> list[Seen] | None:
    """Return the things of the picture that the question is about, shown or worked out."""
    for part in ("target", "instead"):
        if shown := view.parts(part):
            return list(shown[0])
    query = view.parts("query")
    edit = _read_edit(view.question.text) if "image A" not in view.question.text else _find_edit(view)
    return None if edit is None or not query else list(edit.apply(query[0]))


def _read_edit(text: str) -> _Edit | None:
    _, colon, rest = text.partition("make image D from image C: ")
    steps, _, _ = rest.partition(". Image D")
    if not colon:
        return None
    exchange, rotate, flip, hue = (find.search(steps) for find in (_EXCHANGE, _ROTATE, _FLIP, _HUE))
    swap = None if exchange is None else (_QUARTERS.index(exchange[1]), _QUARTERS.index(exchange[2]))
    moves = ["turn"] * (int(rotate[1]) // 90 if rotate else 0) + ([flip[1]] if flip else [])
    return _Edit(bool(_ZOOM.search(steps)), swap, moves, int(hue[1]) // 90 if hue else 0)


def _find_edit(view: View) -> _Edit | None:
    """Return the edit that makes B of A; None where they are not shown, or no single one does."""
    before, after = view.parts("before"), view.parts("after")
    if not before or not after:
        return None
    fitting = [edit for edit in _edits(before[0], after[0]) if _same(edit.apply(before[0]), after[0])]
    return fitting[0] if len(fitting) == 1 else None


def _edits(before: Sequence[Seen], after: Sequence[Seen]) -> Iterator[_Edit]:
    """Yield the edits that fit one thing's mat and pose, whatever its place."""
    shown = {thing["name"]: thing for thing in after}
    known = next((thing for thing in before if thing["name"] in shown), None)
    if known is None:
        return
    for turns in range(4):
        for flip in ([], ["horizontal"]):
            for hue in range(4):
                moves = ["turn"] * turns + flip
                made = next(_Edit(False, None, moves, hue).apply([known]))
                if not _looks_like(made, shown[known["name"]]):
                    continue
                for zoom in (False, True):
                    for swap in (None, *combinations(range(4), 2)):
                        yield _Edit(zoom, swap, moves, hue)


def _looks_like(one: Seen, other: Seen) -> bool:
    return all(one[name] == other[name] for name in ("color", "top", "mirrored"))


def _same(made: Iterable[Seen], shown: Sequence[Seen]) -> bool:
    left = {thing["name"]: thing for thing in shown}
    return all(thing["name"] in left and _alike(thing, left.pop(thing["name"])) for thing in made) and not left


def _alike(one: Seen, other: Seen) -> bool:
    near = (abs(a - b) <= _CLOSE for a, b in zip(one["box"], other["box"], strict=True))
    return _looks_like(one, other) and all(near)


# Questions, read from their words, part by part


def _holds_all(question: str, option: str, things: Sequence[Seen]) -> bool:
    asks = question.rstrip("?").split(", and ")
    says = option.split("; ")
    subject: list[Seen] = []
    return len(asks) == len(says) and all(
        _holds_one(ask, say, things, subject) for ask, say in zip(asks, says, strict=True)
    )


def _holds_one(ask: str, say: str, things: Sequence[Seen], subject: list[Seen]) -> bool:
    """Tell whether one part of an option holds. A thing that it names is put into `subject` for the next part."""
    for pattern, check in _CHECKS:
        if found := re.search(pattern, ask, re.IGNORECASE):
            return check(found, say, things, subject)
    raise ValueError(f"no such question: {ask}")


def _thing(things: Sequence[Seen], name: str) -> Seen | None:
    return next((thing for thing in things if thing["name"].replace("-", " ") == name), None)


def _middle(one: Seen) -> tuple[float, float]:
    return (one["box"][0] + one["box"][2]) / 2, (one["box"][1] + one["box"][3]) / 2


Check = Callable[["re.Match[str]", str, Sequence[Seen], list[Seen]], bool]


def _nearest(found: "re.Match[str]", say: str, things: Sequence[Seen], subject: list[Seen]) -> bool:
    down, across = found[1].split()
    corner = (0.0 if across == "left" else _SIDE, 0.0 if down == "upper" else _SIDE)
    far = [
        (sum((a - b) ** 2 for a, b in zip(_middle(thing), corner, strict=True)), thing["name"], thing)
        for thing in things
    ]
    return _is_named(say, [min(far, key=lambda each: each[0])[2]], subject)


def _on_round_mat(found: "re.Match[str]", say: str, things: Sequence[Seen], subject: list[Seen]) -> bool:
    quarter = _QUARTERS.index(found[1].lower())
    return _is_named(say, [thing for thing in things if thing["round"] and _quarter(thing["box"]) == quarter], subject)


def _partly_seen(found: "re.Match[str]", say: str, things: Sequence[Seen], subject: list[Seen]) -> bool:
    quarter = _QUARTERS.index(found[1].lower())
    return _is_named(
        say, [thing for thing in things if thing["percent"] < _ALL and _quarter(thing["box"]) == quarter], subject
    )


def _is_named(say: str, found: Sequence[Seen], subject: list[Seen]) -> bool:
    said = re.sub(r"^an? ", "", say)
    subject[:] = [thing for thing in found if thing["name"].replace("-", " ") == said]
    return len(found) == 1 == len(subject)


def _letters(_find_edit: "re.Match[str]", say: str, things: Sequence[Seen], _subject: list[Seen]) -> bool:
    one = _thing(things, "sign")
    if one is None:
        return False
    said = re.fullmatch(r"the tops of the letters point (\w+), (not )?mirrored(?:, on an? (\w+) (?:mat|board))?", say)
    return (
        said is not None
        and one["top"] == said[1]
        and one["mirrored"] == (said[2] is None)
        and said[3] in {None, one["color"]}
    )


def _clock(_find_edit: "re.Match[str]", say: str, things: Sequence[Seen], _subject: list[Seen]) -> bool:
    one = _thing(things, "clock")
    if one is None:
        return False
    clockwise = _ROUND[(_ROUND.index(one["top"]) + (1 if one["mirrored"] else 3)) % 4]
    return say == f"long hand {one['top']}, short hand {clockwise}"


def _arrow(_find_edit: "re.Match[str]", say: str, things: Sequence[Seen], _subject: list[Seen]) -> bool:
    one = _thing(things, "arrow")
    return one is not None and _points(say, one)


def _looks(found: "re.Match[str]", say: str, things: Sequence[Seen], subject: list[Seen]) -> bool:
    one = _thing(things, found[1]) if found.lastindex else (subject[0] if subject else None)
    if one is None or one["kind"] != "person":
        return False
    subject[:] = [one]
    return _points(say, one)


def _points(say: str, one: Seen) -> bool:
    """Tell whether what pointed or looked right in its plain pose does so as is said, in a colour that may be said."""
    points = _ROUND[(_ROUND.index(one["top"]) + (1 if one["mirrored"] else 3)) % 4]
    way, _, colour = say.partition(", ")
    return way == points and (not colour or _said_colour(colour) == one["color"])


def _side(found: "re.Match[str]", say: str, things: Sequence[Seen], subject: list[Seen]) -> bool:
    other, one = _thing(things, found[1]), _thing(things, found[2])
    if one is None or other is None:
        return False
    subject[:] = [one]
    return say == ("left" if _middle(one)[0] < _middle(other)[0] else "right")


def _level(found: "re.Match[str]", say: str, things: Sequence[Seen], subject: list[Seen]) -> bool:
    one, other = _thing(things, found[1]), _thing(things, found[2])
    if one is None or other is None:
        return False
    subject[:] = [one]
    return say == ("higher" if _middle(one)[1] < _middle(other)[1] else "lower")


def _row(_find_edit: "re.Match[str]", say: str, things: Sequence[Seen], _subject: list[Seen]) -> bool:
    row = [_thing(things, name) for name in say.split(", ")]
    places = [_middle(thing)[0] for thing in row if thing is not None]
    return len(places) == len(row) and places == sorted(places)


def _colour(found: "re.Match[str]", say: str, things: Sequence[Seen], subject: list[Seen]) -> bool:
    one = _thing(things, found[1]) if found.lastindex else (subject[0] if subject else None)
    return one is not None and _said_colour(say) == one["color"]


def _said_colour(say: str) -> str:
    return re.sub(r" (?:mat|board|clothes)$", "", say)


def _person_there(found: "re.Match[str]", say: str, things: Sequence[Seen], subject: list[Seen]) -> bool:
    quarter = _QUARTERS.index(found[1].lower())
    return _is_named(
        say, [thing for thing in things if thing["kind"] == "person" and _quarter(thing["box"]) == quarter], subject
    )


_CHECKS: tuple[tuple[str, Check], ...] = (
    (r"nearest to the (\w+ \w+) corner", _nearest),
    (r"on a round mat in the (\w+ \w+) quarter", _on_round_mat),
    (r"which thing in the (\w+ \w+) quarter is cut off", _partly_seen),
    (r"the letters .*of the sign", _letters),
    (r"hands of the clock", _clock),
    (r"the arrow(?: point|'s direction)", _arrow),
    (r"on which side of the ([\w ]+) is the ([\w ]+)", _side),
    (r"is the ([\w ]+) higher or lower than the ([\w ]+)", _level),
    (r"in which order", _row),
    (r"who is in the (\w+ \w+) quarter", _person_there),
    (r"which way does the ([\w ]+) look", _looks),
    (r"which way does that person look", _looks),
    (r"what color is its mat", _colour),
    (r"what color is the mat under the ([\w ]+)", _colour),
    (r"what color is the board of the ([\w ]+)", _colour),
    (r"what color are the ([\w ]+)'s clothes", _colour),
    (r"what color are the clothes|what color is it", _colour),
    (r"what color is the ([\w ]+)", _colour),
)
