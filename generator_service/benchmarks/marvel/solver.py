"""Solve an item independently: by the library's rules, by folding the net, or by the descriptions of a detail.

In a flat puzzle, the right choice is the one that all rules select that fit the context. In a net puzzle, the marks of
the right view lie side by side on the folded solid, in the same order about a corner, each pointing as shown.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from generator_service.benchmark import View
from generator_service.benchmarks.marvel.detail_solver import choose_answer
from generator_service.benchmarks.marvel.forms import FORMS
from generator_service.benchmarks.marvel.nets.folding import VISIBLE, Frame, Vector, cross, fold, negative
from generator_service.benchmarks.marvel.nets.marks import MARK_FAMILIES
from generator_service.benchmarks.marvel.nets.triangular import OCTAHEDRON, TETRAHEDRON, TriangularSolid
from generator_service.benchmarks.marvel.rules.accepting import chance_choices, rule_choices
from generator_service.benchmarks.marvel.spec import CHOICES, GROUP, MATRIX, SEQUENCE, TWO_ROW, Look, Panel

Shown = Mapping[str, Any]
"""One panel of a picture."""

_TRIANGULAR = {solid.name: solid for solid in (TETRAHEDRON, OCTAHEDRON)}
_LABELLED = re.compile(r"Choice \((\w)\)")
_ARRANGED = ((TWO_ROW, "two rows of three"), (MATRIX, "three rows of three"), (GROUP, "something in common"))
_COUNTED = {"context-panels": ("context",), "choice-panels": ("choices",), "all-panels": ("context", "choices")}


class NoSingleChoice(ValueError):  # noqa: N818 - named for what went wrong
    """The rules, or the net, allow no choice or several."""


def solve(view: View) -> str | None:
    """Return the right answer of a puzzle, a count or a detail; None if its panels can't be seen.

    Raises:
        NoSingleChoice: the panels allow no choice, or several.
    """
    context = [panel for panels in view.parts("context") for panel in panels]
    choices = _label_choices(view)
    kind = view.question.kind
    if kind in _COUNTED:
        seen = {"context": len(context), "choices": len(choices)}
        return str(sum(seen[part] for part in _COUNTED[kind])) if all(seen[part] for part in _COUNTED[kind]) else None
    if not choices or (kind == "puzzle" and not context):
        return None
    if kind == "detail":
        words = {str(label): shown["words"] for label, shown in choices}
        answers = {str(option.text): option.label for option in view.question.options}
        return answers[choose_answer(view.question.text.rpartition(". ")[2], list(answers), words)]
    place = solve_puzzle(_configuration(view), [panel for panel in context if panel], [shown for _, shown in choices])
    return view.question.options[place].label


def _label_choices(view: View) -> list[tuple[str | None, Shown]]:
    """Return the choices, each with the label below it or in its picture's caption."""
    captions = (_LABELLED.search(picture.caption) for picture in view.question.pictures)
    named = iter([label[1] for label in captions if label])
    return [(label or next(named, None), shown) for choices in view.parts("choices") for label, shown in choices]


def _configuration(view: View) -> str:
    """Return the arrangement of the context that the words name."""
    words = view.question.text.rpartition("Now the puzzle to solve.")[2].partition("\n")[0]
    return next((name for name, said in _ARRANGED if said in words), SEQUENCE)


def solve_puzzle(configuration: str, context: Sequence[Shown], choices: Sequence[Shown]) -> int:
    """Return the place of the one choice that completes the puzzle.

    Raises:
        NoSingleChoice: there is none, or there are several.
    """
    left = _fold_net(context[0], choices) if "marks" in context[0] else _follow_rules(configuration, context, choices)
    if len(left) != 1:
        raise NoSingleChoice(f"choices {sorted(left)} of a {context[0]['form']} in {configuration} are left")
    return left.pop()


def _follow_rules(configuration: str, context: Sequence[Shown], choices: Sequence[Shown]) -> set[int]:
    form, look = FORMS[context[0]["form"]], msgspec.convert(context[0]["look"], Look)
    shown, offered = ([Panel(tuple(panel["values"]), panel["seed"]) for panel in part] for part in (context, choices))
    values, others = ([panel.values for panel in part] for part in (shown, offered))
    left = set(range(CHOICES))
    for chosen in (
        *rule_choices(form, look, configuration, values, others),
        *chance_choices(form, look, configuration, shown, offered),
    ):
        left &= chosen
    return left


def _fold_net(net: Shown, choices: Sequence[Shown]) -> set[int]:
    values, likeness = net["values"], MARK_FAMILIES[net["marks"]].likeness
    cells = {(values[at], values[at + 1]): values[at + 2 : at + 4] for at in range(1, len(values), 4)}
    views = [tuple(choice["values"]) for choice in choices]
    if net["form"] in _TRIANGULAR:
        solid = _TRIANGULAR[net["form"]]
        return {place for place, view in enumerate(views) if _fits(solid, cells, view, likeness)}
    return _cubes(cells, views, likeness)


def _fits(
    solid: TriangularSolid, cells: Mapping[tuple[int, int], Sequence[int]], view: tuple[int, ...], likeness: int
) -> bool:
    """Match the corners of the view with those of the folded net, face by face, clockwise on both."""
    corners = {mark: (faced, turn) for cell, faced in solid.fold(tuple(cells)).items() for mark, turn in [cells[cell]]}
    matches: list[dict[int, int]] = [{}]
    for place, seen in enumerate(solid.all_faces[: solid.seen]):
        mark, turn = view[2 * place : 2 * place + 2]
        if mark not in corners:
            return False
        faced, printed = corners[mark]
        tried = range(3) if likeness == 1 else [printed - turn]
        matches = [
            known | pairs
            for known in matches
            for pairs in [{seen[at]: faced[(at + off) % 3] for at in range(3)} for off in tried]
            if all(known.get(corner, to) == to for corner, to in pairs.items())
        ]
    return any(len(set(known.values())) == len(known) for known in matches)


def _cubes(cells: Mapping[tuple[int, int], Sequence[int]], views: Sequence[tuple[int, ...]], likeness: int) -> set[int]:
    faces = {
        mark: Frame(frame.normal, frame.pointing(turn))
        for cell, frame in fold(tuple(cells)).items()
        for mark, turn in [cells[cell]]
    }
    return {place for place, view in enumerate(views) if _shows(faces, view, likeness)}


def _shows(faces: dict[int, Frame], view: tuple[int, ...], likeness: int) -> bool:
    """Tell whether a cube shows the view: its three normals make a right-handed corner, and the marks agree."""
    x, y, z = (faces[mark].normal for mark in view[::2])
    if cross(x, y) != z:
        return False
    return all(
        _steps(faces[view[2 * at]], _map_direction(frame.pointing(view[2 * at + 1]), x, y, z)) % likeness == 0
        for at, frame in enumerate(VISIBLE)
    )


def _map_direction(direction: Vector, x: Vector, y: Vector, z: Vector) -> Vector:
    """Return a direction of the view in the cube's axes."""
    a, b, c = (sum(part * axis[at] for part, axis in zip(direction, (x, y, z), strict=True)) for at in range(3))
    return a, b, c


def _steps(face: Frame, direction: Vector) -> int:
    """Count the quarter turns from the mark's direction on the cube to the given direction."""
    around = (face.up, face.right, negative(face.up), negative(face.right))
    return around.index(direction)
