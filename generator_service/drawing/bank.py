"""What an object bank is, wherever its pictures come from, and the built-in one: drawn once, read by many processes."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from generator_service.drawing import bank_file, bank_maker
from generator_service.drawing.canvas import Picture
from generator_service.drawing.parallel import Progress
from generator_service.drawing.visibility import SEEN, THRESHOLD, Appearance, measure

NAME = "builtin"


@dataclass(frozen=True, kw_only=True)
class ObjectRecord:
    """One thing; `chiral`: its picture clearly differs from its mirror image, however that is turned.

    `stretches`: stretched along one axis it is seen to be that, and not to be turned as well.
    `group` is the folder that an operator's picture came from; "" in banks that we draw.
    """

    id: str  # "teapot-07"
    kind: str
    variant: int
    chiral: bool
    stretches: bool
    group: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class ObjectBank:
    """The port: objects, how to get their pictures, and what can be told apart of each.

    `digest` is a SHA-256 over ids and decoded pixels, the same on every machine; it, not the name, is what an item's
    identity holds. `read` returns a picture by id; `visibility` is the table by id, measured from the pixels.
    `credits` are lines that the pictures' licences ask to show with them.
    """

    name: str
    objects: tuple[ObjectRecord, ...]
    digest: str
    read: Callable[[str], Picture]
    visibility: Mapping[str, Appearance]
    credits: tuple[str, ...] = ()

    def picture(self, object_id: str) -> Picture:
        """Return the RGBA picture (256, 256, 4), read-only; KeyError for an unknown id."""
        return self.read(object_id)

    def difference(self, object_id: str, state_a: str, state_b: str) -> int:
        """Return the permille of the object's area that differs between two states of `visibility.STATES`."""
        return self.visibility[object_id].difference(state_a, state_b)

    def visible(self, object_id: str, state_a: str, state_b: str) -> bool:
        """Tell whether a viewer sees the two states as different."""
        return self.difference(object_id, state_a, state_b) >= THRESHOLD

    def stands_out(self, object_id: str, state: str, backdrop: str) -> bool:
        """Tell whether at least half of the object is seen on "black" or "white", "plain" or in a color state."""
        return self.visibility[object_id].shows(state, backdrop) >= SEEN

    def area(self, object_id: str) -> int:
        """Return the permille of the canvas that the object covers."""
        return self.visibility[object_id].area


def load_bank(
    cache_folder: Path,
    *,
    progress: Progress | None = None,
    kinds: int | None = None,
    variants: int = bank_maker.VARIANTS,
) -> ObjectBank:
    """Open the built-in bank in the folder; draw it where it is absent or damaged, or the drawing code has changed.

    `progress` is told (done, of) while drawing. `kinds` and `variants` ask for the first few only, for tests.
    """
    plan = bank_maker.plan(kinds, variants)
    place = bank_file.Place(cache_folder, NAME, plan.key)
    bank = open_bank(place)
    if bank is None:
        with bank_file.locked(cache_folder):
            # Held while drawing: a second process waits for the first one's bank instead of drawing its own.
            if bank_file.find(place) is None:
                bank_file.store(place, bank_maker.draw_all(plan, progress or silent))
        bank = open_bank(place)
    if bank is None:
        raise bank_file.CacheUnusable(f"the bank just written to {cache_folder} can't be read back: check the disk")
    return bank


def open_bank(place: bank_file.Place) -> ObjectBank | None:
    """Open a bank on disk, measuring it first where the present code has not; None where it is absent or damaged.

    Takes no lock, so that who serves a bank never waits for one that is being drawn: files are replaced whole.
    """
    stored = bank_file.find(place)
    if stored is None:
        return None
    tables = bank_file.find_tables(place)
    if tables is None or tables.keys() != stored.places.keys():
        tables = {name: measure(stored.picture(name)) for name in stored.places}
        bank_file.store_tables(place, tables)
    return ObjectBank(
        name=stored.index.name,
        objects=tuple(_record(entry, tables[entry.id]) for entry in stored.index.entries),
        digest=stored.index.digest,
        read=stored.picture,
        visibility=tables,
        credits=stored.index.credits,
    )


def _record(entry: bank_file.Entry, table: Appearance) -> ObjectRecord:
    return ObjectRecord(
        id=entry.id,
        kind=entry.kind,
        variant=entry.variant,
        chiral=table.chiral,
        stretches=table.stretches,
        group=entry.group,
    )


def silent(_done: int, _total: int) -> None:
    """Report nothing."""


def report(done: int, total: int) -> None:
    """Keep one line up to date on a terminal; elsewhere write a line for each eighth of the work."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\rdrawing objects: {done} of {total}{chr(10) if done == total else ''}")
    elif done * 8 // total > (done - 1) * 8 // total:
        sys.stderr.write(f"drawing objects: {done} of {total}\n")


def main(arguments: list[str]) -> int:
    """Draw the built-in bank into a folder and say where it stands."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m generator_service.drawing.bank FOLDER\n")
        return 2
    bank = load_bank(Path(arguments[0]), progress=report)
    sys.stdout.write(f"{bank.name} bank: {len(bank.objects)} objects, digest {bank.digest}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
