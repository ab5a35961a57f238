"""Contact sheets for people, by track and way of showing: `python -m generator_service.proving.gallery`.

A row is an item: the pictures of its last question, in order; those of all questions where each is put by itself. The
page names each row and its right answer.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from generator_service.benchmark import PictureArray
from generator_service.drawing.canvas import flatten
from generator_service.draws import Draw
from generator_service.finding import RegistryError
from generator_service.items import Item, make_item
from generator_service.mounting import Mounted
from generator_service.parameters import IdentityError, is_taken, other_values
from generator_service.proving.choosing import add_arguments, choose
from tetrad.contracts.benchmarks import Track
from tetrad.contracts.items import DiagnosisKey, DrawIdentity
from tetrad.contracts.wire import ParameterValue

SEED = "12"
MARGIN = 14
SCALE = 3  # pictures are shown at a third of their size
LONGEST_SEARCH = 400
ROWS_OF_A_WAY = 2  # items that show a setting or a parameter's value


@dataclass(frozen=True)
class Row:
    """One item of a sheet, and what the page says of it. also: its value of the other filter, where there is one."""

    name: str
    item: Item
    pictures: list[PictureArray]
    also: str = ""

    @property
    def words(self) -> str:
        """Return the question's last line and its options, where these are words; else nothing."""
        question = self.item.questions[-1].question
        texts = [f"{option.label} {option.text}" for option in question.options if option.text and not option.picture]
        return f"{question.text.splitlines()[-1]} {' / '.join(texts)}" if texts else ""

    @property
    def key(self) -> str:
        key = self.item.questions[-1].key
        return key.final.label if isinstance(key, DiagnosisKey) else key.label


@dataclass(frozen=True)
class Sheet:
    """A picture of the gallery: its file's name, what it shows, and its rows."""

    stem: str
    title: str
    rows: list[Row]


def sheets(mounted: Mounted, by: str | None = None) -> Iterator[Sheet]:
    """Yield, for each track, an item for each value of a filter; one item where the card has no filter.

    Then one sheet for each other setting and parameter value. by: the filter; None is the card's first, and each value
    of the second beside it where the card has two.

    Raises:
        LookupError: the card has no such filter.
    """
    card = mounted.benchmark.card
    if by is not None and by not in card.filters:
        raise LookupError(f"{card.name} has no filter {by!r}; use one of {', '.join(card.filters)}")
    facet = by or next(iter(card.filters), None)
    for track in _served_tracks(mounted):
        draw = Draw(mounted.benchmark, mounted.identity(track.name, track.settings[0], {}), SEED)
        rows = [
            _row(mounted, draw, at, *shown) for shown, at in _firsts(draw, facet, track.name, pairs=by is None).items()
        ]
        stem = track.name if track.name.startswith(card.name) else f"{card.name}-{track.name}"
        yield Sheet(stem, f"{track.name}: {track.help}", rows)
    for setting, given in _ways(mounted):
        identity = _identity(mounted, setting, given)
        draw = Draw(mounted.benchmark, identity, SEED)
        told = ", ".join(f"{name}={value}" for name, value in given.items())
        names = [draw.cell(index)[facet] if facet else identity.track for index in range(ROWS_OF_A_WAY)]
        rows = [_row(mounted, draw, index, name) for index, name in enumerate(names)]
        stem = "-".join((card.name, setting, *(f"{name}-{value}" for name, value in given.items())))
        if all(row.pictures for row in rows):  # some settings are words alone
            yield Sheet(stem, f"{identity.track}, setting {setting}{', ' + told if told else ''}", rows)


def _served_tracks(mounted: Mounted) -> list[Track]:
    """Return the tracks that lack nothing."""
    return [track for track in mounted.benchmark.card.tracks if track.name not in mounted.lacking]


def _ways(mounted: Mounted) -> Iterator[tuple[str, dict[str, ParameterValue]]]:
    """Yield every setting but the first, then other values of parameters, in the first setting that takes them."""
    card, tracks = mounted.benchmark.card, _served_tracks(mounted)
    track, *_ = tracks
    yield from ((name, {}) for name in track.settings[1:])
    for parameter in card.parameters:
        for value in other_values(parameter, track.name):
            given = {parameter.name: value}
            places = ((track.name, name) for track in tracks for name in track.settings)
            yield next(name for where, name in places if is_taken(card, where, name, given)), given


def _identity(mounted: Mounted, setting: str, given: Mapping[str, ParameterValue]) -> DrawIdentity:
    """Return a draw of the last track, of the first one for the setting that the last track's own sheet shows.

    Where these don't take the setting or the parameters, it is of the first track that does.
    """
    *_, last = tracks = _served_tracks(mounted)
    for track in (*([] if setting == last.settings[0] else [last]), *tracks):
        try:
            return mounted.identity(track.name, setting, given)
        except IdentityError:
            continue
    raise LookupError(f"no track of {mounted.benchmark.name} takes setting {setting} with {dict(given)}")


def _firsts(draw: Draw, facet: str | None, track: str, *, pairs: bool) -> dict[tuple[str, str], int]:
    """Return the first item of each value of a filter, and what the page says of its value of the other one, if any.

    Without a filter it is the first item, named after the track. pairs: of each two values that go together.
    """
    filters = draw.benchmark.card.filters
    if facet is None:
        return {(track, ""): 0}
    others = [name for name in filters if name != facet]
    other = others[0] if len(others) == 1 else None
    found: dict[tuple[str, str], int] = {}
    for index in range(LONGEST_SEARCH):
        cell = draw.cell(index)
        shown = cell[facet], f", {other} {cell[other]}" if other else ""
        if cell[facet] in filters[facet] and (pairs or all(name != cell[facet] for name, _ in found)):
            found.setdefault(shown, index)
    return dict(sorted(found.items(), key=lambda entry: (list(filters[facet]).index(entry[0][0]), entry[0][1])))


def _row(mounted: Mounted, draw: Draw, index: int, name: str, also: str = "") -> Row:
    item = make_item(mounted, draw, index)
    setting = next(setting for setting in mounted.benchmark.card.settings if setting.name == draw.identity.setting)
    asked = item.questions if setting.apart else item.questions[-1:]
    names = [*dict.fromkeys(picture.name for keyed in asked for picture in keyed.question.pictures)]
    pictures = [flatten(mounted.benchmark.render(mounted.bank, item.scene, name), "white") for name in names]
    return Row(name, item, pictures, also)


def draw_sheet(sheet: Sheet) -> Image.Image:
    """Lay the rows out one below the other."""
    rows = [_join(row.pictures) for row in sheet.rows]
    width = max(row.shape[1] for row in rows) + 2 * MARGIN
    height = sum(row.shape[0] + 2 * MARGIN for row in rows)
    canvas = Image.new("RGB", (width, height), "lightgrey")
    top = MARGIN
    for row in rows:
        canvas.paste(Image.fromarray(row).convert("RGB"), (MARGIN, top))
        top += row.shape[0] + 2 * MARGIN
    return canvas.resize((width // SCALE, height // SCALE), Image.Resampling.LANCZOS)


def _join(shown: list[PictureArray]) -> PictureArray:
    height = max(picture.shape[0] for picture in shown)
    gap = np.full((height, 3 * MARGIN, 4), 211, dtype=np.uint8)
    parts = [part for picture in shown for part in (_pad(picture, height), gap)]
    return np.concatenate(parts[:-1], axis=1)


def _pad(picture: PictureArray, height: int) -> PictureArray:
    return np.pad(picture, ((0, height - picture.shape[0]), (0, 0), (0, 0)), constant_values=211)


def page(shown: list[tuple[Mounted, list[Sheet]]]) -> str:
    """Write the page that shows every sheet with the right answer of each row, and names the bank of its objects."""
    lines = [
        "# Gallery",
        "",
        "Written by `make gallery`; do not edit. Each row is an item: the pictures of its last question in order (of",
        "all questions where each is put by itself), those of solved examples beside its own. Above it stands the",
        "right answer: a letter counts the pictures after the first one, and the letter after the last is none of",
        "them; in some items nothing changes. A state is what the last picture shows once it is changed.",
    ]
    for mounted, found in shown:
        lines += ["", f"## {mounted.benchmark.card.title}"]
        lines += _drawn_from(mounted)
        for sheet in found:
            lines += [
                "",
                f"### {sheet.title}",
                "",
                *_lines_of(sheet),
                "",
                f"![{sheet.title}](gallery/{sheet.stem}.png)",
            ]
    return "\n".join(lines) + "\n"


def _lines_of(sheet: Sheet) -> list[str]:
    """Return what the page says of rows: names and right answers; a line each where there are words to be read."""
    names = [f"{row.name} ({row.key}{row.also})" for row in sheet.rows]
    if not any(row.words for row in sheet.rows):
        return [", ".join(names)]
    return [f"{place}. {name}: {row.words}" for place, (name, row) in enumerate(zip(names, sheet.rows, strict=True), 1)]


def _drawn_from(mounted: Mounted) -> list[str]:
    if mounted.bank is None:
        return []
    if "objects" not in mounted.heads:
        return ["", f"Objects of its own bank, `{mounted.bank_name}`."]
    return ["", f"Objects of the bank `{mounted.bank_name}`; an instance may serve another."]


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page and its pictures. Return 2 if there is no such benchmark.

    The pictures have 256 colours, because they are kept in the repository. The palette covers the range of all colours:
    a palette by median cut spends most colours on walls, and a wooden table gets red legs.
    """
    parser = argparse.ArgumentParser(prog="python -m generator_service.proving.gallery", description=__doc__)
    add_arguments(parser)
    parser.add_argument("--out", type=Path, help="where gallery.md and its pictures go; docs by default, for all")
    parser.add_argument("--by", help="the filter whose values are shown, such as steps; the card's first by default")
    given = parser.parse_args(arguments)
    if given.by is not None and given.out is None:
        sys.stderr.write("give --out FOLDER: docs/gallery.md shows every benchmark by its first filter\n")
        return 2
    if given.benchmark and given.out is None:
        sys.stderr.write("give --out FOLDER: docs/gallery.md holds all benchmarks, and would hold only those named\n")
        return 2
    try:
        asked_for = choose(given)
    except RegistryError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    shown, folder = [], given.out or Path("docs")
    Path(folder, "gallery").mkdir(parents=True, exist_ok=True)
    for benchmark, track, lacking in asked_for.unserved_tracks():
        sys.stderr.write(f"{benchmark.name}, track {track}: left out: {lacking}\n")
    for mounted in asked_for.newest():
        try:
            found = list(sheets(mounted, given.by))
        except LookupError as error:
            sys.stderr.write(f"{error}\n")
            return 2
        shown.append((mounted, found))
        for sheet in found:
            path = Path(folder, "gallery", f"{sheet.stem}.png")
            draw_sheet(sheet).quantize(method=Image.Quantize.MAXCOVERAGE, kmeans=1).save(path, optimize=True)
            sys.stdout.write(f"{path}\n")
    Path(folder, "gallery.md").write_text(page(shown), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
