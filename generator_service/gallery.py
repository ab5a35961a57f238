"""Contact sheets for people: one row an item, for every benchmark. `python -m generator_service.gallery FOLDER`."""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

from generator_service.benchmark import PictureArray
from generator_service.drawing.canvas import flatten
from generator_service.draws import Draw
from generator_service.items import make_item
from generator_service.registry import Mounted, find_benchmarks, mount

SEED = "12"
MARGIN = 14
SEARCHED = 2_000  # places of a draw
SCALE = 2  # pictures are shown at half their size


def sheet(mounted: Mounted) -> Image.Image:
    """Draw one item for each value of the card's first filter: the pictures of its last question, in order."""
    card = mounted.benchmark.card
    track = card.tracks[0]
    identity = mounted.identity(track.name, track.settings[0], {})
    draw = Draw(mounted.benchmark, identity, SEED)
    facet = next(iter(card.filters))
    places = _first_places(draw, facet)
    return _stacked([_row(mounted, draw, places[value]) for value in card.filters[facet] if value in places])


def _first_places(draw: Draw, facet: str) -> dict[str, int]:
    """Return where each value comes first; a value of another track comes nowhere."""
    places: dict[str, int] = {}
    for index in range(SEARCHED):
        places.setdefault(draw.cell(index)[facet], index)
    return places


def _row(mounted: Mounted, draw: Draw, index: int) -> PictureArray:
    item = make_item(mounted, draw, index)
    names = [picture.name for picture in item.questions[-1].question.pictures]
    shown = [flatten(mounted.benchmark.render(mounted.bank, item.scene, name), "white") for name in names]
    height = max(picture.shape[0] for picture in shown)
    gap = np.full((height, 3 * MARGIN, 4), 255, dtype=np.uint8)
    parts = [part for picture in shown for part in (_padded(picture, height), gap)]
    return np.concatenate(parts[:-1], axis=1)


def _padded(picture: PictureArray, height: int) -> PictureArray:
    return np.pad(picture, ((0, height - picture.shape[0]), (0, 0), (0, 0)), constant_values=255)


def _stacked(rows: list[PictureArray]) -> Image.Image:
    width = max(row.shape[1] for row in rows) + 2 * MARGIN
    height = sum(row.shape[0] + 2 * MARGIN for row in rows)
    canvas = Image.new("RGB", (width, height), "white")
    top = MARGIN
    for row in rows:
        canvas.paste(Image.fromarray(row).convert("RGB"), (MARGIN, top))
        top += row.shape[0] + 2 * MARGIN
    return canvas.resize((width // SCALE, height // SCALE), Image.Resampling.LANCZOS)


def main(folder: str, bank_folder: str = "var/bank") -> None:
    """Write one sheet a benchmark, in 256 colours: these pictures live in the repository."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for mounted in mount(find_benchmarks(), Path(bank_folder)).all():
        path = Path(folder) / f"{mounted.benchmark.name}.png"
        sheet(mounted).quantize(256).save(path, optimize=True)
        sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
