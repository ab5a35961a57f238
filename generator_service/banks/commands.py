"""What can be done with the banks of a folder, each command from its arguments to its answer."""

import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from generator_service.banks.household import package
from generator_service.banks.mounting import NameTaken, PicturesRefused, fault_lines, mount_pictures
from generator_service.banks.shelf import HOUSEHOLD, OURS, BankMissing, Shelf
from generator_service.banks.sources import UnreadableSource
from generator_service.drawing import bank_file
from generator_service.drawing.bank import NAME as BUILTIN
from generator_service.drawing.bank import ObjectBank, load_bank, report
from generator_service.drawing.bank_file import CacheUnusable, Index
from generator_service.sealing.record import CLOSING, open_draws_of

NO_HOUSEHOLD = (
    "household bank: {why}; serving the built-in bank instead. To have it, give Debian's sweethome3d-furniture package "
    "or its .sh3f files by path: TETRAD_HOUSEHOLD_FROM=PATH make up"
)


class Refused(Exception):  # noqa: N818 - named for what went wrong
    """The command can't be carried out; `lines` say why and what to do."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__("; ".join(lines))
        self.lines = list(lines)


class BankLine(msgspec.Struct, frozen=True, kw_only=True):
    """One bank as the commands tell of it. `left_out`: the refused pictures that a mount went without."""

    name: str
    digest: str
    objects: int
    kinds: int
    chiral: int | None = None
    stretches: int | None = None
    credits: tuple[str, ...] = ()
    left_out: list[str] = []


def prepare(folder: Path, wanted: str, source: Path | None) -> BankLine:
    """Make sure that there is a bank to serve and say which: wanted, else household, else the built-in one.

    Household is built on first use. Where it can't be had it gives way to the built-in bank, unless it was wanted.

    Raises:
        Refused: the bank wanted is not there and can't be built.
    """
    shelf = Shelf(folder)
    name = wanted or HOUSEHOLD
    if name == BUILTIN:
        return _of_bank(load_bank(folder, progress=report))
    try:
        return _of_bank(shelf.open(name))
    except BankMissing as error:
        if name not in OURS:
            raise Refused([str(error)]) from error
    try:
        return _of_index(_drawn(shelf, name, source))
    except package.PackageUnavailable as error:
        if wanted:
            raise Refused([f"bank {name}: {error}; give the package or its .sh3f files by path"]) from error
        sys.stderr.write(NO_HOUSEHOLD.format(why=error) + "\n")
        return _of_bank(load_bank(folder, progress=report))


def build(folder: Path, name: str, source: Path | None) -> BankLine:
    """Draw one of our own banks anew.

    Raises:
        Refused: it is not ours, or its models can't be had.
    """
    if name == BUILTIN:
        return _of_bank(load_bank(folder, progress=report))
    if name not in OURS:
        raise Refused([f"{name!r} is no bank of ours; build one of {', '.join(OURS)}"])
    try:
        return _of_index(_drawn(Shelf(folder), name, source))
    except package.PackageUnavailable as error:
        raise Refused([f"bank {name}: {error}; give the package or its .sh3f files by path (--source)"]) from error


def add(folder: Path, path: Path, name: str, *, leave_out: bool = False) -> BankLine:
    """Mount pictures.

    Raises:
        Refused: the name is taken, there are no pictures, or some are refused: each by name, the first hundred.
    """
    try:
        mounted = mount_pictures(Shelf(folder), path, name, report, leave_out=leave_out)
    except PicturesRefused as error:
        raise Refused([*fault_lines(error.refusals), str(error)]) from error
    except (NameTaken, UnreadableSource, CacheUnusable) as error:
        raise Refused([str(error)]) from error
    return msgspec.structs.replace(_of_index(mounted.index), left_out=[str(one) for one in mounted.left_out])


def listed(folder: Path) -> list[BankLine]:
    """Return every bank that is kept, the newest of a name first."""
    kept = sorted(Shelf(folder).kept(), key=lambda each: (each[1].name, -each[1].made_at))
    return [_of_index(index) for _, index in kept]


def remove(folder: Path, name: str, record: str | None) -> BankLine:
    """Take a mounted bank away.

    Raises:
        Refused: there is none of this name, it is ours, or open draws need it.
    """
    found = [(place, index) for place, index in Shelf(folder).kept() if index.name == name]
    if name == BUILTIN or not found:
        raise Refused([f"bank {name!r} is not in {folder}, or is drawn by our own code and can't be removed"])
    needed = open_draws_of(record, {index.digest for _, index in found})
    if needed:
        raise Refused([f"{needed} open draws need bank {name!r}; {CLOSING}"])
    with bank_file.locked(folder):
        for place, _ in found:
            bank_file.remove(place)
    return _of_index(found[-1][1])


def _drawn(shelf: Shelf, name: str, source: Path | None) -> Index:
    from generator_service.banks.household import building  # noqa: PLC0415 -- reading meshes takes a library of its own

    return building.build(shelf, name, source, report)


def _of_bank(bank: ObjectBank) -> BankLine:
    return BankLine(
        name=bank.name,
        digest=bank.digest,
        objects=len(bank.objects),
        kinds=len({one.kind for one in bank.objects}),
        chiral=sum(one.chiral for one in bank.objects),
        stretches=sum(one.stretches for one in bank.objects),
        credits=bank.credits,
    )


def _of_index(index: Index) -> BankLine:
    kinds = {entry.kind for entry in index.entries}
    return BankLine(
        name=index.name, digest=index.digest, objects=len(index.entries), kinds=len(kinds), credits=index.credits
    )
