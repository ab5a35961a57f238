"""Finds the ceilings that a short run refutes."""

from collections.abc import Iterable

from generator_service.mounting import Mounted
from generator_service.proving.cases import Variant
from generator_service.proving.equivalence import NOT_REFUTED
from generator_service.proving.findings import Finding, reached_findings

REACHED = 400  # items of each parameter set, to learn on and to be held on


def refuted(mounted: Mounted, variants: Iterable[Variant], items: int = REACHED) -> dict[tuple[str, str], Finding]:
    """Return by variant and sight the cells whose ceiling is broken, or reached by none of the best solvers."""
    found = [finding for variant in variants for finding in reached_findings(mounted, variant, items)]
    return {(finding.part, finding.sees): finding for finding in found if finding.verdict != NOT_REFUTED}
