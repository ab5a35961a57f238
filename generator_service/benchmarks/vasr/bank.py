"""Prepare the sources: people to compose scenes of, and annotated photographs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from generator_service.benchmarks.vasr.photographs.bank import AnalogyBank
from generator_service.drawing.people.composing import People


@dataclass(frozen=True, eq=False)
class VasrBank:
    """The sources that are mounted: people and things, and mined photographs."""

    people: People | None = None
    photographs: AnalogyBank | None = None

    def of_people(self) -> People:
        """Return people and things; LookupError where there are none."""
        if self.people is None:
            raise LookupError("no source of people is mounted")
        return self.people

    def of_photographs(self) -> AnalogyBank:
        """Return the photographs; LookupError where there are none."""
        if self.photographs is None:
            raise LookupError("no source of situations is mounted")
        return self.photographs


def prepare(sources: Mapping[str, Any]) -> VasrBank:
    """Take people as they are, and the analogies that were mined from situations.

    Raises:
        SourceUnfitError: situations have no pictures, or too few analogies.
    """
    photographs = AnalogyBank(sources["situations"]) if "situations" in sources else None
    return VasrBank(sources.get("people"), photographs)
