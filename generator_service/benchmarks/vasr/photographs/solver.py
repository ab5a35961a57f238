"""Solve an item of photographs independently, from what annotators say of each picture.

It uses no table or function of what mines and draws.
"""

from collections.abc import Iterator, Mapping, Sequence

from generator_service.benchmarks.vasr.spec import VERB

Frame = dict[str, str]


def solve_annotated(
    a: Sequence[Frame], changed: Sequence[Frame], b: Sequence[Frame], offered: Mapping[str, Sequence[Frame]]
) -> str | None:
    """Return the one option that shows B with a change that A and A' show; None where none or several do."""
    wanted = [{**frame, role: new} for role, old, new in _changes(a, changed) for frame in b if frame.get(role) == old]
    fitting = [label for label, frames in offered.items() if any(frame in wanted for frame in frames)]
    return fitting[0] if len(fitting) == 1 else None


def _changes(a: Sequence[Frame], changed: Sequence[Frame]) -> Iterator[tuple[str, str, str]]:
    """Yield (role, value, new value) where an annotation of A and one of A' differ in one value that both fill.

    A value that some annotator gives to both pictures changes nothing, unless it is the verb.
    """
    for mine in a:
        for other in changed:
            roles = [role for role in mine if other.get(role) != mine[role]]
            if mine.keys() != other.keys() or len(roles) != 1 or not (mine[roles[0]] and other[roles[0]]):
                continue
            (role,) = roles
            common = {frame[role] for frame in a} & {frame[role] for frame in changed if role in frame}
            if role == VERB or not common:
                yield role, mine[role], other[role]
