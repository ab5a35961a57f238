"""Knowledge of VASR for its proof: ideal readers of frames that see a part of the input, and who is sent through HTTP.

A reader keeps the options that can be the answer. The answer shares no value with A, one with A' (the new one), and
differs from B in one (the changed role). Places tell nothing: they are alike by construction. Among eight options made
of three single roles, the item or the vehicle is the one that changes in half of the items.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from generator_service.benchmarks.vasr.solver import OPTION, Frame, holds
from generator_service.benchmarks.vasr.spec import GIVEN, PARTIAL, PLACE
from generator_service.proving.blind_solvers import Solver, by_rule
from generator_service.proving.cases import Case, Variant
from generator_service.proving.knowledge import Knowledge

OFTEN_CHANGED = ("item", "vehicle")


@dataclass(frozen=True)
class Seen:
    """The view of a reader: frames of the given pictures by name, and of the options by label."""

    given: Mapping[str, Frame]
    options: Mapping[str, Frame]


def look(case: Case) -> Seen:
    """Return the frames of all pictures that a question shows."""
    question = case.keyed.question
    options = {one.label: holds(case.scene, one.picture or "")[OPTION] for one in question.options}
    given = {what: holds(case.scene, name)[what] for name, what in case.scene.pictures.items() if what in GIVEN}
    return Seen(given, options)


def choose(seen: Seen) -> str:
    """Return the option that an ideal reader takes."""
    fits = [label for label, frame in seen.options.items() if _fits(frame, seen.given)]
    b = seen.given.get("B")
    if b is not None:
        often = [label for label in fits if set(_differing(seen.options[label], b)) & set(OFTEN_CHANGED)]
        fits = often or fits
    return fits[0]


def _fits(frame: Frame, given: Mapping[str, Frame]) -> bool:
    a, changed, b = (given.get(name) for name in GIVEN)
    if a is not None and _shared(frame, a):
        return False
    if changed is not None and len(_shared(frame, changed)) != 1:
        return False
    if a is not None and changed is not None and _shared(frame, changed) != _differing(changed, a):
        return False
    return b is None or len(_differing(frame, b)) == 1


def _shared(frame: Frame, other: Frame) -> list[str]:
    return [role for role, value in frame.items() if role != PLACE and other.get(role) == value]


def _differing(frame: Frame, other: Frame) -> list[str]:
    return [role for role, value in frame.items() if role != PLACE and other.get(role) != value]


def _readers(variant: Variant) -> Sequence[Solver]:
    if variant.setting not in PARTIAL:
        return ()
    sees = f"ideal-{variant.setting}"
    return (Solver(name="ideal reader", sees=sees, exact=True, look=look, learn=by_rule(choose), pictured=True),)


KNOWLEDGE = Knowledge(solvers=_readers)
