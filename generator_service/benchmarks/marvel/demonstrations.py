"""Draw solved examples for the few-shot setting, from a public pool of puzzles that no submission ever draws from.

Puzzle n of a pool is the same on every instance: its stream is named by pattern, configuration, shape and n alone.
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
from generator_service.cache_budget import cache_within_budget
from tetrad.streams import Stream

POOL = 50
Draw = Callable[[str, str, str, Stream], Puzzle]


def demonstrations_for(puzzle: Puzzle, parameters: Parameters, stream: Stream, draw: Draw) -> tuple[Puzzle, ...]:
    """Draw as many examples as `shots` asks for: the same pattern or another one, in sequence form or mixed.

    No example equals the item or another example.
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
        shown.append(
            next(example for example in drawn if not any(is_same(example, other) for other in (puzzle, *shown)))
        )
    return tuple(shown)


def is_same(one: Puzzle, other: Puzzle) -> bool:
    """Tell whether two puzzles have the same form and values, whatever their look, key and order of choices."""

    def list_values(puzzle: Puzzle) -> tuple[object, ...]:
        context = [panel.values for panel in puzzle.context]
        return puzzle.form, puzzle.family, context, sorted(panel.values for panel in puzzle.choices)

    return list_values(one) == list_values(other)


@cache_within_budget(2048)
def from_pool(pattern: str, configuration: str, shape: str, number: int, draw: Draw) -> Puzzle:
    stream = Stream("tetrad/marvel/demonstration", VERSION, pattern, configuration, shape, number)
    return draw(pattern, configuration, shape, stream)
