"""Forms whose panels are sets of strokes or cells, so that two can be laid over each other."""

from generator_service.benchmarks.marvel.forms.board import cell_middle, grid
from generator_service.benchmarks.marvel.forms.form import (
    ANY_SORTS,
    Detail,
    Field,
    Form,
    Reading,
    count_details,
    draw_figure,
    shape_trait,
)
from generator_service.benchmarks.marvel.forms.symmetric import Tally, tally
from generator_service.benchmarks.marvel.forms.words import CLOCK, cell_words, list_words
from generator_service.benchmarks.marvel.rules.laws import NUMBER, SET
from generator_service.benchmarks.marvel.spec import ABSTRACT, GEOMETRIC, Look, Panel
from generator_service.drawing.vector import BLACK, GREY, MIDDLE, Pen, Point, polar, sine


def bits_of(mask: int) -> list[int]:
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]


def _read_count() -> tuple[Reading, ...]:
    return (Reading("count", NUMBER, lambda _, values: values[0].bit_count()),)


def _size(_: Look, panel: Panel) -> int:
    return panel.values[0].bit_count()


def _presence(bits: int, ask: str, words: tuple[str, str], names: list[str]) -> tuple[Detail, ...]:
    """Return a detail for each bit, which asks whether it is there."""
    return tuple(_bit_detail(bit, ask.format(name=names[bit]), words) for bit in range(bits))


def _bit_detail(bit: int, ask: str, words: tuple[str, str]) -> Detail:
    return Detail(
        kind="location",
        ask=lambda _: ask,
        answer=lambda _, value: words[value],
        of=lambda _, panel: panel.values[0] >> bit & 1,
    )


def _cell_names() -> list[str]:
    return [cell_words(cell, 3).replace(", column", " column") for cell in range(9)]


def _mosaic(pen: Pen, look: Look, panel: Panel) -> None:
    grid(pen, 3)
    for cell in bits_of(panel.values[0]):
        draw_figure(pen, look, 0, cell_middle(cell % 3, cell // 3, 3), 105, shade=BLACK)


MOSAIC = Form(
    name="mosaic",
    fields=(Field("mask", SET, 1, (1 << 9) - 1),),
    readings=(*_read_count(), Reading("empty cells", NUMBER, lambda _, values: 9 - values[0].bit_count())),
    sorts=ANY_SORTS,
    draw=_mosaic,
    describe=lambda look, panel: (
        f"A grid of three by three cells with a black {look.sorts[0]} in "
        f"{list_words([_cell_names()[cell] for cell in bits_of(panel.values[0])])}; the other cells are empty."
    ),
    details=(
        *count_details("filled cells", _size),
        *_presence(9, "Is the cell in {name} of choice {{choice}} {{a}} or {{b}}?", ("empty", "filled"), _cell_names()),
    ),
    traits=(shape_trait(0, "in the cells of", ANY_SORTS),),
)

# Twelve strokes between the nine points of a square lattice: six across, six down.
_ACROSS = [((column, row), (column + 1, row)) for row in range(3) for column in range(2)]
_DOWN = [((column, row), (column, row + 1)) for row in range(2) for column in range(3)]
LATTICE_STROKES = (*_ACROSS, *_DOWN)


def _lattice_names() -> list[str]:
    rows, columns = ("top", "middle", "bottom"), ("left", "middle", "right")
    across = [f"the {('left', 'right')[c]} half of the {rows[r]} line" for r in range(3) for c in range(2)]
    down = [f"the {('upper', 'lower')[r]} half of the {columns[c]} upright" for r in range(2) for c in range(3)]
    return [*across, *down]


def _tally(mask: int) -> Tally:
    return tally(frozenset(frozenset(LATTICE_STROKES[bit]) for bit in bits_of(mask)))


def _pieces(_: Look, values: tuple[int, ...]) -> int:
    return _tally(values[0]).pieces


def _regions(_: Look, values: tuple[int, ...]) -> int:
    return _tally(values[0]).regions


def _bend_stroke(a: Point, b: Point, look: Look) -> list[Point]:
    """Draw a stroke straight, or bowed for abstract panels."""
    if look.shape == GEOMETRIC:
        return [a, b]
    dx, dy = b[0] - a[0], b[1] - a[1]
    bows = [(step / 12, 0.13 * sine(360 * step / 12)) for step in range(13)]
    return [(a[0] + dx * along - dy * off, a[1] + dy * along + dx * off) for along, off in bows]


def _lattice(pen: Pen, look: Look, panel: Panel) -> None:
    at = [[(170.0 + 330 * column, 170.0 + 330 * row) for row in range(3)] for column in range(3)]
    for column in at:
        for point in column:
            pen.disc(point, 20, GREY)
    for bit in bits_of(panel.values[0]):
        (c, r), (d, s) = LATTICE_STROKES[bit]
        pen.line(_bend_stroke(at[c][r], at[d][s], look), width=26, smooth=look.shape == ABSTRACT)


LATTICE = Form(
    name="lattice",
    fields=(Field("mask", SET, 1, (1 << 12) - 1),),
    readings=(*_read_count(), Reading("pieces", NUMBER, _pieces), Reading("closed regions", NUMBER, _regions)),
    draw=_lattice,
    describe=lambda look, panel: (
        f"Nine points in three rows; {('wavy', 'straight')[look.shape == GEOMETRIC]} strokes join "
        f"{list_words([_lattice_names()[bit] for bit in bits_of(panel.values[0])])}."
    ),
    details=(
        *count_details("strokes", _size),
        *_presence(12, "In choice {{choice}}, is {name} {{a}} or {{b}}?", ("missing", "drawn"), _lattice_names()),
    ),
)


def _spokes(pen: Pen, look: Look, panel: Panel) -> None:
    pen.circle(MIDDLE, 445, width=10)
    for spoke in bits_of(panel.values[0]):
        pen.line(_bend_stroke(MIDDLE, polar(MIDDLE, 310, 45 * spoke), look), width=20, smooth=look.shape == ABSTRACT)
        draw_figure(pen, look, 0, polar(MIDDLE, 340, 45 * spoke), 72, shade=BLACK)
    pen.disc(MIDDLE, 34)


def _spokes_words(look: Look, panel: Panel) -> str:
    """Join the words of each direction by a hyphen. "Up, down and right" might mean two directions or three."""
    ways = [CLOCK[bit].replace(" and ", "-") for bit in bits_of(panel.values[0])]
    if len(ways) == 1:
        return f"Inside a circle, one spoke points from the middle {ways[0]}, ending in a black {look.sorts[0]}."
    return f"Inside a circle, spokes point from the middle {list_words(ways)}, each ending in a black {look.sorts[0]}."


SPOKES = Form(
    name="spokes",
    fields=(Field("mask", SET, 1, (1 << 8) - 1),),
    readings=_read_count(),
    sorts=ANY_SORTS,
    draw=_spokes,
    describe=_spokes_words,
    details=(
        *count_details("spokes", _size),
        *_presence(
            8,
            "In choice {{choice}}, is the spoke that points {name} {{a}} or {{b}}?",
            ("missing", "drawn"),
            list(CLOCK),
        ),
    ),
    traits=(shape_trait(0, "at the ends of the spokes of", ANY_SORTS),),
)
