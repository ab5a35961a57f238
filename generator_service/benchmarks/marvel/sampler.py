"""List the strata of a draw, and draw the Scene of a stratum from random streams: the only user of randomness.

Choices are drawn first, from a distribution in which none stands out, then the key, uniformly, then contexts until one
is accepted (rules/accepting.py). A refused context is drawn again with the same choices and key. Choices are only ever
drawn again all together.

Solved examples of the few-shot setting come from a public pool of puzzles that no submission ever draws from. Puzzle n
of a pool is the same on every instance: its stream is named by pattern, configuration, shape and n alone.
"""

from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from generator_service.benchmark import Parameters, Stratum, Streams
from generator_service.benchmarks.marvel.details import fine_question
from generator_service.benchmarks.marvel.frames import (
    PANELS,
    SEEDS,
    Frame,
    Rule,
    family_for,
    frame_for,
    otherwise_loose,
    with_loose,
)
from generator_service.benchmarks.marvel.nets.puzzles import MOST_SETS, MOST_TRIES, NoPuzzle, net_puzzle
from generator_service.benchmarks.marvel.rules.accepting import (
    BY_CHANCE,
    REPEATED,
    goes_on_alone,
    is_drawn_fairly,
    verdict,
)
from generator_service.benchmarks.marvel.rules.laws import Line
from generator_service.benchmarks.marvel.rules.making import (
    CannotBeKey,
    context_for,
    masks_for,
    spread_values,
)
from generator_service.benchmarks.marvel.spec import (
    CELLS,
    FEW_SHOT,
    FULL,
    GROUP,
    LENGTHS,
    MATRIX,
    MIXED,
    OTHER_PATTERN,
    PATTERNS,
    REASSEMBLING,
    SEQUENCE,
    SHAPES,
    SOLID,
    TWO_ROW,
    VERSION,
    Panel,
    Puzzle,
    Scene,
)
from generator_service.cache_budget import cache_within_budget
from tetrad.contracts.wire import Facets
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


def strata(_track: str, _setting: str, _parameters: Parameters) -> tuple[Stratum, ...]:
    return _strata()


@lru_cache(maxsize=1)
def _strata() -> tuple[Stratum, ...]:
    return tuple(
        Stratum(facets={"pattern": pattern, "configuration": configuration, "shape": shape}, weight=1)
        for pattern, configuration in CELLS
        for shape in SHAPES
    )


def sample(_bank: Any, _track: str, setting: str, parameters: Parameters, facets: Facets, streams: Streams) -> Scene:
    """Draw the item of a stratum: the puzzle, the detail asked, the examples shown."""
    puzzle = draw_puzzle(facets["pattern"], facets["configuration"], facets["shape"], streams("puzzle"))
    stream = streams("questions")
    return Scene(
        item=f"{stream.word():016x}",
        setting=setting,
        variant=str(parameters["variant"]),
        puzzle=puzzle,
        fine=fine_question(puzzle, str(parameters["variant"]), stream) if setting == FULL else None,
        demonstrations=demonstrations_for(puzzle, parameters, stream, draw_puzzle) if setting == FEW_SHOT else (),
    )


def draw_puzzle(
    pattern: str, configuration: str, shape: str, stream: Stream, rejected: Counter[str] | None = None
) -> Puzzle:
    """Draw one puzzle; `rejected` counts refusals by reason.

    Raises:
        NoPuzzle: the bounds on tries were reached.
    """
    reasons: Counter[str] = Counter() if rejected is None else rejected
    if pattern == SOLID:
        return net_puzzle(shape, stream, reasons)
    panels = stream.choice(LENGTHS[pattern]) if configuration == SEQUENCE else PANELS[configuration]
    family, look = family_for(pattern, configuration, shape, panels, stream)
    tries = 0
    for _ in range(MOST_SETS):
        frame = frame_for(family, configuration, look, panels, stream)
        choices = tuple(Panel(values, stream.below(SEEDS)) for values in frame.choices)
        for _ in range(MOST_TRIES):
            tries += 1
            reason, context = _attempt(frame, choices, stream)
            if reason is None:
                return _puzzle(frame, context, choices, tries)
            reasons[reason] += 1
        reasons["set dropped"] += 1
    raise NoPuzzle(f"{pattern} in {configuration}, {family.name}: nothing stood in {tries} tries")


def _attempt(frame: Frame, choices: tuple[Panel, ...], stream: Stream) -> tuple[str | None, tuple[Panel, ...]]:
    """Draw one context. Return the reason to refuse it, or None, and the context."""
    try:
        governed = [_draw_governed(frame, rule, stream) for rule in frame.rules]
    except CannotBeKey:
        return "no context leads to the key", ()
    if frame.configuration == SEQUENCE and not _go_on_alone(frame, governed):
        return REPEATED, ()
    values = _context(frame, list(zip(*governed, strict=True)), stream)
    form, configuration = frame.family.panel, frame.configuration
    if reason := verdict(form, frame.look, configuration, values, frame.choices, frame.key):
        return reason, ()
    context = tuple(Panel(panel_values, stream.below(SEEDS)) for panel_values in values)
    fair = is_drawn_fairly(form, frame.look, configuration, context, choices, frame.key)
    return None if fair else BY_CHANCE, context


def _go_on_alone(frame: Frame, governed: list[Line]) -> bool:
    fields = frame.family.panel.fields
    return all(
        goes_on_alone(
            fields[rule.place].kind, rule.size, seen, tuple(choice[rule.place] for choice in frame.choices), frame.key
        )
        for rule, seen in zip(frame.rules, governed, strict=True)
    )


def _context(frame: Frame, governed: list[Line], stream: Stream) -> tuple[Line, ...]:
    if frame.configuration == GROUP:
        loose = otherwise_loose(frame.family, frame.look, frame.fixed, len(governed), stream)
        return tuple(
            with_loose(frame.family, frame.look, fixed, frame.rules, values, None)
            for fixed, values in zip(loose, governed, strict=True)
        )
    return tuple(with_loose(frame.family, frame.look, frame.fixed, frame.rules, values, stream) for values in governed)


def _draw_governed(frame: Frame, rule: Rule, stream: Stream) -> Line:
    key = frame.choices[frame.key][rule.place]
    if rule.bits:
        flat = masks_for(rule.law.name, rule.bits, frame.panels // 3, key, stream)
    else:
        flat = context_for(rule.law, rule.values, rule.size, frame.configuration, frame.panels, key, stream)
    return spread_values(flat, rule.way)


def _puzzle(frame: Frame, context: tuple[Panel, ...], choices: tuple[Panel, ...], tries: int) -> Puzzle:
    fields = frame.family.panel.fields
    matrix = frame.configuration == MATRIX
    words = tuple(f"{fields[rule.place].name}: {rule.law.name}{f' by {rule.way}' * matrix}" for rule in frame.rules)
    return Puzzle(
        pattern=frame.family.pattern,
        configuration=frame.configuration,
        family=frame.family.name,
        form=frame.family.form,
        look=frame.look,
        context=context,
        choices=choices,
        key=frame.key,
        rules=words,
        tries=tries,
    )
