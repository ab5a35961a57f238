"""The built-in object bank of KiVA: 16 kinds x 64 variants, drawn once, kept on disk, read by many processes."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from generator_service.drawing import bank_file, bank_maker
from generator_service.drawing.canvas import Picture
from generator_service.drawing.visibility import THRESHOLD, Appearance

NAME = "built-in"


@dataclass(frozen=True, kw_only=True)
class ObjectRecord:
    """One thing; `chiral`: its picture clearly differs from its mirror image, however that is turned."""

    id: str  # "teapot-07"
    kind: str
    variant: int
    chiral: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class ObjectBank:
    """Objects, how to get their pictures, and what can be told apart of each.

    `digest` is a SHA-256 over ids and decoded pixels, the same on every machine. `read` returns a picture by id;
    `visibility` is the table by id: a bank of an operator's own pictures is made of the same parts.
    """

    name: str
    version: int
    objects: tuple[ObjectRecord, ...]
    digest: str
    read: Callable[[str], Picture]
    visibility: Mapping[str, Appearance]

    def picture(self, object_id: str) -> Picture:
        """Return the RGBA picture (256, 256, 4), read-only; KeyError for an unknown id."""
        return self.read(object_id)

    def difference(self, object_id: str, state_a: str, state_b: str) -> int:
        """Return the permille of the object's area that differs between two states of `visibility.STATES`."""
        return self.visibility[object_id].difference(state_a, state_b)

    def visible(self, object_id: str, state_a: str, state_b: str) -> bool:
        """Tell whether a viewer sees the two states as different."""
        return self.difference(object_id, state_a, state_b) >= THRESHOLD

    def area(self, object_id: str) -> int:
        """Return the permille of the canvas that the object covers."""
        return self.visibility[object_id].area


def load_bank(
    cache_folder: Path,
    *,
    progress: Callable[[int, int], None] | None = None,
    kinds: int | None = None,
    variants: int = bank_maker.VARIANTS,
) -> ObjectBank:
    """Open the bank in the folder; draw it first where it is absent or damaged, or the drawing code has changed.

    `progress` is told (done, of) while drawing. `kinds` and `variants` ask for the first few only, for tests.
    """
    plan = bank_maker.plan(kinds, variants)
    with bank_file.locked(cache_folder):
        # The lock is held while drawing: a second process waits for the first one's bank instead of drawing its own.
        stored = bank_file.find(cache_folder, plan.key)
        if stored is None:
            bank_file.store(cache_folder, plan.key, bank_maker.draw_all(plan, progress or _silent))
            stored = bank_file.find(cache_folder, plan.key)
    if stored is None:
        raise bank_file.CacheUnusable(f"the bank just written to {cache_folder} can't be read back: check the disk")
    return _bank(stored)


def _bank(stored: bank_file.StoredBank) -> ObjectBank:
    entries = stored.index.entries
    records = [
        ObjectRecord(id=entry.id, kind=entry.kind, variant=entry.variant, chiral=entry.appearance.chiral)
        for entry in entries
    ]
    return ObjectBank(
        name=NAME,
        version=bank_maker.VERSION,
        objects=tuple(records),
        digest=stored.index.digest,
        read=stored.picture,
        visibility={entry.id: entry.appearance for entry in entries},
    )


def _silent(_done: int, _total: int) -> None:
    """Report nothing."""


def _report(done: int, total: int) -> None:
    """Keep one line up to date on a terminal; elsewhere write a line for each eighth of the work."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\rdrawing objects: {done} of {total}{chr(10) if done == total else ''}")
    elif done * 8 // total > (done - 1) * 8 // total:
        sys.stderr.write(f"drawing objects: {done} of {total}\n")


def main(arguments: list[str]) -> int:
    """Build the bank in a folder and say where it stands."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m generator_service.drawing.bank FOLDER\n")
        return 2
    bank = load_bank(Path(arguments[0]), progress=_report)
    sys.stdout.write(f"{bank.name} bank, version {bank.version}: {len(bank.objects)} objects, digest {bank.digest}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
