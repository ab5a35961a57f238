"""Solve a trial independently: infer the change from the given pair's states and apply it to the test object's.

It shares no table with the sampler or the question, and interprets options' words with the pixel solver's code. An item
is valid only if this agrees with its keys. If a pair can be read in two ways (2 to 4: +2 and x2), only one may have an
option.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import msgspec

from generator_service.benchmark import View
from generator_service.benchmarks.kiva.spec import State
from tetrad.contracts.items import Option
from tetrad.solvers.kiva.words import covers, sentences

Change = tuple[str, str]
"""Aspect and value: ("size", "2x")."""
Reading = tuple[Change, ...]

_MIRRORED = {"none": (1, 1), "x": (1, -1), "y": (-1, 1), "both": (-1, -1)}
_SAME, _TWICE, _HALF = Fraction(1), Fraction(2), Fraction(1, 2)
_STRETCHED = {
    (_TWICE, _TWICE): "2x",
    (_HALF, _HALF): "1/2x",
    (_TWICE, _SAME): "wider",
    (_HALF, _SAME): "narrower",
    (_SAME, _TWICE): "taller",
    (_SAME, _HALF): "shorter",
}
_TURNED = {45: "+45", 90: "+90", 135: "+135", 180: "180", 225: "-135", 270: "-90", 315: "-45"}


class NoSingleChange(ValueError):  # noqa: N818 - named for what went wrong
    """The given pair differs in a way that KiVA does not know, or an option is right twice."""


def solve(view: View) -> str | None:
    """Return the label of the option that the given pairs lead to; None if no pair is seen.

    Raises:
        NoSingleChange: the pairs show no change of KiVA's, or several options are right.
    """
    given = [(_state(pair["before"]), _state(pair["after"])) for pairs in view.parts("given") for pair in pairs]
    if not given:
        return None
    several = [readings_of(before, after) for before, after in given]
    readings = [reading for reading in several[0] if all(reading in others for others in several)]
    return _in_pictures(view, readings) if view.question.kind == "which" else _in_words(view.question.options, readings)


def _in_pictures(view: View, readings: Sequence[Reading]) -> str:
    """Return the label of the one picture that a reading leads to, or the label after the pictures' if none does."""
    shown: list[Mapping[str, Any]] = [option for options in view.parts("options") for option in options]
    starts = view.parts("start")
    fits = []
    for option in shown:
        start = _state(starts[0] if starts else option["before"])
        fits.append(_state(option["after"]) in {apply_reading(start, reading) for reading in readings})
    labels = [option.label for option in view.question.options]
    return labels[_single(fits, len(shown))]


def _in_words(options: Sequence[Option], readings: Sequence[Reading]) -> str:
    """Return the label of the one option that states a reading, or of the option that names no change."""
    worded = [frozenset(_name_change(*change) for change in reading) for reading in readings]
    meant = [any(covers(option.text or "", reading) for reading in worded) for option in options]
    other = next(place for place, option in enumerate(options) if not sentences(option.text or ""))
    return options[_single(meant, other)].label


def _single(fitting: Sequence[bool], otherwise: int) -> int:
    if sum(fitting) > 1:
        raise NoSingleChange(f"{sum(fitting)} options fit what is shown")
    return fitting.index(True) if any(fitting) else otherwise


def _name_change(aspect: str, value: str) -> str:
    """Name a change as `tetrad.solvers.kiva.words` does, which tells turned from mirrored."""
    if aspect != "orientation":
        return f"{aspect} {value}"
    return f"{'reflection' if value in _MIRRORED else 'rotation'} {value}"


def _state(held: Mapping[str, Any]) -> State:
    return msgspec.convert(held, State)


def readings_of(before: State, after: State) -> list[Reading]:
    """List the ways to read the pair, each a change for every aspect that differs; one empty way if none does."""
    if before.turn != after.turn and before.mirror != after.mirror:
        raise NoSingleChange(f"{before} to {after} is turned and mirrored; KiVA never does both")
    ways = [list(_list_changes(before, after, part)) for part in ("color", "count", "turn", "mirror", "size")]
    return [tuple(change for change in way if change is not None) for way in product(*ways)]


def _list_changes(before: State, after: State, part: str) -> Iterator[Change | None]:
    """Yield the changes that one part of the state may have undergone; None if it is the same."""
    if part == "size":
        by = (Fraction(after.across) / Fraction(before.across), Fraction(after.down) / Fraction(before.down))
        if by != (_SAME, _SAME) and by not in _STRETCHED:
            raise NoSingleChange(f"{before} to {after} is no stretch of KiVA's")
        yield None if by == (_SAME, _SAME) else ("size", _STRETCHED[by])
        return
    was, became = getattr(before, part), getattr(after, part)
    if was == became:
        yield None
    elif part == "color":
        yield "color", became
    elif part == "turn":
        yield "orientation", _TURNED[(became - was) % 360]
    elif part == "mirror":
        flipped = tuple(a * b for a, b in zip(_MIRRORED[was], _MIRRORED[became], strict=True))
        yield "orientation", next(name for name, signs in _MIRRORED.items() if signs == flipped)
    else:
        yield from (("number", name) for name in _list_count_changes(was, became))


def _list_count_changes(was: int, became: int) -> Iterator[str]:
    yield f"{became - was:+d}"
    for times in (2, 3):
        if became == times * was:
            yield f"x{times}"
        if was == times * became:
            yield f"/{times}"


def apply_reading(state: State, reading: Reading) -> State | None:
    """Return the state after the changes; None if a count can't be divided."""
    parts = {name: getattr(state, name) for name in State.__struct_fields__}
    for aspect, value in reading:
        if aspect == "color":
            parts["color"] = value
        elif aspect == "number":
            count = _count_after(state.count, value)
            if count is None:
                return None
            parts["count"] = count
        elif aspect == "size":
            by = next(by for by, name in _STRETCHED.items() if name == value)
            parts["across"], parts["down"] = state.across * by[0], state.down * by[1]
        elif value in _MIRRORED:
            signs = tuple(a * b for a, b in zip(_MIRRORED[state.mirror], _MIRRORED[value], strict=True))
            parts["mirror"] = next(name for name, known in _MIRRORED.items() if known == signs)
        else:
            parts["turn"] = (state.turn + int(value)) % 360
    return State(**parts)


def _count_after(count: int, value: str) -> int | None:
    if value[0] == "x":
        return count * int(value[1:])
    if value[0] == "/":
        return None if count % int(value[1:]) else count // int(value[1:])
    return count + int(value)
