"""Solved examples for the few-shot setting: puzzles of a public pool, which no submission ever draws from.

Number n of a pool is the same on every instance: its stream is named by pattern, configuration, shape and n alone.
"""

from collections.abc import Callable

from generator_service.benchmark import Parameters
from generator_service.benchmarks.marvel.spec import (
    MIXED,
    OTHER_PATTERN,
    PATTERNS,
    REASSEMBLING,
    SEQUENCE,
    SOLID,
    TWO_ROW,
    VERSION,
    Puzzle,
)
from generator_service.cache_budget import budgeted
from tetrad.streams import Stream

POOL = 50
Draw = Callable[[str, str, str, Stream], Puzzle]


def demonstrations_for(puzzle: Puzzle, parameters: Parameters, stream: Stream, draw: Draw) -> tuple[Puzzle, ...]:
    """Draw as many examples as `shots` asks for: the same pattern or another one, in sequence form or mixed.

    None is the item itself, and none another again.
    """
    shots, kind = int(parameters["shots"]), str(parameters["demonstrations"])
    others = [pattern for pattern in PATTERNS if pattern != puzzle.pattern]
    pattern = stream.choice(others) if kind == OTHER_PATTERN else puzzle.pattern
    configurations = (TWO_ROW, SEQUENCE) if kind == MIXED else (SEQUENCE, SEQUENCE)
    numbers = iter(stream.sample(range(POOL), POOL))
    shown: list[Puzzle] = []
    for form in configurations[:shots]:
        drawn = (
            from_pool(pattern, REASSEMBLING if pattern == SOLID else form, puzzle.look.shape, number, draw)
            for number in numbers
        )
        shown.append(next(one for one in drawn if not any(is_same(one, other) for other in (puzzle, *shown))))
    return tuple(shown)


def is_same(one: Puzzle, other: Puzzle) -> bool:
    """Do they show the same values in the same form, whatever the look, key and order of choices: then one tells."""

    def told(puzzle: Puzzle) -> tuple[object, ...]:
        context = [panel.values for panel in puzzle.context]
        return puzzle.form, puzzle.family, context, sorted(panel.values for panel in puzzle.choices)

    return told(one) == told(other)


@budgeted(2048)
def from_pool(pattern: str, configuration: str, shape: str, number: int, draw: Draw) -> Puzzle:
    stream = Stream("tetrad/marvel/demonstration", VERSION, pattern, configuration, shape, number)
    return draw(pattern, configuration, shape, stream)
