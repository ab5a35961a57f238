"""The stage bank: rooms and wares, drawn once, kept on disk, put together in a moment."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from generator_service.drawing.bank_file import CacheUnusable, locked
from generator_service.drawing.stage import stage_file, stage_maker
from generator_service.drawing.stage.composing import Picture, composed
from generator_service.drawing.stage.layers import Layer
from generator_service.drawing.stage.stage_maker import RoomName, WareName
from generator_service.drawing.stage.views import VIEWS


@dataclass(frozen=True, kw_only=True, eq=False)
class StageBank:
    """Layers by name; `views` and `variants` say how many there are to draw from.

    `digest` is a SHA-256 over names and decoded layers, the same on every machine.
    """

    digest: str
    views: int
    variants: int
    read: Callable[[str], Layer]

    def room(self, name: RoomName) -> Layer:
        return self.read(str(name))

    def ware(self, name: WareName) -> Layer:
        return self.read(str(name))

    def picture(self, room: RoomName, wares: Sequence[WareName], shift: tuple[int, int]) -> Picture:
        """Return the picture (512, 512, 4), opaque; KeyError for a name the bank does not have."""
        return composed(self.room(room), [self.ware(name) for name in wares], shift)


def load_stage(
    cache_folder: Path,
    *,
    progress: Callable[[int, int], None] | None = None,
    views: int = len(VIEWS),
    variants: int = stage_maker.VARIANTS,
) -> StageBank:
    """Open the bank in the folder; draw it first where it is absent or damaged, or the drawing code has changed.

    `progress` is told (done, of) while drawing. `views` and `variants` ask for the first few only, for tests.
    """
    planned = stage_maker.plan(views, variants)
    stored = stage_file.find(cache_folder, planned.key)
    if stored is None:
        with locked(cache_folder):
            # Held while drawing: a second process waits for the first one's bank instead of drawing its own.
            stored = stage_file.find(cache_folder, planned.key)
            if stored is None:
                stage_file.store(cache_folder, planned.key, stage_maker.draw_all(planned, progress or _silent))
                stored = stage_file.find(cache_folder, planned.key)
    if stored is None:
        raise CacheUnusable(f"the bank just written to {cache_folder} can't be read back: check the disk")
    return StageBank(digest=stored.index.digest, views=views, variants=variants, read=stored.layer)


def _silent(_done: int, _total: int) -> None:
    """Report nothing."""


def report(done: int, total: int) -> None:
    """Write a line for each eighth of the work."""
    if done * 8 // total > (done - 1) * 8 // total:
        sys.stderr.write(f"drawing rooms and things: {done} of {total}\n")


def main(arguments: list[str]) -> int:
    """Build the bank in a folder and say where it stands."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m generator_service.drawing.stage.stage_bank FOLDER\n")
        return 2
    bank = load_stage(Path(arguments[0]), progress=report)
    sys.stdout.write(f"stage bank, version {stage_maker.VERSION}: digest {bank.digest}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
