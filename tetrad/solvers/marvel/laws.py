"""Find the choices that continue the laws along lines of panels.

Every law that the context follows, in anything that descriptions state, narrows the choices.
"""

from collections.abc import Callable, Hashable, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

from tetrad.solvers.marvel.texts import NUMBER, RING, SET, TRACK, Reading

Lines: TypeAlias = Sequence[Sequence[Sequence[int]]]
"""Ways to lay lines through the panels; each is its lines, the blank's last, as places of panels."""
Law: TypeAlias = Callable[[Sequence[Any], int], Hashable | None]
"""(a line's values, places of a ring) -> what the law is there, such as a step; None where it does not hold."""

_ROWS = {5: [[0, 1, 2], [3, 4, 5]], 8: [[0, 1, 2], [3, 4, 5], [6, 7, 8]]}
_LARGEST_STEP = 4  # of counts: nobody would see a larger step as a law
_GROUP = 3


def lines_of(words: str, context: int) -> Lines:
    """Return the panels' lines: one row, rows of three, which may also be read down, or a group."""
    if " rows of three" not in words:
        return [[list(range(context + 1))]]
    rows = _ROWS[context]
    return [rows] if len(rows) < len(rows[0]) else [rows, [list(column) for column in zip(*rows, strict=True)]]


def chosen_by_laws(of: Reading, lines: Lines, seen: Sequence[Hashable], offered: Sequence[Hashable]) -> set[int]:
    """Return the places of the values that are allowed by every law that the context follows."""
    left = set(range(len(offered)))
    for way in lines:
        *others, last = [[seen[place] for place in line if place < len(seen)] for line in way]
        for law in _laws_for(of.kind, len(last) + 1, alone=not others):
            found = {law(line, of.size) for line in others} or {law(last, of.size)}
            if None in found or len(found) > 1:
                continue
            allowed = {at for at, value in enumerate(offered) if law([*last, value], of.size) in found}
            left &= allowed or left
    return left


def _laws_for(kind: str, length: int, *, alone: bool) -> Sequence[Law]:
    """Return the laws that a line of this length can show. A single line must show a law by itself."""
    if not alone:
        return [_each_the_same, _check_frame, _find_arrangement, *_BY_KIND.get(kind, ()), *_COMPUTED.get(kind, ())]
    if length == _GROUP:
        return [_all_the_same]
    laws: list[Law] = [_all_the_same, *_BY_KIND.get(kind, ())]
    if length >= 5:  # noqa: PLR2004 - four are seen
        laws += [_alternating, *_GROWING.get(kind, ()), *_COMPUTED.get(kind, ())]
    if length >= 6:  # noqa: PLR2004 - five are seen
        laws.append(_by_threes)
    return laws


def _all_the_same(line: Sequence[Any], _: int) -> Hashable | None:
    return ("same", line[0]) if len(set(line)) == 1 else None


def _each_the_same(line: Sequence[Any], _: int) -> Hashable | None:
    return True if len(set(line)) == 1 else None


def _check_frame(line: Sequence[Any], _: int) -> Hashable | None:
    """Check that the outer two are equal and the middle one differs."""
    return True if len(line) == _GROUP and line[0] == line[2] != line[1] else None


def _find_arrangement(line: Sequence[Any], _: int) -> Hashable | None:
    """Return the three values of a line if they all differ, whatever their order."""
    return frozenset(line) if len(set(line)) == _GROUP else None


def _alternating(line: Sequence[Any], _: int) -> Hashable | None:
    return (line[0], line[1]) if line[0] != line[1] and _repeats(line, 2) else None


def _by_threes(line: Sequence[Any], _: int) -> Hashable | None:
    return tuple(line[:3]) if len(set(line[:3])) > 1 and _repeats(line, 3) else None


def _repeats(line: Sequence[Any], period: int) -> bool:
    return all(line[at] == line[at + period] for at in range(len(line) - period))


def _steps(line: Sequence[Any], size: int) -> list[int]:
    return [(b - a) % size if size else b - a for a, b in pairwise(line)]


def _turning(line: Sequence[Any], size: int) -> Hashable | None:
    """Return the step of a line that goes round a ring in equal steps."""
    steps = set(_steps(line, size))
    return steps.pop() or None if len(steps) == 1 else None


def _progressing(line: Sequence[Any], _: int) -> Hashable | None:
    steps = set(_steps(line, 0))
    step = steps.pop() if len(steps) == 1 else 0
    return step if 0 < abs(step) <= _LARGEST_STEP else None


def _turning_more(line: Sequence[Any], size: int) -> Hashable | None:
    """Return the first step of a line whose steps are positive and grow by one."""
    steps = _steps(line, size)
    return steps[0] if all(b - a == 1 and a > 0 for a, b in pairwise(steps)) else None


def _changing_more(line: Sequence[Any], _: int) -> Hashable | None:
    up = _turning_more(line, 0)
    return up if up is not None else _turning_more([-value for value in line], 0)


def _bouncing(line: Sequence[Any], size: int) -> Hashable | None:
    """Check that values move one place at a time and turn back only at the ends."""
    way: int | None = None
    for a, b in pairwise(line):
        wanted = {0: 1, size - 1: -1}.get(a, way)
        if abs(b - a) != 1 or (wanted is not None and b - a != wanted):
            return None
        way = b - a
    return True


def _make_law(compute: Callable[[Any, Any], Any]) -> Law:
    """Return the law that each value is computed from the two before it."""

    def law(line: Sequence[Any], _: int) -> Hashable | None:
        made = [compute(a, b) == c for a, b, c in zip(line, line[1:], line[2:], strict=False)]
        return True if made and all(made) else None

    return law


_BY_KIND: dict[str, tuple[Law, ...]] = {RING: (_turning,), NUMBER: (_progressing,), TRACK: (_progressing,)}
_GROWING: dict[str, tuple[Law, ...]] = {
    RING: (_turning_more,),
    NUMBER: (_changing_more,),
    TRACK: (_changing_more, _bouncing),
}
_SUMS: tuple[Callable[[int, int], int], ...] = (
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: abs(a - b),
    lambda a, b: a + b + 1,
    lambda a, b: a + b - 1,
)
_OVERLAYS: tuple[Callable[[Any, Any], Any], ...] = (
    lambda a, b: a | b,
    lambda a, b: a & b,
    lambda a, b: a ^ b,
    lambda a, b: a - b,
)
_COMPUTED = {NUMBER: tuple(map(_make_law, _SUMS)), SET: tuple(map(_make_law, _OVERLAYS))}
