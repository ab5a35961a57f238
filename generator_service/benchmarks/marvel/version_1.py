"""Version 1 of MARVEL, for draws that were sealed under it.

It has other walks, parallel lines, symmetries, sums and words than version 2, and nets of cubes alone. A scene of
version 1 names its forms as it did. Inside, they are the forms called "walk 1", "parallel 1", "symmetry 1".
"""

from collections.abc import Mapping
from dataclasses import replace as replaced
from functools import partial
from typing import Any

from msgspec.structs import replace

from generator_service.benchmark import Benchmark, Parameters, PictureArray, Streams
from generator_service.benchmarks.marvel import wording
from generator_service.benchmarks.marvel.question import questions
from generator_service.benchmarks.marvel.renderer import render
from generator_service.benchmarks.marvel.sampler import draw_puzzle, sample_of_version
from generator_service.benchmarks.marvel.spec import REWORDED, SOLID, Puzzle, Scene
from generator_service.benchmarks.marvel.view import holds
from tetrad.contracts.benchmarks import Parameter
from tetrad.contracts.items import KeyedQuestion
from tetrad.contracts.wire import Facets

VERSION = 1
COUNTED_NET = "The picture shows a puzzle: a part above, with nothing left blank, and a part below with the choices. "
_VARIANTS = "plain; a question mark in the blank; letters for the choices' numbers; a picture for every panel"
_FORMS = {"walk": "walk 1", "parallel": "parallel 1", "symmetry": "symmetry 1"}
_NAMES = {inside: name for name, inside in _FORMS.items()}
_draw = partial(draw_puzzle, version=VERSION)


def first_version(newest: Benchmark) -> Benchmark:
    """Return the benchmark as version 1 was."""
    return replaced(
        newest,
        card=replace(newest.card, version=VERSION, parameters=tuple(map(_of_before, newest.card.parameters))),
        sample=_sample,
        questions=_questions,
        render=_render,
        holds=_holds,
    )


def _of_before(parameter: Parameter) -> Parameter:
    """Take the variant back that came later."""
    if parameter.name != "variant":
        return parameter
    return replace(parameter, help=_VARIANTS, values=tuple(one for one in parameter.values if one != REWORDED))


def _with_forms(scene: Scene, forms: Mapping[str, str]) -> Scene:
    def named(puzzle: Puzzle) -> Puzzle:
        return replace(puzzle, form=forms.get(puzzle.form, puzzle.form))

    return replace(scene, puzzle=named(scene.puzzle), demonstrations=tuple(map(named, scene.demonstrations)))


def _sample(_bank: Any, _track: str, setting: str, parameters: Parameters, facets: Facets, streams: Streams) -> Scene:
    return _with_forms(sample_of_version(VERSION, _draw, setting, parameters, facets, streams), _NAMES)


def _questions(scene: Scene) -> tuple[KeyedQuestion, ...]:
    asked = tuple(map(_named, questions(_with_forms(scene, _FORMS))))
    return tuple(map(_counted, asked)) if scene.puzzle.pattern == SOLID else asked


def _named(keyed: KeyedQuestion) -> KeyedQuestion:
    """Name forms in the values of options as version 1 did: a value of a choice is a form and what it shows."""
    values = keyed.option_values.items()
    return replace(keyed, option_values={label: _with_name(value) for label, value in values})


def _with_name(value: str) -> str:
    inside = next((one for one in _NAMES if value.startswith(f"{one} ")), None)
    return value if inside is None else _NAMES[inside] + value.removeprefix(inside)


def _counted(keyed: KeyedQuestion) -> KeyedQuestion:
    """Ask for panels where version 2 asks for the frames of a net."""
    words = wording.COUNTS.get(keyed.question.kind)
    if words is None:
        return keyed
    return replace(keyed, question=replace(keyed.question, text=COUNTED_NET + words.format(counted="")))


def _render(bank: Any, scene: Scene, name: str) -> PictureArray:
    return render(bank, _with_forms(scene, _FORMS), name)


def _holds(scene: Scene, name: str) -> Mapping[str, Any]:
    return holds(_with_forms(scene, _FORMS), name)
