"""Define the laws of lines of values. A law takes a line and returns its parameter, or None if the line breaks it.

Values are whole numbers of five kinds. A `number` is counted. A `cycle` goes round (size places). A `track` goes back
and forth between its ends. A `sort` is one of several values without order. A `set` is a bit mask of strokes or cells.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import isqrt
from typing import TypeAlias

Line: TypeAlias = tuple[int, ...]
Reader: TypeAlias = Callable[[Line, int], Hashable | None]

NUMBER, CYCLE, TRACK, SORT, SET = "number", "cycle", "track", "sort", "set"
LARGEST_STEP = 4


@dataclass(frozen=True)
class Law:
    """`least`: the number of values that a line must show before the law can be recognised in it.

    shared: every line of the puzzle must have the same parameter, a step for example.
    is_shown: whether a line without its last value, the blank, shows enough of the law; puzzles are made of such lines.
    """

    name: str
    read: Reader
    kinds: tuple[str, ...]
    least: int
    shared: bool = True
    is_shown: Callable[[Line], bool] = bool  # any line


def _constant(line: Line, _: int) -> Hashable | None:
    return True if len(set(line)) == 1 else None


def _same(line: Line, _: int) -> Hashable | None:
    return line[0] if len(set(line)) == 1 else None


def _step(line: Line, size: int) -> Hashable | None:
    """Return the step of a line with equal steps, counted round the ring if there is a size."""
    steps = {(b - a) % size if size else b - a for a, b in pairwise(line)}
    [step, *more] = steps
    return step if not more and step and (size or abs(step) <= LARGEST_STEP) else None


def _walking(line: Line, size: int) -> Hashable | None:
    """Return the step of a walk through the cells of a square: to a neighbour, along a row, a column or a diagonal."""
    side = isqrt(size)
    near = {1, side - 1, side, side + 1}
    step = _step(line, size)
    return step if step in near | {size - step for step in near} else None


def _plain_step(line: Line, _: int) -> Hashable | None:
    return _step(line, 0)


def _growing(line: Line, size: int) -> Hashable | None:
    """Return the first step of a line whose steps grow by one in one direction, without going all round a ring."""
    steps = [(b - a) % size if size else b - a for a, b in pairwise(line)]
    grown = all(abs(b) - abs(a) == 1 and a * b > 0 for a, b in pairwise(steps))
    return steps[0] if grown and steps[0] else None


def _plain_growing(line: Line, _: int) -> Hashable | None:
    return _growing(line, 0)


def _alternating(line: Line, _: int) -> Hashable | None:
    repeats = line[0] != line[1] and all(a == b for a, b in zip(line, line[2:], strict=False))
    return line[:2] if repeats else None


def _by_threes(line: Line, _: int) -> Hashable | None:
    repeats = len(set(line[:3])) > 1 and all(a == b for a, b in zip(line, line[3:], strict=False))
    return line[:3] if repeats else None


def _bouncing(line: Line, size: int) -> Hashable | None:
    """Check that a line moves one place at a time and turns back at the ends and only there."""
    steps = [b - a for a, b in pairwise(line)]
    if any(abs(step) != 1 for step in steps):
        return None
    turns = all(a == b or line[place + 1] in {0, size - 1} for place, (a, b) in enumerate(pairwise(steps)))
    inside = all(0 <= value < size for value in line)
    return True if turns and inside else None


def _turns(line: Line) -> bool:
    """Tell whether a line of equal steps turns back. One that does not may as well begin again."""
    return len({b - a for a, b in pairwise(line)}) > 1


def _recurring(compute: Callable[[int, int], int]) -> Reader:
    def read(line: Line, _: int) -> Hashable | None:
        return True if all(c == compute(a, b) for a, b, c in zip(line, line[1:], line[2:], strict=False)) else None

    return read


def _no_product(read: Reader) -> Reader:
    """Exclude lines with a 1 in second place. 3 1 3 3 would be a line of products too, and 1 1 1 1 never changes."""
    return lambda line, size: read(line, size) if line[1] != 1 else None


def _read_arrangement(line: Line, _: int) -> Hashable | None:
    """Return the values of a line if they all differ, whatever their order."""
    return tuple(sorted(line)) if len(set(line)) == len(line) else None


def _read_frame(line: Line, _: int) -> Hashable | None:
    """Check that the last value equals the first, and the one between differs."""
    return True if line[0] == line[-1] != line[1] else None


def _read_pair(line: Line, _: int) -> Hashable | None:
    """Check that the last value equals the one before it, and the first differs."""
    return True if line[0] != line[-2] == line[-1] else None


_ANY = (NUMBER, CYCLE, TRACK, SORT, SET)
_COUNTS = (NUMBER, TRACK)

CONSTANT = Law("constant", _constant, _ANY, 1, shared=False)
SAME = Law("same", _same, _ANY, 1)
STEP = Law("step", _step, (CYCLE,), 2)
WALKING = Law("walking step", _walking, (CYCLE,), 2)
PROGRESSION = Law("progression", _plain_step, _COUNTS, 2)
GROWING = Law("growing steps round", _growing, (CYCLE,), 4)
ACCELERATING = Law("growing steps", _plain_growing, _COUNTS, 4)
ALTERNATION = Law("alternation", _alternating, _ANY, 4)
BY_THREES = Law("by threes", _by_threes, _ANY, 5)
BOUNCE = Law("bounce", _bouncing, (TRACK,), 4, is_shown=_turns)
ARRANGEMENT = Law("arrangement", _read_arrangement, _ANY, 3)
FRAMED = Law("framed", _read_frame, _ANY, 3, shared=False)
PAIRED = Law("paired", _read_pair, _ANY, 3, shared=False)
OWN_STEP = Law("step of its own", _step, (CYCLE,), 2, shared=False)
OWN_PROGRESSION = Law("progression of its own", _plain_step, _COUNTS, 2, shared=False)
TOTAL = Law("total", lambda line, _: sum(line), (NUMBER,), 3)

SUM = Law("sum", _recurring(lambda a, b: a + b), (NUMBER,), 3)
DIFFERENCE = Law("difference", _recurring(lambda a, b: a - b), (NUMBER,), 3)
REVERSE_DIFFERENCE = Law("reverse difference", _recurring(lambda a, b: b - a), (NUMBER,), 3)
DISTANCE = Law("distance", _recurring(lambda a, b: abs(a - b)), (NUMBER,), 3)
SUM_LESS_ONE = Law("sum less one", _recurring(lambda a, b: a + b - 1), (NUMBER,), 3)
SUM_AND_ONE = Law("sum and one", _recurring(lambda a, b: a + b + 1), (NUMBER,), 3)

OPERATIONS: Mapping[str, Callable[[int, int], int]] = {
    "union": lambda a, b: a | b,
    "overlap": lambda a, b: a & b,
    "either, not both": lambda a, b: a ^ b,
    "taken away": lambda a, b: a & ~b,
    "taken from the second": lambda a, b: b & ~a,
}
OVERLAYS = {name: Law(name, _recurring(compute), (SET,), 3) for name, compute in OPERATIONS.items()}
PRODUCT = Law("product", _recurring(lambda a, b: a * b), (NUMBER,), 3)
_PAIRWISE = (SUM, DIFFERENCE, REVERSE_DIFFERENCE, DISTANCE, SUM_LESS_ONE, SUM_AND_ONE, PRODUCT)

# Along a line of four to eight panels; pairwise laws need four values seen, so that they are confirmed once.
ALONG = (
    SAME,
    STEP,
    PROGRESSION,
    GROWING,
    ACCELERATING,
    ALTERNATION,
    BY_THREES,
    BOUNCE,
    *(
        Law(
            f"{law.name} of the two before",
            _no_product(law.read) if law is SUM_LESS_ONE else law.read,
            law.kinds,
            4,
        )
        for law in (*_PAIRWISE, *OVERLAYS.values())
    ),
)
# Repeats that a sequence shows once. They make no puzzle, but a person may follow them.
ONCE = (Law("alternation once", _alternating, _ANY, 3), Law("by threes once", _by_threes, _ANY, 4))
# Along each row of three, the same for all rows.
ACROSS = (
    CONSTANT,
    STEP,
    OWN_STEP,
    PROGRESSION,
    OWN_PROGRESSION,
    ARRANGEMENT,
    FRAMED,
    PAIRED,
    TOTAL,
    *_PAIRWISE,
    *OVERLAYS.values(),
)
# Down the two panels of a column.
DOWN_TWO = (CONSTANT, STEP, PROGRESSION)
BY_NAME = {law.name: law for law in (*ALONG, *ACROSS, SAME, CONSTANT, WALKING)}
