"""Forms of temporal movement: figures, rings of beads and hands that turn, and patches that shift."""

from collections.abc import Callable

from generator_service.benchmarks.marvel.forms.board import cell_middle, grid
from generator_service.benchmarks.marvel.forms.figures import block_figures, four_figures, mirror_cells, normal
from generator_service.benchmarks.marvel.forms.form import (
    ROUND_BLOBS,
    SOLID_SORTS,
    Detail,
    Field,
    Form,
    Reading,
    Trait,
    draw_figure,
    field_value,
    shape_trait,
    with_article,
)
from generator_service.benchmarks.marvel.forms.words import CLOCK, clock_words, list_words
from generator_service.benchmarks.marvel.rules.laws import CYCLE, NUMBER, SORT
from generator_service.benchmarks.marvel.spec import ABSTRACT, GEOMETRIC, Look, Panel
from generator_service.drawing.vector import BLACK, MIDDLE, WHITE, Pen, polar


def _pointer(pen: Pen, look: Look, panel: Panel) -> None:
    figure, turn = panel.values
    four_figures(look)[figure].draw(pen, 45 * turn)


def _pointer_words(look: Look, panel: Panel) -> str:
    figure, turn = panel.values
    cells = four_figures(look)[figure]
    return f"{cells.words} The whole is turned so that its top points {CLOCK[turn]}."


_FIGURE = {GEOMETRIC: "arrow", ABSTRACT: "block figure"}

POINTER = Form(
    name="pointer",
    fields=(Field("figure", SORT, 0, 3), Field("turn", CYCLE, 0, 7)),
    slots=2,
    draw=_pointer,
    describe=_pointer_words,
    details=(
        Detail(
            kind="location",
            ask=lambda _: "Does the top of the figure point {a} or {b} in choice {choice}?",
            answer=lambda _, value: CLOCK[value],
            of=lambda look, panel: panel.values[1] if look.shape == GEOMETRIC else 0,
        ),
    ),
    traits=(
        Trait(
            kind="color",
            ask=lambda look: f"Is the {_FIGURE[look.shape]} in choice {{choice}} {{a}} or {{b}}?",
            true=lambda look: _figure_shade(look, look.fills[0]),
            others=lambda look: (_figure_shade(look, 1 - look.fills[0]),),
        ),
    ),
)


def _figure_shade(look: Look, fill: int) -> str:
    """Return the shade: black or white for arrows, black or grey for block figures."""
    return "black" if fill else "white" if look.shape == GEOMETRIC else "grey"


_CHIRAL = ((0, 1, 3), (0, 1, 2, 4))  # rings of eight beads, neither of which is a turn of its mirror image


def necklace(figure: int, turn: int) -> tuple[int, ...]:
    """Return the places of black beads, clockwise from the top."""
    base = _CHIRAL[figure // 2]
    places = [(-place) % 8 for place in base] if figure % 2 else list(base)
    return tuple(sorted((place + turn) % 8 for place in places))


def _beads(pen: Pen, look: Look, panel: Panel) -> None:
    black = necklace(*panel.values)
    pen.circle(MIDDLE, 350, width=8)
    for place in range(8):
        draw_figure(
            pen, look, 0, polar(MIDDLE, 350, 45 * place), 92, shade=BLACK if place in black else WHITE, width=14
        )


_FAR_RIGHT = 2
_BEAD = {GEOMETRIC: ("circle", "square", "hexagon", "diamond", "pentagon"), ABSTRACT: ROUND_BLOBS}

BEADS = Form(
    name="beads",
    fields=(Field("figure", SORT, 0, 3), Field("turn", CYCLE, 0, 7)),
    readings=(Reading("black", NUMBER, lambda _, values: len(_CHIRAL[values[0] // 2])),),
    sorts=_BEAD,
    draw=_beads,
    describe=lambda look, panel: (
        f"A ring of eight beads, each {with_article(look.sorts[0])}; the black ones stand "
        + ", ".join(clock_words(place, 8) for place in necklace(*panel.values))
        + "; the other beads are white."
    ),
    details=(
        Detail(
            kind="color",
            ask=lambda _: "Is the bead at the very top {a} or {b} in choice {choice}?",
            answer=lambda _, value: ("white", "black")[value],
            of=lambda _, panel: int(0 in necklace(*panel.values)),
        ),
        Detail(
            kind="color",
            ask=lambda _: "Is the bead at the far right {a} or {b} in choice {choice}?",
            answer=lambda _, value: ("white", "black")[value],
            of=lambda _, panel: int(_FAR_RIGHT in necklace(*panel.values)),
        ),
    ),
    traits=(shape_trait(0, "among the beads of", _BEAD),),
)


def _hands(pen: Pen, look: Look, panel: Panel) -> None:
    long, short = panel.values[0], sum(panel.values) % 8
    draw_figure(pen, look, 0, MIDDLE, 450)
    pen.line([MIDDLE, polar(MIDDLE, 330, 45 * long)], width=20)
    pen.disc(polar(MIDDLE, 330, 45 * long), 40)
    pen.line([MIDDLE, polar(MIDDLE, 170, 45 * short)], width=44)
    pen.disc(MIDDLE, 30)


def _hand_detail(which: str, of: Callable[[Look, Panel], int]) -> Detail:
    return Detail(
        kind="location",
        ask=lambda _: f"Does the {which} hand point {{a}} or {{b}} in choice {{choice}}?",
        answer=lambda _, value: CLOCK[value],
        of=of,
    )


HANDS = Form(
    name="hands",
    fields=(Field("long", CYCLE, 0, 7), Field("gap", CYCLE, 0, 7)),
    readings=(Reading("short", CYCLE, lambda _, values: sum(values) % 8, lambda _: 8),),
    sorts={GEOMETRIC: ("circle", "hexagon"), ABSTRACT: ("jagged shape", "five-lobed blob")},
    draw=_hands,
    describe=lambda look, panel: (
        f"A dial shaped like {with_article(look.sorts[0])} with two hands: "
        f"the long thin one points {CLOCK[panel.values[0]]}, the short thick one points {CLOCK[sum(panel.values) % 8]}."
    ),
    details=(
        _hand_detail("long", field_value(0)),
        _hand_detail("short", lambda _, panel: sum(panel.values) % 8),
    ),
)


def patch_cells(look: Look, panel: Panel) -> list[tuple[int, int]]:
    """Return the filled cells of a five by five board as (row, column)."""
    figure, left, top = panel.values
    cells = block_figures(look.seed, 2, (2, 2))[figure // 2]
    shown = mirror_cells(cells) if figure % 2 else normal(cells)
    return sorted((y + top, x + left) for x, y in shown)


def _patch(pen: Pen, look: Look, panel: Panel) -> None:
    grid(pen, 5)
    for row, column in patch_cells(look, panel):
        draw_figure(pen, look, 0, cell_middle(column, row, 5), 68, shade=BLACK, width=12)


PATCH = Form(
    name="patch",
    fields=(Field("figure", SORT, 0, 3), Field("column", SORT, 0, 2), Field("row", SORT, 0, 2)),
    sorts=SOLID_SORTS,
    draw=_patch,
    describe=lambda look, panel: (
        f"A grid of five by five cells with a black {look.sorts[0]} in "
        f"{list_words([f'row {row + 1} column {column + 1}' for row, column in patch_cells(look, panel)])}."
    ),
    details=(
        Detail(
            kind="color",
            ask=lambda _: "Is the cell in the very middle of choice {choice} {a} or {b}?",
            answer=lambda _, value: ("empty", "filled")[value],
            of=lambda look, panel: int((2, 2) in patch_cells(look, panel)),
        ),
    ),
    traits=(shape_trait(0, "in the cells of", SOLID_SORTS),),
)
