"""Forms of 2d-geometry: figures of a given symmetry."""

from collections.abc import Callable

from generator_service.benchmarks.marvel.forms.counting import chance
from generator_service.benchmarks.marvel.forms.form import (
    Detail,
    Drawn,
    Field,
    Form,
    Reading,
    shade_of,
)
from generator_service.benchmarks.marvel.forms.symmetric import (
    GROUPS,
    lattice_point,
    strokes_with,
    tally,
    tiles_with,
)
from generator_service.benchmarks.marvel.forms.words import list_words
from generator_service.benchmarks.marvel.rules.laws import CYCLE, NUMBER, SORT
from generator_service.benchmarks.marvel.spec import GEOMETRIC, Look, Panel
from generator_service.drawing.vector import Pen

AXES = ("vertical", "rising", "horizontal", "falling")
_AXIS_WORDS = ("upright", "slanted, rising to the right", "level", "slanted, falling to the right")


def _symmetric(pen: Pen, look: Look, group: str, panel: Panel) -> None:
    """Draw tiles for geometric shapes, strokes for abstract ones, with just this group's symmetries."""
    if look.shape == GEOMETRIC:
        side = 165.0
        for column, row in sorted(tiles_with(group, panel.seed)):
            x, y = lattice_point((column, row), side)
            if look.ground:
                pen.circle((x, y), 74, shade=shade_of(look, 0), width=14)
            else:
                pen.outline(
                    [(x - 70, y - 70), (x + 70, y - 70), (x + 70, y + 70), (x - 70, y + 70)],
                    shade=shade_of(look, 0),
                    width=14,
                )
        return
    for stroke in sorted(strokes_with(group, panel.seed), key=sorted):
        pen.line([lattice_point(point, 195) for point in sorted(stroke)], width=30)


def _regions(group_of: Callable[[Panel], str]) -> Drawn:
    """Return the number of regions that the strokes enclose; tiles lie apart."""

    def count_regions(look: Look, panel: Panel) -> int:
        return 0 if look.shape == GEOMETRIC else tally(strokes_with(group_of(panel), panel.seed)).regions

    return Drawn("closed regions", NUMBER, count_regions)


def _declare_axis(element: str, group_of: Callable[[Panel], str]) -> Drawn:
    return Drawn(f"{element} axis", SORT, lambda _, panel: int(element in GROUPS[group_of(panel)]))


def _symmetric_words(look: Look, group: str, panel: Panel) -> str:
    if look.shape == GEOMETRIC:
        rows: dict[int, list[str]] = {}
        for column, row in sorted(tiles_with(group, panel.seed), key=lambda cell: cell[::-1]):
            rows.setdefault(row + 3, []).append(str(column + 3))
        noun = ("squares", "circles")[look.ground]
        where = "; ".join(f"row {row}: {list_words(columns)}" for row, columns in rows.items())
        return f"Small {noun} on a grid of five by five; they stand in these columns. {where.capitalize()}."
    strokes = sorted(tuple(sorted(stroke)) for stroke in strokes_with(group, panel.seed))
    words = ", ".join(f"{_point(a)}-{_point(b)}" for a, b in strokes)
    return f"Strokes between points of a grid of five by five, each point given as column and row. {words}."


def _point(at: tuple[int, int]) -> str:
    return f"{at[0] + 3}{at[1] + 3}"


AXIS = Form(
    name="axis",
    fields=(Field("axis", CYCLE, 0, 3),),
    drawn=(_regions(lambda panel: AXES[panel.values[0]]),),
    grounds=(0, 1),
    draw=lambda pen, look, panel: _symmetric(pen, look, AXES[panel.values[0]], panel),
    describe=lambda look, panel: (
        f"{_symmetric_words(look, AXES[panel.values[0]], panel)} The figure is its own mirror image about one axis, "
        f"which is {_AXIS_WORDS[panel.values[0]]}."
    ),
    details=(
        Detail(
            kind="comparison",
            ask=lambda _: "Are the left and the right half of choice {choice} {a} or {b}?",
            answer=lambda _, value: ("different from each other", "mirror images of each other")[value],
            of=lambda _, panel: int(panel.values[0] == 0),
        ),
        Detail(
            kind="comparison",
            ask=lambda _: "Are the upper and the lower half of choice {choice} {a} or {b}?",
            answer=lambda _, value: ("different from each other", "mirror images of each other")[value],
            of=lambda _, panel: int(AXES[panel.values[0]] == "horizontal"),
        ),
    ),
)

_SYMMETRY_GROUPS: tuple[tuple[str, ...], ...] = (
    ("none",),
    ("vertical", "horizontal", "rising", "falling"),
    ("half turn",),
    ("two axes",),
)
_SYMMETRY_WORDS = (
    "The figure has no symmetry.",
    "The figure is its own mirror image about one axis; turning it by half does not leave it as it is.",
    "A half turn leaves the figure as it is; it has no mirror axis.",
    "The figure has two mirror axes, and a half turn leaves it as it is.",
)


def symmetry_group(panel: Panel) -> str:
    groups = _SYMMETRY_GROUPS[panel.values[0]]
    return groups[chance(panel, "group").below(len(groups))]


SYMMETRY = Form(
    name="symmetry",
    fields=(Field("class", SORT, 0, 3),),
    readings=(
        Reading("axes", NUMBER, lambda _, values: (0, 1, 0, 2)[values[0]]),
        Reading("half turn", SORT, lambda _, values: int(values[0] >= 2)),  # noqa: PLR2004 - the last two
    ),
    drawn=(_regions(symmetry_group), *(_declare_axis(axis, symmetry_group) for axis in AXES)),
    grounds=(0, 1),
    draw=lambda pen, look, panel: _symmetric(pen, look, symmetry_group(panel), panel),
    describe=lambda look, panel: (
        f"{_symmetric_words(look, symmetry_group(panel), panel)} {_SYMMETRY_WORDS[panel.values[0]]}"
    ),
    details=(
        Detail(
            kind="comparison",
            ask=lambda _: "If choice {choice} is turned by half (upside down), does it look {a} or {b}?",
            answer=lambda _, value: ("different", "the same")[value],
            of=lambda _, panel: int(panel.values[0] >= 2),  # noqa: PLR2004 - the last two
        ),
    ),
)
