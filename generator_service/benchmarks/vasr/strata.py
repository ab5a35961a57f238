"""List the strata of an item: the role that changes, and what the options are made of."""

from generator_service.benchmark import Parameters, Stratum
from generator_service.benchmarks.vasr.spec import BALANCED, PHOTOGRAPHS, ROLES, SITUATIONS, TWO_ROLES

# Each unordered pair of roles changes either role equally often, and each role twice in twelve: so options that are
# every combination of two values of two roles don't tell which of the two changed.
OTHER_ROLES: dict[str, tuple[str, ...]] = {
    "item": ("agent", "verb"),
    "vehicle": ("agent", "verb"),
    "agent": ("item", "vehicle"),
    "verb": ("item", "vehicle"),
    "tool": ("victim", "victim"),
    "victim": ("tool", "tool"),
}


def strata(track: str, _setting: str, parameters: Parameters) -> list[Stratum]:
    """Return the strata: the role, and for balanced options the other role that is combined with it, if one is.

    Four balanced candidates are of two sorts, half of the items each; eight are both at once. Photographs have one
    stratum: in a small corpus nothing changes in some roles.
    """
    if track == PHOTOGRAPHS:
        return [Stratum(facets={"sort": ""}, weight=1)]
    if parameters["distractors"] != BALANCED:
        return [Stratum(facets={"role": role, "sort": "", "other": ""}, weight=1) for role in ROLES]
    two = [
        Stratum(facets={"role": role, "sort": TWO_ROLES, "other": other}, weight=2 // len(set(others)))
        for role, others in OTHER_ROLES.items()
        for other in sorted(set(others))
    ]
    if parameters["candidates"] == "8":
        return two
    return [*two, *(Stratum(facets={"role": role, "sort": SITUATIONS, "other": ""}, weight=2) for role in ROLES)]
