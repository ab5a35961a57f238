"""Forms of quantities: panels that hold a number of things, at places that each panel draws by chance."""

from generator_service.benchmarks.marvel.forms.board import cell_middle, grid
from generator_service.benchmarks.marvel.forms.form import (
    BLOBS,
    MARKERS,
    Field,
    Form,
    Reading,
    color_trait,
    count_details,
    count_of,
    draw_figure,
    field_value,
    name_colored,
    shade_of,
    shade_word,
    shape_trait,
)
from generator_service.benchmarks.marvel.forms.words import cell_words, list_words
from generator_service.benchmarks.marvel.rules.laws import NUMBER
from generator_service.benchmarks.marvel.spec import ABSTRACT, GEOMETRIC, Look, Panel
from generator_service.cache_budget import cache_within_budget
from generator_service.drawing.outlines2d import regular, star
from generator_service.drawing.vector import BLACK, MIDDLE, WHITE, Pen, Point, move_path, polar, sine
from tetrad.streams import Stream

SCATTER_WIDTH = 14  # width of scattered figures' outlines
_CLEAR = 16.0  # from a figure to the middle line of two places: half an outline's width, and a gap
MOST = 13


def chance(panel: Panel, purpose: str) -> Stream:
    """Return the panel's own random stream, for everything that no rule reads."""
    return Stream("tetrad/marvel/panel", 1, purpose, panel.seed)


@cache_within_budget(8192)
def spots(panel: Panel, count: int) -> tuple[Point, ...]:
    """Scatter places on a jittered grid, so that figures never touch."""
    across = 3 if count <= 7 else 4  # noqa: PLR2004 - nine places leave room for seven
    stream, pitch = chance(panel, "spots"), 860 / across
    free = pitch / 2 - figure_reach(count) - _CLEAR
    cells = stream.sample(range(across * across), count)
    return tuple(
        (
            70 + pitch * (cell % across + 0.5) + free * (stream.below(201) - 100) / 100,
            70 + pitch * (cell // across + 0.5) + free * (stream.below(201) - 100) / 100,
        )
        for cell in cells
    )


def figure_reach(count: int) -> float:
    return 105.0 if count <= 7 else 80.0  # noqa: PLR2004 - as the grid above


def _scatter(pen: Pen, look: Look, panel: Panel) -> None:
    count = panel.values[0]
    for at in spots(panel, count):
        draw_figure(pen, look, 0, at, figure_reach(count), shade=shade_of(look, 0), width=SCATTER_WIDTH)


_ANY = {GEOMETRIC: (*MARKERS, "pentagon", "hexagon", "house"), ABSTRACT: BLOBS}


SCATTER = Form(
    name="scatter",
    fields=(Field("count", NUMBER, 1, MOST),),
    sorts=_ANY,
    scattered=True,  # where figures lie
    draw=_scatter,
    describe=lambda look, panel: (
        f"{count_of(panel.values[0], name_colored(look, 0, 0))}{', scattered' * (panel.values[0] > 1)}.".capitalize()
    ),
    details=count_details("figures"),
    traits=(color_trait(0, 0, "every"), shape_trait(0, "in", _ANY)),
)


def _two_sorts(pen: Pen, look: Look, panel: Panel) -> None:
    first, second = panel.values
    for number, at in enumerate(spots(panel, first + second)):
        slot = 0 if number < first else 1
        draw_figure(
            pen, look, slot, at, figure_reach(first + second), shade=BLACK if slot else WHITE, width=SCATTER_WIDTH
        )


TWO_SORTS = Form(
    name="two sorts",
    fields=(Field("white", NUMBER, 1, 6), Field("black", NUMBER, 1, 6)),
    readings=(Reading("all", NUMBER, lambda _, values: values[0] + values[1]),),
    sorts=_ANY,
    slots=2,
    scattered=True,  # where figures lie
    draw=_two_sorts,
    describe=lambda look, panel: (
        f"{count_of(panel.values[0], f'white {look.sorts[0]}')} and "
        f"{count_of(panel.values[1], f'black {look.sorts[1]}')}, scattered."
    ).capitalize(),
    details=(*count_details("white figures"), *count_details("black figures", field_value(1))),
    traits=(shape_trait(0, "in", _ANY),),
)


def _star(points: int) -> tuple[Point, ...]:
    """Draw a star. With three points they are longer: at the usual length it would be a plain triangle."""
    return star(points, 0.3 if points == 3 else 0.5)  # noqa: PLR2004 - the fewest points


def _polygon(pen: Pen, look: Look, panel: Panel) -> None:
    corners = panel.values[0]
    turn = chance(panel, "turn").below(360)
    if look.shape == GEOMETRIC:
        figure = move_path(_star(corners) if look.ground else regular(corners), MIDDLE, 400, turn)
        pen.outline(figure, shade=shade_of(look, 0))
        for corner in () if look.ground else figure:
            pen.disc(corner, 34)  # a viewer can still count seven corners and eight
        return
    steps = 16 * corners
    waves = [
        polar(MIDDLE, 310 + 90 * sine(corners * 360 * step / steps), 360 * step / steps + turn) for step in range(steps)
    ]
    pen.outline(waves, shade=shade_of(look, 0), smooth=True)


def _corner_noun(look: Look) -> str:
    return "lobe" if look.shape == ABSTRACT else "point" if look.ground else "corner"


def _polygon_noun(look: Look) -> str:
    return "a wavy blob" if look.shape == ABSTRACT else "a star" if look.ground else "a regular polygon"


POLYGON = Form(
    name="polygon",
    fields=(Field("corners", NUMBER, 3, 9),),
    grounds=(0, 1),
    scattered=True,  # how the figure is turned
    draw=_polygon,
    describe=lambda look, panel: (
        f"{_polygon_noun(look)} with {count_of(panel.values[0], _corner_noun(look))}, "
        f"filled {shade_word(look.fills[0])}."
    ).capitalize(),
    details=count_details(lambda look: f"{_corner_noun(look)}s"),
)


def fill_tiles(panel: Panel, across: int = 4) -> tuple[int, ...]:
    """Return the filled cells: as many as the panel counts, anywhere."""
    return tuple(sorted(chance(panel, "tiles").sample(range(across * across), panel.values[0])))


def _tiles(pen: Pen, look: Look, panel: Panel) -> None:
    grid(pen, 4)
    for cell in fill_tiles(panel):
        draw_figure(pen, look, 0, cell_middle(cell % 4, cell // 4, 4), 80, shade=BLACK)


TILES = Form(
    name="tiles",
    fields=(Field("count", NUMBER, 1, 12),),
    readings=(Reading("empty cells", NUMBER, lambda _, values: 16 - values[0]),),
    sorts=_ANY,
    scattered=True,  # which cells hold a figure
    draw=_tiles,
    describe=lambda look, panel: (
        f"A grid of four by four cells, {count_of(panel.values[0], 'cell')} holding a black {look.sorts[0]}: "
        f"{list_words([cell_words(cell, 4) for cell in fill_tiles(panel)]).replace(', column', ' column')}."
    ),
    details=count_details("filled cells"),
    traits=(shape_trait(0, "in the cells of", _ANY),),
)
