"""Puzzles and scenes for tests: every cell in both kinds of shape, by seed."""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache

from generator_service.benchmark import Streams
from generator_service.benchmarks.marvel.sampler import draw_puzzle, sample
from generator_service.benchmarks.marvel.solver import solve_puzzle
from generator_service.benchmarks.marvel.spec import CELLS, SHAPES, Puzzle, Scene
from generator_service.benchmarks.marvel.view import show_panel
from tetrad.contracts.wire import ParameterValue
from tetrad.streams import Stream, StreamFamily

STRATA = [(pattern, configuration, shape) for pattern, configuration in CELLS for shape in SHAPES]
DEFAULTS: dict[str, ParameterValue] = {"variant": "plain", "shots": 1, "demonstrations": "same-pattern"}


def puzzle(pattern: str, configuration: str, shape: str, number: int, rejected: Counter[str] | None = None) -> Puzzle:
    stream = Stream("tests/marvel", pattern, configuration, shape, number)
    return draw_puzzle(pattern, configuration, shape, stream, rejected)


@cache
def puzzles(each: int) -> tuple[Puzzle, ...]:
    """Draw `each` puzzles of every stratum."""
    return tuple(puzzle(*stratum, number) for stratum in STRATA for number in range(each))


def scenes(setting: str, parameters: Mapping[str, ParameterValue], each: int = 1) -> Iterator[Scene]:
    for pattern, configuration, shape in STRATA:
        facets = {"pattern": pattern, "configuration": configuration, "shape": shape}
        for number in range(each):
            streams = Streams(StreamFamily("tests/marvel/scene", pattern, configuration, shape, number))
            yield sample(None, "marvel", setting, {**DEFAULTS, **parameters}, facets, streams)


def solved_place(puzzle: Puzzle) -> int:
    """Return the place of the choice that the independent solver takes; it sees the panels alone."""
    context, choices = ([show_panel(puzzle, panel) for panel in part] for part in (puzzle.context, puzzle.choices))
    return solve_puzzle(puzzle.configuration, context, choices)
