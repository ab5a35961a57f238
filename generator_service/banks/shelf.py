"""The banks that one folder keeps: one is served, others stay for the draws that were sealed with them."""

import re
from collections.abc import Iterator
from pathlib import Path

from generator_service.drawing import bank_file
from generator_service.drawing.bank import NAME as BUILTIN
from generator_service.drawing.bank import ObjectBank, load_bank, open_bank
from generator_service.drawing.bank_file import Index, Place

HOUSEHOLD = "household"
WITH_CREDITS = "household-by"
OURS = (BUILTIN, HOUSEHOLD, WITH_CREDITS)
NAME = re.compile(r"[a-z][a-z0-9-]{0,31}")
_KEY_DIGITS = 16


class BankMissing(LookupError):  # noqa: N818 - named for what went wrong
    """The folder has no bank of this name; the message says what there is and what to do."""


class Shelf:
    """The banks of one folder, by name and by digest; holds nothing but the folder's path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def served(self, wanted: str) -> str:
        """Return the name of the bank to serve: the one wanted or, for "", household where it is and builtin else."""
        if wanted:
            return wanted
        return HOUSEHOLD if any(index.name == HOUSEHOLD for _, index in self.kept()) else BUILTIN

    def open(self, name: str) -> ObjectBank:
        """Open the newest bank of this name; the built-in one is drawn where it is absent.

        Raises:
            BankMissing: there is none, and it is not ours to draw.
        """
        if name == BUILTIN:
            return load_bank(self.folder)
        of_name = [(index.made_at, place) for place, index in self.kept() if index.name == name]
        for _, place in sorted(of_name, key=lambda each: each[0], reverse=True):
            bank = open_bank(place)
            if bank is not None:
                return bank
        raise BankMissing(f"bank {name!r} is not in {self.folder}; {self._remedy(name)}")

    def find(self, digest: str) -> ObjectBank | None:
        """Open the bank of this digest, whatever its name; None where it is gone or damaged."""
        for place, index in self.kept():
            if index.digest == digest and (bank := open_bank(place)) is not None:
                return bank
        return None

    def kept(self) -> Iterator[tuple[Place, Index]]:
        """Yield every bank with a readable index, by name and key."""
        for place in bank_file.places(self.folder):
            index = bank_file.read_index(place)
            if index is not None:
                yield place, index

    def keep(self, name: str, drawn: list[bank_file.Drawn], credit: tuple[str, ...] = ()) -> Index:
        """Write a bank under this name and its own digest; the same pictures again become the newest of their name."""
        place = Place(self.folder, name, bank_file.bank_digest(drawn)[:_KEY_DIGITS])
        with bank_file.locked(self.folder):
            bank_file.store(place, drawn, credit)
        index = bank_file.read_index(place)
        if index is None:
            raise bank_file.CacheUnusable(f"the bank just written to {self.folder} can't be read back: check the disk")
        return index

    def _remedy(self, name: str) -> str:
        known = ", ".join(sorted({BUILTIN, *(index.name for _, index in self.kept())}))
        if name in OURS:
            return f"build it: python -m generator_service.banks build {name} {self.folder}"
        return f"serve one of {known}, or mount it: tetrad corpus add objects PATH --name {name}"
