"""Build a table and a chair in wood, red or blue, with open legs so that things beneath them can be seen."""

from dataclasses import dataclass

from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.solids import box, tube

# top, legs, seams: the lines between boards, which painted furniture does not have
FINISHES: dict[str, tuple[Colour, Colour, Colour | None]] = {
    "wood": ((190, 132, 78), (160, 104, 58), (112, 70, 38)),
    "red": ((206, 40, 44), (182, 32, 38), None),
    "blue": ((42, 92, 206), (34, 76, 178), None),
}
KINDS = ("table", "chair")
DESIGNS = 2
_GRAIN = (1.0, 0.9, 1.05, 0.94, 1.02, 0.88)


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A mesh on y = 0, the height of the top that props stand on, and half that top's sides."""

    mesh: Mesh
    height: float
    half_wide: float
    half_deep: float


def piece(kind: str, finish: str, design: int) -> Piece:
    return (_table if kind == "table" else _chair)(finish, design)


def _table(finish: str, design: int) -> Piece:
    _, leg, _ = FINISHES[finish]
    wide, deep, thick = 1.42, 0.96, 0.09
    x, z = wide / 2 - 0.08, deep / 2 - 0.08
    feet = tuple((a * x, b * z) for a in (-1, 1) for b in (-1, 1))
    apron = [box(wide - 0.2, 0.1, 0.04, leg).move(0.0, 0.86, b * z) for b in (-1, 1)]
    sides = [box(0.04, 0.1, deep - 0.2, leg).move(a * x, 0.86, 0.0) for a in (-1, 1)]
    legs = [_leg(a, b, 0.9, leg, design=design) for a, b in feet]
    mesh = join(_boards(wide, deep, thick, finish).move(y=1.0 - thick / 2), *apron, *sides, *legs)
    return Piece(mesh=mesh.polish(0.2), height=1.0, half_wide=wide / 2, half_deep=deep / 2)


def _chair(finish: str, design: int) -> Piece:
    top, leg, _ = FINISHES[finish]
    wide, deep, thick, high = 1.1, 0.9, 0.08, 0.84
    x, z = wide / 2 - 0.06, deep / 2 - 0.06
    feet = tuple((a * x, b * z) for a in (-1, 1) for b in (-1, 1))
    legs = [_leg(a, b, high - 0.04, leg, design=design) for a, b in feet]
    posts = [tube([(a * x, high, -z), (a * x * 1.02, 1.62, -z - 0.14)], 0.05, leg) for a in (-1, 1)]
    rail = box(wide + 0.04, 0.2, 0.07, top, bevel=0.03).move(0.0, 1.58, -z - 0.14)
    mesh = join(
        _boards(wide, deep, thick, finish).move(y=high - thick / 2), *legs, *posts, rail, *_slats(finish, x, z, design)
    )
    return Piece(mesh=mesh.polish(0.2), height=high, half_wide=wide / 2, half_deep=deep / 2)


def _slats(finish: str, x: float, z: float, design: int) -> list[Mesh]:
    """Fill the back: upright bars, or boards across."""
    top, leg, _ = FINISHES[finish]
    if design:
        return [box(2 * x, 0.13, 0.05, top, bevel=0.02).move(0.0, y, -z - 0.16 * (y - 0.84)) for y in (1.1, 1.33)]
    places = [-0.5 * x, 0.0, 0.5 * x]
    return [tube([(at, 0.84, -z), (at, 1.56, -z - 0.13)], 0.032, leg) for at in places]


def _leg(x: float, z: float, high: float, colour: Colour, *, design: int) -> Mesh:
    if design:
        return box(0.1, high, 0.1, colour, bevel=0.02).move(x, high / 2, z)
    return tube([(x, high, z), (x * 1.02, 0.0, z * 1.02)], [0.06, 0.042], colour)


def _boards(wide: float, deep: float, thick: float, finish: str) -> Mesh:
    """Lay boards side by side; painted ones are one plate."""
    top, _, seam = FINISHES[finish]
    if seam is None:
        return box(wide, thick, deep, top, bevel=0.03)
    core = box(wide - 0.01, thick - 0.02, deep - 0.01, seam, bevel=0.02)
    each = deep / len(_GRAIN)
    boards = [
        box(wide, thick, each - 0.012, _tone_colour(top, tone), bevel=0.02).move(z=-deep / 2 + each * (k + 0.5))
        for k, tone in enumerate(_GRAIN)
    ]
    return join(core, *boards)


def _tone_colour(colour: Colour, share: float) -> Colour:
    red, green, blue = (min(255, round(part * share)) for part in colour)
    return red, green, blue
