"""Solved examples for the few-shot setting: puzzles of a public pool, which no submission ever draws from.

Number n of a pool is the same on every instance: its stream is named by pattern, configuration, shape and n alone.
"""

from collections.abc import Callable
from functools import lru_cache

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
from tetrad.streams import Stream

POOL = 50
Draw = Callable[[str, str, str, Stream], Puzzle]


def demonstrations_for(puzzle: Puzzle, parameters: Parameters, stream: Stream, draw: Draw) -> tuple[Puzzle, ...]:
    """Draw as many examples as `shots` asks for: the same pattern or another one, in sequence form or mixed."""
    shots, kind = int(parameters["shots"]), str(parameters["demonstrations"])
    others = [pattern for pattern in PATTERNS if pattern != puzzle.pattern]
    pattern = stream.choice(others) if kind == OTHER_PATTERN else puzzle.pattern
    configurations = (TWO_ROW, SEQUENCE) if kind == MIXED else (SEQUENCE, SEQUENCE)
    numbers = stream.sample(range(POOL), shots)
    return tuple(
        from_pool(pattern, REASSEMBLING if pattern == SOLID else form, puzzle.look.shape, number, draw)
        for form, number in zip(configurations[:shots], numbers, strict=True)
    )


@lru_cache(maxsize=2048)
def from_pool(pattern: str, configuration: str, shape: str, number: int, draw: Draw) -> Puzzle:
    stream = Stream("tetrad/marvel/demonstration", VERSION, pattern, configuration, shape, number)
    return draw(pattern, configuration, shape, stream)
