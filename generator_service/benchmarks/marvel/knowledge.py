"""Tell the proof about MARVEL: the attributes of a choice, what the context shows, the rule solver, and leaky twins."""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np

from generator_service.benchmark import PictureArray, Streams
from generator_service.benchmarks.marvel import BENCHMARK
from generator_service.benchmarks.marvel.details import put_question, shared_questions
from generator_service.benchmarks.marvel.forms import FORMS
from generator_service.benchmarks.marvel.pictures import content
from generator_service.benchmarks.marvel.question import COARSE_KINDS, DETAIL
from generator_service.benchmarks.marvel.sampler import draw_puzzle
from generator_service.benchmarks.marvel.spec import (
    CELLS,
    CHOICES,
    DESCRIBED,
    FULL,
    LENGTHS,
    PANELS,
    SEQUENCE,
    SETTINGS,
    SHAPES,
    SOLID,
    Panel,
    Puzzle,
    Scene,
    panels_in_context,
)
from generator_service.benchmarks.marvel.view import CHOICES as CHOICES_SHOWN
from generator_service.mounting import Mounted
from generator_service.proving.answerers import SECRET, WORDS, Model, answer_independently, blind, first_option
from generator_service.proving.blind_solvers import Solver, by_rule
from generator_service.proving.bounds import AT_MOST, EQUAL, Bound
from generator_service.proving.cases import Case, Variant
from generator_service.proving.declared import Asked, guessing, partial_sight, surely
from generator_service.proving.knowledge import Knowledge, Leak, Seeing, with_scenes
from tetrad.contracts.items import DrawIdentity
from tetrad.contracts.wire import ParameterValue
from tetrad.solvers.baselines import LARGEST_GUESS
from tetrad.streams import Stream


def _usual_length() -> int:
    patterns = [pattern for pattern, configuration in CELLS if configuration == SEQUENCE]
    shares = {
        length: sum((length in LENGTHS[pattern]) / len(LENGTHS[pattern]) for pattern in patterns)
        for length in range(4, 9)
    }
    return max(shares, key=shares.__getitem__)


USUAL_LENGTH = _usual_length()


def _usual_counts(case: Case, _: DrawIdentity) -> str:
    """Answer with the configuration's most frequent counts."""
    puzzle: Puzzle = case.scene.puzzle
    context = USUAL_LENGTH if puzzle.configuration == SEQUENCE else panels_in_context(puzzle)
    counts = dict(zip(COARSE_KINDS, (context, CHOICES, context + CHOICES), strict=True))
    asked = case.keyed.question.kind
    return str(counts[asked]) if asked in counts else first_option(case.keyed.question)


DROPPED = "set dropped"
_NOTE = (
    "A refused context is drawn again with the same choices and key, so that refusals tell nothing of the key; when "
    "none of many stands, the choices are dropped as a whole. Of {count:,} puzzles a cell:"
)


def refusals(count: int) -> str:
    """Return a section with a row a stratum: mean and most contexts tried for a puzzle, and refusals by reason."""
    rows = {cell: _row(cell, count) for cell in CELLS}
    reasons = [*sorted({reason for _, found in rows.values() for reason in found} - {DROPPED}), DROPPED]
    head = ["cell", "contexts a puzzle", "at most", *reasons]
    lines = [head, ["---"] * len(head)]
    for cell, (tries, refused) in rows.items():
        mean = f"{sum(tries) / len(tries):.2f}"
        lines.append([", ".join(cell), mean, str(max(tries)), *(f"{refused[reason]:,}" for reason in reasons)])
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return f"## Contexts refused\n\n{_NOTE.format(count=count)}\n\n{table}"


def _row(cell: tuple[str, str], count: int) -> tuple[list[int], Counter[str]]:
    refused: Counter[str] = Counter()
    streams = [Stream("tests/proof/marvel/refusals", *cell, number) for number in range(count)]
    shapes = (SHAPES[number % len(SHAPES)] for number in range(count))
    tries = [draw_puzzle(*cell, shape, stream, refused).tries for shape, stream in zip(shapes, streams, strict=True)]
    return tries, refused


Seen = tuple[tuple[str, ...], list[tuple[Hashable, ...]]]


def _attributes(case: Case) -> Seen:
    """Return, for each choice, everything that can be read off its panel."""
    puzzle: Puzzle = case.scene.puzzle
    return case.labels, [_read_panel(puzzle, panel) for panel in puzzle.choices]


def _read_panel(puzzle: Puzzle, panel: Panel) -> tuple[Hashable, ...]:
    if puzzle.pattern == SOLID:
        return panel.values
    readings = FORMS[puzzle.form].readings
    return (*panel.values, *(reading.of(puzzle.look, panel.values) for reading in readings))


def _majority(seen: Seen) -> str:
    """Choose the panel that shares most attributes with the others; among equals the one nearest the middle."""
    labels, parts = seen
    modes = [Counter(column) for column in zip(*parts, strict=True)]
    shared = [sum(modes[at][value] for at, value in enumerate(part)) for part in parts]
    middle = [sorted(column)[len(column) // 2] for column in zip(*parts, strict=True)]
    off = [sum(abs(a - b) for a, b in zip(part, middle, strict=True)) for part in parts]
    return labels[max(range(len(labels)), key=lambda at: (shared[at], -off[at]))]


_MAJORITY = Solver(
    name="attribute majority", sees="options-only", exact=False, look=_attributes, learn=by_rule(_majority)
)


def _shared_answer(case: Case) -> tuple[tuple[str, ...], str | None]:
    """Return the labels, and that of the answer where the context shows it: all panels share what is asked about."""
    scene: Scene = case.scene
    fine = scene.fine
    if fine is None:
        return case.labels, None
    questions = shared_questions(scene.puzzle, scene.variant)
    asked_words = {put_question(asked, place).text for asked in questions for place in (0, 1)}
    is_shared = fine.text in asked_words
    return case.labels, case.labels[fine.right] if is_shared else None


_CONTEXT = Solver(
    name="what all panels share",
    sees="context-only",
    exact=True,
    look=_shared_answer,
    learn=by_rule(lambda seen: seen[1] or seen[0][0]),
    kinds=frozenset({DETAIL}),
)


def _solvers(_: Variant) -> Sequence[Solver]:
    return [_MAJORITY, _CONTEXT]


def _holds(scene: Scene, name: str) -> Hashable:
    held: Any = content(scene, name)  # of the variant whose panels are pictures of their own
    return held.puzzle.form, held.puzzle.family, held.puzzle.look, held.panel


def _few(mounted: Mounted) -> Mounted:
    """Show every form in one look and each panel in one of four layouts. The right choice never depends on them."""

    def plain(scene: Scene, _: Streams) -> Scene:
        puzzle, form = scene.puzzle, FORMS.get(scene.puzzle.form)
        sorts = form.sorts[puzzle.look.shape][: form.slots] if form else ()
        look = msgspec.structs.replace(
            puzzle.look, sorts=sorts, seeds=tuple(range(len(sorts))), fills=(1, 0, 1, 0), seed=puzzle.look.seed % 2
        )
        choices = tuple(Panel(panel.values, panel.seed % 4) for panel in puzzle.choices)
        shown = msgspec.structs.replace(puzzle, look=look, choices=choices)
        return msgspec.structs.replace(scene, puzzle=shown)

    return with_scenes(plain)(mounted)


def _rechosen(scene: Scene, choices: Sequence[Panel], key: int) -> Scene:
    puzzle = msgspec.structs.replace(scene.puzzle, choices=tuple(choices), key=key)
    return msgspec.structs.replace(scene, puzzle=puzzle)


def _made_from_the_answer(scene: Scene, _: Streams) -> Scene:
    """Make each wrong choice from the right one by changing one attribute, as in RAVEN, so the right one is central."""
    puzzle = scene.puzzle
    if puzzle.pattern == SOLID or FORMS[puzzle.form].readings:
        return scene
    first, *others = puzzle.choices[puzzle.key].values
    off = iter((-1, 1, -2))
    made = [
        panel if at == puzzle.key else Panel((first + next(off), *others), panel.seed)
        for at, panel in enumerate(puzzle.choices)
    ]
    return _rechosen(scene, made, puzzle.key)


def _largest_right(scene: Scene, _: Streams) -> Scene:
    """Make the choice with the largest values right."""
    puzzle = scene.puzzle
    return _rechosen(scene, puzzle.choices, max(range(4), key=lambda at: puzzle.choices[at].values))


def _answer_first(scene: Scene, streams: Streams) -> Scene:
    """Put the right answer first in half of the items, in puzzle and detail."""
    if streams("leak").below(2):
        return scene
    puzzle, fine = scene.puzzle, scene.fine
    right = puzzle.choices[puzzle.key]
    first = _rechosen(scene, (right, *(panel for panel in puzzle.choices if panel != right)), 0)
    if fine is None or fine.right == 0:
        return first
    return msgspec.structs.replace(first, fine=msgspec.structs.replace(fine, answers=fine.answers[::-1], right=0))


def _worn_out_words(scene: Scene, _: Streams) -> Scene:
    """Make the answer that comes first in the alphabet right."""
    fine = scene.fine
    if fine is None:
        return scene
    right = fine.answers.index(min(fine.answers))
    return msgspec.structs.replace(scene, fine=msgspec.structs.replace(fine, right=right))


def _shared_alone(scene: Scene, streams: Streams) -> Scene:
    """Ask about what all panels share wherever they share something, whatever kind of detail it is said to be."""
    fine = scene.fine
    questions = shared_questions(scene.puzzle, scene.variant) if fine is not None else []
    if fine is None or not questions:
        return scene
    stream = streams("leak")
    shared = put_question(stream.choice(questions), stream.below(2))
    return msgspec.structs.replace(scene, fine=msgspec.structs.replace(shared, kind=fine.kind))


def _mark_right_choice(mounted: Mounted) -> Mounted:
    """Wrap the renderer so that the right choice's picture has a speck of noise."""
    honest = mounted.benchmark.render

    def render(bank: Any, scene: Scene, name: str) -> PictureArray:
        pixels = honest(bank, scene, name)
        if name == str(len(scene.puzzle.context) + scene.puzzle.key + 1):
            noise = np.random.default_rng(0).integers(0, 256, (40, 40, 4), np.uint8)
            noise[..., 3] = 255
            pixels[-40:, -40:] = noise
        return pixels

    return replace(mounted, benchmark=replace(mounted.benchmark, render=render))


_APART: dict[str, ParameterValue] = {"variant": PANELS}


def _leak(name: str, text: str, wrap: Callable[[Mounted], Mounted], *caught_by: tuple[str, str]) -> Leak:
    return Leak(name=name, help=text, wrap=wrap, caught_by=caught_by, parameters=_APART, rules=_APART)


LEAKS = (
    _leak(
        "made from the answer",
        "each wrong choice is the right one with one attribute changed, as in RAVEN",
        with_scenes(_made_from_the_answer),
        ("attribute majority", "options-only"),
    ),
    _leak(
        "largest is right",
        "the choice with the largest values is right",
        with_scenes(_largest_right),
        ("option table", "options-only"),
        ("option table", "pair-blind"),
    ),
    _leak(
        "answer first",
        "in half of the items the right answer comes first",
        with_scenes(_answer_first),
        ("place", "place"),
        ("order and place", "order"),
    ),
    _leak(
        "worn-out words",
        "the answer that comes first by the alphabet is right",
        with_scenes(_worn_out_words),
        ("table of option texts", "text-only"),
        ("bag of words", "text-only"),
    ),
    _leak(
        "shared alone",
        "every detail is one that all panels share, so that the context shows it",
        with_scenes(_shared_alone),
        ("what all panels share", "context-only"),
    ),
    _leak(
        "marked picture",
        "the right choice's picture carries a speck of noise",
        _mark_right_choice,
        ("probe on pixels", "options-only"),
        ("probe on pixels", "pair-blind"),
        ("sizes of files", "pair-blind"),
    ),
)


def _at_random(asked: Asked) -> Bound | None:
    """Return the card's chance level. For a count it is one over the number of numbers that `random` writes."""
    if asked.facets["stage"] == "coarse":
        return Bound(relation=EQUAL, chance=1 / LARGEST_GUESS)
    return guessing(asked)


MODELS = (
    Model(
        name="independent solver", sees=SECRET, reply=answer_independently(BENCHMARK), declared=surely(1), ways=SETTINGS
    ),
    Model(name="panel-texts", sees=WORDS, solver="panel-texts", declared=surely(1), settings=(DESCRIBED,)),
    Model(name="random", sees=WORDS, solver="random", declared=_at_random),
    Model(name="constant", sees=WORDS, solver="constant", declared=guessing),
    Model(name="text-only", sees=WORDS, solver="text-only", declared=guessing),
    Model(
        name="options-only",
        sees=SECRET,
        reply=blind(BENCHMARK, _solvers, "options-only"),
        declared=partial_sight("options-only", AT_MOST),
    ),
    Model(
        name="constant-counts",
        sees="the configuration",
        reply=_usual_counts,
        declared=partial_sight("constant-counts"),
        whole=True,
        settings=(FULL,),
    ),
)

KNOWLEDGE = Knowledge(
    lacks={"context-only": (CHOICES_SHOWN,)},
    few=_few,
    solvers=_solvers,
    leaks=LEAKS,
    models=MODELS,
    holds=_holds,
    seeing=Seeing(solver="panel-texts", where={"stage": ("avr",)}, least=0.999, setting=DESCRIBED),
    section=lambda _mounted, items: refusals(max(1, items // len(CELLS))),
)
