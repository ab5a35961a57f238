"""Prepare the sources: the objects that composed pictures are made of, people and things, and photographs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from generator_service.benchmarks.visanalog.composing import KINDS, called_alike
from generator_service.benchmarks.visanalog.photographs.bank import PhotographBank
from generator_service.benchmarks.visanalog.spec import SPECIAL
from generator_service.drawing.people.composing import People
from generator_service.sources.store import SourceUnfitError


@dataclass(frozen=True, eq=False)
class VisAnalogBank:
    """The objects that things are taken from, ids by kind, and what reads their pictures; people; photographs."""

    objects: Any
    kinds: Mapping[str, Sequence[str]]
    photographs: PhotographBank | None = None
    people: People | None = None

    def of_people(self) -> People:
        """Return people and things; LookupError where there are none."""
        if self.people is None:
            raise LookupError("no source of people is mounted")
        return self.people

    def of_photographs(self) -> PhotographBank:
        """Return the photographs; LookupError where there are none."""
        if self.photographs is None:
            raise LookupError("no source of photographs is mounted")
        return self.photographs


def prepare(sources: Mapping[str, Any]) -> VisAnalogBank:
    """Take the objects that differ from their mirror images, however those are turned, and the photographs.

    Raises:
        SourceUnfitError: objects are of too few kinds, or photographs too few or too pale.
    """
    photographs = PhotographBank(sources["photographs"]) if "photographs" in sources else None
    people = sources.get("people")
    if "objects" not in sources:
        return VisAnalogBank(None, {}, photographs, people)
    objects = sources["objects"]
    kinds: dict[str, list[str]] = {}
    for entry in objects.objects:
        if entry.chiral and entry.kind.rpartition("-")[2] not in SPECIAL:  # "the clock" is the one on the mat
            kinds.setdefault(entry.kind, []).append(entry.id)
    if (found := len(called_alike(tuple(sorted(kinds))))) < KINDS:
        raise SourceUnfitError(
            f"bank {objects.name} has {found} kinds of objects that differ from their mirror images and are not called "
            f"alike, and a composed picture shows {KINDS}; mount a bank of more kinds",
            kind="objects",
        )
    return VisAnalogBank(objects, kinds, photographs, people)
