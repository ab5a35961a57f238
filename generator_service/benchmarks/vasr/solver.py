"""Solve an item a second time, from frames: what an ideal recogniser of situations sees in each picture."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from generator_service.benchmark import Parts, View
from generator_service.benchmarks.vasr.photographs.solver import solve_annotated
from generator_service.benchmarks.vasr.spec import GIVEN, PLACE, VERB, Photograph, Scene, State

OPTION = "option"
TWO, FOUR = 2, 4
PAIRED = {TWO: FOUR, FOUR: TWO}
"""Of two combined roles one has two values and the other four."""
Frame = dict[str, str]


def holds(scene: Scene, name: str) -> Parts:
    """Return the frame that a picture shows: of A, A' and B each by its name, of the options a list.

    Of a photograph it is a list of frames, one for each annotator.
    """
    frames = {what: _frames_of(scene.state(what)) for what in scene.pictures[name]}
    given: Parts = {what: frame for what, frame in frames.items() if what in GIVEN}
    options = [frame for what, frame in frames.items() if what not in GIVEN]
    return {**given, OPTION: options} if options else given


def solve(view: View) -> str | None:
    """Return the option that is B with the one value changed that differs between A and A'."""
    given = [view.parts(name) for name in GIVEN]
    if not all(given):
        return None
    (a,), (changed,), (b,) = given
    if isinstance(a, list):
        return solve_annotated(a, changed, b, _list_offered(view))
    differing = [role for role in a if role != PLACE and changed.get(role) != a[role]]
    if len(differing) != 1 or b.get(differing[0]) != a[differing[0]]:
        return None
    (role,) = differing
    wanted = {**b, role: changed[role]}
    return next((label for label, frame in _list_offered(view).items() if frame == wanted), None)


def mistake(view: View, label: str) -> str | None:
    """Return the mistake that a wrong option stands for, from the frames, where options are balanced; else None."""
    given = [view.parts(name) for name in GIVEN]
    if not all(given):
        return None
    (a,), (changed,), (b,) = given
    if isinstance(a, list):
        return None
    role = next(name for name in a if name != PLACE and changed[name] != a[name])
    frames = _list_offered(view)
    return _mistake(frames[label], role, (a, changed, b)) if _are_balanced([*frames.values()], role) else None


def _list_offered(view: View) -> dict[str, Any]:
    """Return what each option holds by its label: its frame, of a photograph a list of frames."""
    frames = [frame for held in view.parts(OPTION) for frame in held]
    return dict(zip((option.label for option in view.question.options), frames, strict=True))


def _are_balanced(frames: Sequence[Frame], role: str) -> bool:
    """Return whether options are of a balanced sort: two values of the role, or two of one role and four of another.

    What is left of them comes with each of these values, or pairs of values.
    """
    values = _count_values(frames, role)
    if values == TWO and TWO * _count_rests(frames, {role}) == len(frames):
        return True
    return any(
        PAIRED.get(values) == _count_values(frames, other) and FOUR * _count_rests(frames, {role, other}) == len(frames)
        for other in frames[0].keys() - {role, PLACE}
    )


def _count_rests(frames: Sequence[Frame], without: Collection[str]) -> int:
    return len({tuple(sorted(item for item in frame.items() if item[0] not in without)) for frame in frames})


def _count_values(frames: Sequence[Frame], role: str) -> int:
    """Return how many values of a role options have, 0 unless each is as frequent."""
    values = Counter(frame.get(role) for frame in frames)
    return len(values) if len({*values.values()}) == 1 else 0


def _mistake(frame: Frame, role: str, given: tuple[Frame, Frame, Frame]) -> str:
    """Tell mistakes apart: whether an option has the old, the new or a third value, and how else it differs from B."""
    a, changed, b = given
    differing = [name for name in b if name not in {role, PLACE} and frame[name] != b[name]]
    is_old, is_new = frame[role] == a[role], frame[role] == changed[role]
    if not differing:
        return "" if is_new else "kept B" if is_old else "third value"
    if is_new:
        return "wrong situation"
    if is_old and len(differing) == 1 and frame[differing[0]] == a[differing[0]]:
        return "wrong role"
    return "kept B, wrong situation" if is_old else "both"


def _frames_of(state: State) -> Frame | list[Frame]:
    return [dict(frame) for frame in state.frames] if isinstance(state, Photograph) else frame_of(state)


def frame_of(state: State) -> Frame:
    """Return a state as a frame: the verb and every role by name."""
    return {VERB: state.verb, **dict(state.values)}
