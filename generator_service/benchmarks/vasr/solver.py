"""Solve an item a second time, from frames: what an ideal recogniser of situations sees in each picture."""

from collections.abc import Mapping
from typing import Any

from generator_service.benchmark import Parts, View
from generator_service.benchmarks.vasr.photographs.solver import solve_annotated
from generator_service.benchmarks.vasr.spec import GIVEN, PLACE, VERB, Photograph, Scene, State

OPTION = "option"
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
    return (
        _mistake(frames[label], role, (a, changed, b), list(frames.values())) if _are_balanced(frames, role) else None
    )


def _list_offered(view: View) -> dict[str, Any]:
    """Return what each option holds by its label: its frame, of a photograph a list of frames."""
    frames = [frame for held in view.parts(OPTION) for frame in held]
    return dict(zip((option.label for option in view.question.options), frames, strict=True))


def _are_balanced(frames: Mapping[str, Frame], role: str) -> bool:
    """Return whether options are every combination of two values of the role and half as many situations."""
    values = {frame.get(role) for frame in frames.values()}
    rests = {tuple(sorted((name, value) for name, value in frame.items() if name != role)) for frame in frames.values()}
    return len(values) == 2 and 2 * len(rests) == len(frames)  # noqa: PLR2004


def _mistake(frame: Frame, role: str, given: tuple[Frame, Frame, Frame], every: list[Frame]) -> str:
    """Tell mistakes apart by which values of B, and of A', an option has.

    A balanced set of options that B itself is among combines two roles; the other one of them is the role in which an
    option has A's value and B has another.
    """
    a, changed, b = given
    names = [name for name in b if name not in {role, PLACE}]
    if b in every:
        other = next(
            name for name in names if any(_only(frame, b, name) and frame[name] == a.get(name) for frame in every)
        )
        rest = any(frame[name] != b[name] for name in names if name != other)
        two = {
            (False, False): "",
            (True, False): "kept B",
            (False, True): "both",
            (True, True): "wrong role",
        }[frame[role] != changed[role], frame[other] != b[other]]
        return ", ".join(word for word in (two, "wrong situation" if rest else "") if word)
    new, own = frame.get(role) == changed[role], all(frame.get(name) == b[name] for name in names)
    return {(False, True): "third value", (True, False): "wrong situation", (False, False): "both"}[new, own]


def _only(frame: Frame, b: Frame, name: str) -> bool:
    """Return whether a frame differs from B in one role alone."""
    return frame.keys() == b.keys() and [role for role in b if frame[role] != b[role]] == [name]


def _frames_of(state: State) -> Frame | list[Frame]:
    return [dict(frame) for frame in state.frames] if isinstance(state, Photograph) else frame_of(state)


def frame_of(state: State) -> Frame:
    """Return a state as a frame: the verb and every role by name."""
    return {VERB: state.verb, **dict(state.values)}
