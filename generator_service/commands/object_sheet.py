"""A contact sheet of a bank on disk: one object a kind, labelled, on white, and the credits it asks for beneath."""

import sys
from argparse import ArgumentParser
from pathlib import Path

from PIL import Image, ImageDraw

from generator_service.drawing.bank import ObjectBank, ObjectRecord
from generator_service.sources.objects import open_bank
from generator_service.sources.store import SourceMissingError, of_folder

_CELL = 96
_LABEL = 14
_COLUMNS = 12
_LINE = 12
_COLOURS = 192  # of the sheet's palette: these pictures live in the repository


def sheet(bank: ObjectBank, number: int = 0) -> Image.Image:
    """Lay out one object of each kind, the one with this number among the kind's own."""
    by_kind: dict[str, list[ObjectRecord]] = {}
    for record in bank.objects:
        by_kind.setdefault(record.kind, []).append(record)
    shown = [records[number % len(records)] for _, records in sorted(by_kind.items())]
    rows = -(-len(shown) // _COLUMNS)
    height = rows * (_CELL + _LABEL)
    page = Image.new("RGB", (_COLUMNS * _CELL, height + _LINE * len(bank.credits)), "white")
    pen = ImageDraw.Draw(page)
    for place, record in enumerate(shown):
        left, top = place % _COLUMNS * _CELL, place // _COLUMNS * (_CELL + _LABEL)
        small = Image.fromarray(bank.picture(record.id)).resize((_CELL, _CELL), Image.Resampling.LANCZOS)
        page.paste(small, (left, top + _LABEL), small)
        pen.text((left + 2, top + 1), record.kind[:16], fill="black")
    for line, credit in enumerate(bank.credits):
        pen.text((2, height + line * _LINE), credit, fill="black")
    return page


def main(arguments: list[str]) -> int:
    """Write the sheet of a bank. A bank that is not there is reported, and is no error."""
    parser = ArgumentParser(prog="python -m generator_service.commands.object_sheet", description=__doc__)
    parser.add_argument("folder", type=Path, help="the folder of the store")
    parser.add_argument("name", help="the bank's name")
    parser.add_argument("out", type=Path, help="the PNG file to write")
    parser.add_argument("--number", type=int, default=0, help="which object of each kind")
    chosen = parser.parse_args(arguments)
    try:
        bank = open_bank(of_folder(chosen.folder), chosen.name)
    except SourceMissingError as error:
        sys.stderr.write(f"no sheet of {chosen.name}: {error}\n")
        return 0
    sheet(bank, chosen.number).quantize(_COLOURS).save(chosen.out, "PNG", optimize=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
