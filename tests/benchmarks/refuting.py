"""Finds the ceilings that a short run refutes."""

from collections.abc import Iterable

from generator_service.mounting import Mounted
from generator_service.proving.cases import Variant
from generator_service.proving.equivalence import NOT_REFUTED
from generator_service.proving.findings import Finding, reached_findings

REACHED = 400  # items of each parameter set, to learn on and to be held on


def refuted(mounted: Mounted, variants: Iterable[Variant]) -> dict[tuple[str, str], Finding]:
    """Return by variant and sight the cells whose ceiling is broken, or reached by none of the best solvers."""
    found = [one for variant in variants for one in reached_findings(mounted, variant, REACHED)]
    return {(one.part, one.sees): one for one in found if one.verdict != NOT_REFUTED}
