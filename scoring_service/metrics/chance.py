"""Chance levels beside a value: what a random model would score on exactly these questions."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from scoring_service.metrics.selection import fits
from tetrad.contracts.benchmarks import ChanceLevel
from tetrad.contracts.wire import Facets


class Levels(NamedTuple):
    """Expected scores of guessing, 0 to 1; None where the card says nothing of some question."""

    uniform: float | None
    stated: float | None


UNKNOWN = Levels(None, None)


class Chance:
    """The card's chance levels, found once for all questions with the same facets: a draw has few kinds of them."""

    def __init__(self, levels: Sequence[ChanceLevel]) -> None:
        self._levels = levels
        self._found: dict[bytes, Levels] = {}
        self._encode = msgspec.json.Encoder().encode

    def of(self, facets: Facets) -> Levels:
        """Return the first level whose facets fit."""
        text = self._encode(facets)  # the quickest thing to hash that is equal where they are
        found = self._found.get(text)
        if found is None:
            level = next((level for level in self._levels if fits(facets, level.where)), None)
            found = self._found[text] = UNKNOWN if level is None else Levels(level.uniform, level.stated)
        return found
