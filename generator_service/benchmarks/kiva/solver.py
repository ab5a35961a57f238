"""An independent solution: infer the change from the given pair's states, apply it to the test object's.

It shares no table with the sampler and reads neither `values` nor `domain` nor `change`: an item stands only if this
agrees with its keys. Where a pair can be read in two ways (2 to 4: +2 and x2), only one may have an option.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

from generator_service.benchmarks.kiva.spec import Scene, State

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


def solve(scene: Scene) -> dict[str, str]:
    """Return the right label of every question that the trial has, by question id."""
    readings = readings_of(scene.given.before, scene.given.after)
    answers: dict[str, str] = {}
    for turn, places in enumerate(scene.extrapolation):
        suffix = f"-{turn + 1}" if turn else ""
        if scene.classification:
            spoken = [tuple(aspect for aspect, _ in reading) for reading in readings]
            answers["what" + suffix] = _spoken(scene.classification[turn], spoken)
        if scene.specification:
            spoken = [tuple(value for _, value in reading) for reading in readings]
            answers["how" + suffix] = _spoken(scene.specification[turn], spoken)
        after = {applied(scene.test_before, reading) for reading in readings}
        found = [place for place, state in enumerate(places) if state in after]
        if len(found) > 1:
            raise NoSingleChange(f"{len(found)} of the pictures show what {scene.given} may be read as")
        answers["which" + suffix] = "ABCDE"[found[0] if found else len(places)]
    return answers


def readings_of(before: State, after: State) -> list[Reading]:
    """List the ways to read the pair, each a change for every aspect that differs; one empty way if none does."""
    if before.turn != after.turn and before.mirror != after.mirror:
        raise NoSingleChange(f"{before} to {after} is turned and mirrored; KiVA never does both")
    ways = [list(_named(before, after, part)) for part in ("color", "count", "turn", "mirror", "size")]
    return [tuple(change for change in way if change is not None) for way in product(*ways)]


def _named(before: State, after: State, part: str) -> Iterator[Change | None]:
    """Yield the changes that one part of the state may have undergone; None if it is the same."""
    if part == "size":
        by = (Fraction(after.across, before.across), Fraction(after.down, before.down))
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
        yield from (("number", name) for name in _counted(was, became))


def _counted(was: int, became: int) -> Iterator[str]:
    yield f"{became - was:+d}"
    for times in (2, 3):
        if became == times * was:
            yield f"x{times}"
        if was == times * became:
            yield f"/{times}"


def applied(state: State, reading: Reading) -> State | None:
    """Return the state that the changes lead to; None where things can't be divided."""
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


def _spoken(places: Sequence[tuple[str, ...]], readings: Sequence[tuple[str, ...]]) -> str:
    """Return the label of the words; "no change" stands right after the shuffled places, "doesn't apply" last."""
    if not any(readings):
        return str(len(places) + 1)
    said = {frozenset(reading) for reading in readings}
    found = [place for place, words in enumerate(places) if frozenset(words) in said]
    if len(found) > 1:
        raise NoSingleChange(f"{readings} is offered more than once in {places}")
    return str(found[0] + 1) if found else str(len(places) + 2)
