"""List what can be asked of a photograph: which facts, in which pose, for programs of how many steps.

It is a table of the source: an item takes one of its entries, and nothing has to be drawn again.
"""

from collections.abc import Mapping, Sequence

from generator_service.benchmarks.visanalog.photographs.facts import PhotographFacts
from generator_service.benchmarks.visanalog.photographs.families import FAMILIES, choices, family_of
from generator_service.benchmarks.visanalog.photographs.grids import photograph_grids
from generator_service.benchmarks.visanalog.programs import MATRICES
from generator_service.benchmarks.visanalog.spec import Fact, Labelled, Photograph

POSES = len(MATRICES)
Entries = Mapping[str, Sequence[int]]
"""By stratum: entries, each eight times the number of a choice of `families.choices` and the pose."""


def entries(look: bytes, things: tuple[Labelled, ...]) -> dict[str, list[int]]:
    """Return what can be asked of a photograph, by stratum."""
    found: dict[str, list[int]] = {}
    asked = choices(things)
    for pose in range(POSES):
        facts = PhotographFacts(Photograph("", look, things, pose))
        for number, choice in enumerate(asked):
            values = facts.values(choice)
            family = family_of(choice)
            for steps in FAMILIES[family]:
                if photograph_grids(values, choice, steps):
                    found.setdefault(stratum_name(family, steps), []).append(POSES * number + pose)
    return found


def stratum_name(family: str, steps: int) -> str:
    return f"{family}/{steps}"


def choice_and_pose(entry: int, things: Sequence[Labelled]) -> tuple[tuple[Fact, ...], int]:
    """Return the facts and the pose of an entry."""
    number, pose = divmod(entry, POSES)
    return choices(things)[number], pose
