"""An independent solution: what the library's rules leave, and how the net folds; it never reads the key.

Flat puzzles: the choice that every rule selects that fits the context. Nets: the three marks of a view meet at a
corner of the folded cube, in this order about it, each pointing as shown along an edge to a named neighbour.
"""

from generator_service.benchmarks.marvel.forms import FORMS
from generator_service.benchmarks.marvel.nets.folding import VISIBLE, Frame, Vector, cross, fold, negative
from generator_service.benchmarks.marvel.nets.marks import MARK_FAMILIES
from generator_service.benchmarks.marvel.pictures import labels_of
from generator_service.benchmarks.marvel.rules.accepting import chance_choices, rule_choices
from generator_service.benchmarks.marvel.spec import CHOICES, SOLID, Puzzle, Scene, panels_in_context


class NoSingleChoice(ValueError):  # noqa: N818 - named for what went wrong
    """The rules, or the net, leave no choice or several."""


def solve(scene: Scene) -> dict[str, str]:
    """Return the right answer of every question but the detail, whose truth no rule tells, by question id."""
    context = panels_in_context(scene.puzzle)
    answers = {"puzzle": labels_of(scene.variant)[solve_puzzle(scene.puzzle)]}
    if scene.fine is not None:
        counts = {"context-panels": context, "choice-panels": CHOICES, "all-panels": context + CHOICES}
        answers |= {kind: str(number) for kind, number in counts.items()}
    return answers


def solve_puzzle(puzzle: Puzzle) -> int:
    """Return the place of the one choice that completes the puzzle.

    Raises:
        NoSingleChoice: there is none, or there are several.
    """
    left = _cubes(puzzle) if puzzle.pattern == SOLID else _ruled(puzzle)
    if len(left) != 1:
        raise NoSingleChoice(f"choices {sorted(left)} of {puzzle.family} in {puzzle.configuration} are left")
    return left.pop()


def _ruled(puzzle: Puzzle) -> set[int]:
    form, look, configuration, left = FORMS[puzzle.form], puzzle.look, puzzle.configuration, set(range(CHOICES))
    context, choices = ([panel.values for panel in part] for part in (puzzle.context, puzzle.choices))
    for chosen in (
        *rule_choices(form, look, configuration, context, choices),
        *chance_choices(form, look, configuration, puzzle.context, puzzle.choices),
    ):
        left &= chosen
    return left


def _cubes(puzzle: Puzzle) -> set[int]:
    values, likeness = puzzle.context[0].values, MARK_FAMILIES[puzzle.family].likeness
    cells = {(values[at], values[at + 1]): values[at + 2 : at + 4] for at in range(1, 25, 4)}
    faces = {
        mark: Frame(frame.normal, frame.pointing(turn))
        for cell, frame in fold(tuple(cells)).items()
        for mark, turn in [cells[cell]]
    }
    views = (panel.values for panel in puzzle.choices)
    return {place for place, view in enumerate(views) if _shows(faces, view, likeness)}


def _shows(faces: dict[int, Frame], view: tuple[int, ...], likeness: int) -> bool:
    """Match the view's axes to the cube's: the three normals must be a right-handed corner, then marks must agree."""
    x, y, z = (faces[mark].normal for mark in view[::2])
    if cross(x, y) != z:
        return False
    return all(
        _steps(faces[view[2 * at]], _mapped(frame.pointing(view[2 * at + 1]), x, y, z)) % likeness == 0
        for at, frame in enumerate(VISIBLE)
    )


def _mapped(direction: Vector, x: Vector, y: Vector, z: Vector) -> Vector:
    """Carry a direction of the view over to the cube's axes."""
    a, b, c = (sum(part * axis[at] for part, axis in zip(direction, (x, y, z), strict=True)) for at in range(3))
    return a, b, c


def _steps(face: Frame, direction: Vector) -> int:
    """Count quarter turns from where the mark points on the cube to the direction."""
    around = (face.up, face.right, negative(face.up), negative(face.right))
    return around.index(direction)
