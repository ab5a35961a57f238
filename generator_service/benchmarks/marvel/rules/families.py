"""List the rule families: for each pattern, the fields that a rule governs, its configurations and its laws."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from generator_service.benchmarks.marvel.forms import FORMS
from generator_service.benchmarks.marvel.forms.form import Form
from generator_service.benchmarks.marvel.spec import (
    GROUP,
    MATHEMATICAL,
    MATRIX,
    PLANE,
    QUANTITIES,
    SEQUENCE,
    SPATIAL,
    TEMPORAL,
    TWO_ROW,
)

Laws = tuple[str, ...]
ROW, COLUMN = "row", "column"


@dataclass(frozen=True, kw_only=True)
class Family:
    """One kind of rule.

    governs: one field, of which each choice shows another of four values, or two fields, each with two values. laws:
    the possible laws, by configuration. loose: fields that vary from panel to panel by chance. ways: the lines of a
    matrix that rules run along; two rules of a puzzle run the same way.
    """

    name: str
    pattern: str
    form: str
    governs: tuple[str, ...]
    laws: Mapping[str, Laws]
    loose: tuple[str, ...] = ()
    lengths: tuple[int, ...] = (4, 5, 6, 7, 8)
    ways: tuple[str, ...] = (ROW, COLUMN)
    most: int = 1 << 12  # the largest value that rules lead to

    @property
    def panel(self) -> Form:
        return FORMS[self.form]


_STEPS = {SEQUENCE: ("step",), TWO_ROW: ("step",), MATRIX: ("step",)}
# Two different speeds can be told apart in six panels, or in a matrix read row by row.
_TWO_SPEEDS: Mapping[str, Laws] = {SEQUENCE: ("step",), MATRIX: ("step",)}
_ROUND: Mapping[str, Laws] = {**_STEPS, MATRIX: ("step", "arrangement")}
_SAME: Mapping[str, Laws] = {GROUP: ("same",)}
_SORTED: Mapping[str, Laws] = {
    SEQUENCE: ("alternation", "by threes"),
    TWO_ROW: ("arrangement",),
    MATRIX: ("arrangement",),
    GROUP: ("same",),
}
_KEPT: Mapping[str, Laws] = {SEQUENCE: ("same",), TWO_ROW: ("constant",), MATRIX: ("constant",)}
_COUNTED: Mapping[str, Laws] = {
    SEQUENCE: ("progression", "alternation", "growing steps"),
    TWO_ROW: ("progression", "arrangement"),
    MATRIX: ("progression", "arrangement"),
    GROUP: ("same",),
}
_SUMS: Mapping[str, Laws] = {
    SEQUENCE: ("sum of the two before", "distance of the two before"),
    TWO_ROW: ("sum", "difference", "distance"),
    MATRIX: ("sum", "difference", "distance"),
}
_OVERLAYS: Mapping[str, Laws] = dict.fromkeys((TWO_ROW, MATRIX), ("union", "overlap", "either, not both", "taken away"))


def _temporal() -> Iterator[Family]:
    def moving(
        name: str, form: str, governs: tuple[str, ...], laws: Mapping[str, Laws] = _STEPS, **more: object
    ) -> Family:
        return Family(name=name, pattern=TEMPORAL, form=form, governs=governs, laws=laws, **more)  # type: ignore[arg-type]

    yield moving("orbit", "ring", ("place",), {**_ROUND, SEQUENCE: ("step", "growing steps round")})
    yield moving("two orbits", "rings", ("outer", "inner"), _TWO_SPEEDS, lengths=(6, 7, 8), ways=(ROW,))
    yield moving("turning", "pointer", ("turn",), _ROUND)
    # In three panels, too many rules go on in different ways: along rows, down columns, round the border.
    yield moving("walk", "walk", ("place",), dict.fromkeys(_STEPS, ("walking step",)), lengths=(5, 6, 7, 8))
    # After five or seven panels it may be back at its beginning, as in 2 1 0 1 2, and many would begin again.
    yield moving("bounce", "line", ("station",), {SEQUENCE: ("bounce",)}, lengths=(7,))
    yield moving("turning ring", "beads", ("turn",))
    yield moving("two hands", "hands", ("long", "gap"), _TWO_SPEEDS, lengths=(6, 7, 8), ways=(ROW,))
    yield moving("same figure turned", "pointer", ("figure",), _SAME, loose=("turn",))
    yield moving("same ring turned", "beads", ("figure",), _SAME, loose=("turn",))
    yield moving("same hands turned", "hands", ("gap",), _SAME, loose=("long",))
    yield moving("same patch moved", "patch", ("figure",), _SAME, loose=("column", "row"))


def _spatial() -> Iterator[Family]:
    def build_family(name: str, form: str, governs: str, laws: Mapping[str, Laws], loose: tuple[str, ...]) -> Family:
        return Family(name=name, pattern=SPATIAL, form=form, governs=(governs,), laws=laws, loose=loose)

    yield build_family("kept relation", "pair", "relation", {**_KEPT, GROUP: ("same",)}, ("which",))
    yield build_family("changing relation", "pair", "relation", {**_SORTED, GROUP: ()}, ("which",))
    yield build_family("dot in a zone", "zone", "zone", _SORTED, ("axis",))
    yield build_family("side", "beside", "side", _SORTED, ("far",))
    yield build_family("nesting order", "nest", "order", _SORTED, ("tilt",))
    yield build_family("order in a row", "row", "order", _SORTED, ("axis",))
    yield build_family("layers", "layers", "order", _SORTED, ("mirror",))


def _quantities() -> Iterator[Family]:
    def build_family(name: str, form: str, field_name: str, laws: Mapping[str, Laws] = _COUNTED) -> Family:
        return Family(name=name, pattern=QUANTITIES, form=form, governs=(field_name,), laws=laws, most=9)

    yield build_family("figures", "scatter", "count")
    yield build_family("corners", "polygon", "corners")
    yield build_family("strokes", "strokes", "count")
    yield build_family("regions", "regions", "count")
    yield build_family("crossings", "crossings", "count")
    yield build_family("filled cells", "tiles", "count")
    progress = {SEQUENCE: ("progression",), TWO_ROW: ("progression",), MATRIX: ("progression",)}
    yield Family(name="two sorts", pattern=QUANTITIES, form="two sorts", governs=("white", "black"), laws=progress)


def _mathematical() -> Iterator[Family]:
    for name, form in (
        ("figures", "scatter"),
        ("strokes", "strokes"),
        ("crossings", "crossings"),
        ("filled cells", "tiles"),
    ):
        yield Family(
            name=f"computed {name}", pattern=MATHEMATICAL, form=form, governs=("count",), laws=_SUMS, lengths=(5, 6)
        )
    for name, form in (("mosaic", "mosaic"), ("lattice", "lattice"), ("spokes", "spokes")):
        yield Family(name=f"overlaid {name}", pattern=MATHEMATICAL, form=form, governs=("mask",), laws=_OVERLAYS)


def _plane() -> Iterator[Family]:
    def build_family(name: str, form: str, governs: tuple[str, ...], laws: Mapping[str, Laws]) -> Family:
        return Family(name=name, pattern=PLANE, form=form, governs=governs, laws=laws)

    yield build_family("turning axis", "axis", ("axis",), {**_STEPS, MATRIX: ("step", "arrangement"), GROUP: ("same",)})
    yield build_family("symmetry", "symmetry", ("class",), _SORTED)
    # In rows, the total number of closed regions would be a rule of its own, and would lead to another choice.
    crossed = {SEQUENCE: ("alternation",), GROUP: ("same",)}
    yield build_family("open and curved", "curve", ("open", "curved"), crossed)
    yield build_family("curved sides", "curved sides", ("count",), _COUNTED)
    yield build_family("notches", "notches", ("count",), _COUNTED)
    yield build_family("angle", "angle", ("opening",), _COUNTED)
    # With four counts, a progression in two rows is also an arrangement, and that continues in another way.
    few = {**_COUNTED, TWO_ROW: ("arrangement",), MATRIX: ("arrangement",)}
    yield build_family("parallel lines", "parallel", ("count",), few)


FAMILIES: tuple[Family, ...] = (*_temporal(), *_spatial(), *_quantities(), *_mathematical(), *_plane())


def families_of(pattern: str, configuration: str) -> tuple[Family, ...]:
    return tuple(family for family in FAMILIES if family.pattern == pattern and family.laws.get(configuration))
