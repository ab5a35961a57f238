"""Draw a contact sheet of the bank: every kind, some variants each, labelled, on white."""

import sys
from argparse import ArgumentParser
from pathlib import Path

from PIL import Image, ImageDraw

from generator_service.drawing.bank_maker import VARIANTS, draw
from generator_service.drawing.kinds import KINDS

_CELL = 96
_COLOURS = 192  # colours of the sheet's palette: these pictures are kept in the repository
_MARGIN = 110


def sheet(columns: int, first: int = 0) -> Image.Image:
    """Lay out one row a kind with variants `first` onwards; draws them afresh, without a cache."""
    page = Image.new("RGB", (_MARGIN + columns * _CELL, len(KINDS) * _CELL), "white")
    pen = ImageDraw.Draw(page)
    for row, kind in enumerate(KINDS):
        pen.text((10, row * _CELL + _CELL // 2), kind.name, fill="black")
        for column in range(columns):
            picture = Image.fromarray(draw(kind.name, (first + column) % VARIANTS))
            small = picture.resize((_CELL, _CELL), Image.Resampling.LANCZOS)
            page.paste(small, (_MARGIN + column * _CELL, row * _CELL), small)
    return page


def main(arguments: list[str]) -> int:
    """Write the sheet."""
    parser = ArgumentParser(prog="python -m generator_service.drawing.gallery", description=__doc__)
    parser.add_argument("out", type=Path, help="the PNG file to write")
    parser.add_argument("--columns", type=int, default=8, help="variants of each kind")
    parser.add_argument("--first", type=int, default=0, help="the first variant")
    chosen = parser.parse_args(arguments)
    sheet(chosen.columns, chosen.first).quantize(_COLOURS).save(chosen.out, "PNG", optimize=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
