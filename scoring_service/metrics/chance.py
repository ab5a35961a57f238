"""Chance levels beside a value: what a random model would score on exactly these questions."""

from collections.abc import Sequence
from typing import NamedTuple

from tetrad.contracts.benchmarks import ChanceLevel
from tetrad.contracts.wire import Facets
from tetrad.reporting.item_scores import is_selected


class Levels(NamedTuple):
    """Expected scores of guessing, 0 to 1; None if the card declares no level for some question."""

    uniform: float | None
    stated: float | None


UNKNOWN = Levels(None, None)


def level_of(facets: Facets, levels: Sequence[ChanceLevel]) -> Levels:
    """Return the first level whose facets fit."""
    level = next((level for level in levels if is_selected(facets, level.where)), None)
    return UNKNOWN if level is None else Levels(level.uniform, level.stated)
