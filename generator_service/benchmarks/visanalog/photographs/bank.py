"""Open a source of photographs for drawing: what can be asked of which, and which programs each of them tells apart."""

import base64
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from generator_service.benchmark import PictureArray
from generator_service.benchmarks.visanalog.identifiability import opaque_square
from generator_service.benchmarks.visanalog.photographs.asking import stratum_name
from generator_service.benchmarks.visanalog.photographs.boxes import things_of
from generator_service.benchmarks.visanalog.photographs.families import FAMILIES
from generator_service.benchmarks.visanalog.spec import Labelled
from generator_service.cache_budget import cache_within_budget
from generator_service.sources.decoding import decode_picture
from generator_service.sources.photographs import Photographs
from generator_service.sources.store import SourceUnfitError

PROGRAMS_TOLD = "visanalog/programs-1-32fdb8404811397f"
ASKED = "visanalog/asked-3-a934aabbbc4b6e0d"
STRATA = "visanalog/strata-1-bc55cf6768838fa5"
TABLES = (PROGRAMS_TOLD, ASKED, STRATA)
"""The tables that the job of `mining` makes, by the names that it prints."""
SQUARES = "visanalog/squares-1"
"""A table of the same job that items don't depend on: it holds what would else be made of each photograph again."""
FEWEST = 2
"""Photographs that tell all programs apart: one can be A whatever the program is, and A is never C."""
_KIND = "photographs"


class Known(NamedTuple):
    """A photograph as the tables describe it: its look, its things, and what can be asked of it, by stratum."""

    look: bytes
    things: tuple[Labelled, ...]
    asked: Mapping[str, Sequence[int]]


class PhotographBank:
    """The photographs that items are drawn from: those of the part that may be shown."""

    def __init__(self, photographs: Photographs) -> None:
        """Read which photograph can be asked what.

        Raises:
            SourceUnreadyError: a table is not made yet.
            SourceUnfitError: fewer than two photographs tell all programs apart, or something can be asked of none.
        """
        self._photographs = photographs
        self._told, self._asked = photographs.table(PROGRAMS_TOLD), photographs.table(ASKED)
        self._squares = photographs.find_table(SQUARES)
        shown = set(photographs.pictures)
        self.telling = tuple(name for name in self._told.keys() if name in shown)  # noqa: SIM118 - a Table is no dict
        by_stratum = {name: row["names"] for name, row in photographs.table(STRATA).rows()}
        self._names = {stratum: tuple(name for name in names if name in shown) for stratum, names in by_stratum.items()}
        wanted = [(family, steps) for family, counts in FAMILIES.items() for steps in counts]
        missing = [stratum_name(*parts) for parts in wanted if not self._names.get(stratum_name(*parts))]
        lacking = f"none of which can be asked: {', '.join(missing)} (what/steps)" if missing else ""
        clear = [name for name, row in self._told.rows() if name in shown and not row["alike"]]
        if len(clear) < FEWEST:
            lacking = f"{len(clear)} that tell all programs apart, and needs {FEWEST}"
        if lacking:
            raise SourceUnfitError(
                f"photographs:{photographs.name} has {len(shown)} photographs, {lacking}; add a source of more "
                "photographs, and of more colors",
                kind=_KIND,
            )

    def names(self, family: str, steps: int) -> Sequence[str]:
        """Return the photographs that a family can ask about, for programs of so many steps."""
        return self._names[stratum_name(family, steps)]

    def read_tables(self, name: str) -> Known:
        """Return what the tables say of a photograph; KeyError for one that is not there."""
        return _read_known(self, name)

    def alike(self, name: str, program: int) -> Sequence[int]:
        """Return the programs that can't be told from this one on a photograph."""
        return _alike(self, name).get(program, ())

    def picture(self, name: str) -> PictureArray:
        """Return the middle square of a photograph at 512 pixels a side, opaque, read-only."""
        return _draw_square(self, name)


# Without the table of squares a large photograph is decoded whole, for some 100 ms. A square has 1 MiB.
@cache_within_budget(64)
def _draw_square(bank: PhotographBank, name: str) -> PictureArray:
    photographs, squares = bank._photographs, bank._squares  # noqa: SLF001 - the cache belongs to the bank
    drawn = opaque_square(photographs.picture(name)) if squares is None else decode_picture(squares.file(name))
    drawn.flags.writeable = False
    return drawn


# A row is read by decoding 256 of them: those that were drawn last are kept. One may have a megabyte.
@cache_within_budget(512)
def _read_known(bank: PhotographBank, name: str) -> Known:
    row = bank._asked.row(name)  # noqa: SLF001 - the cache belongs to the bank
    return Known(base64.b64decode(row["look"]), things_of(row["things"]), row["asked"])


@cache_within_budget(512)
def _alike(bank: PhotographBank, name: str) -> Mapping[int, Sequence[int]]:
    alike = bank._told.row(name)["alike"]  # noqa: SLF001 - the cache belongs to the bank
    return {int(number): others for number, others in alike.items()}
