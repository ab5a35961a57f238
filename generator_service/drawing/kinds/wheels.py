"""Make wheels that face z, for the car, the train and the aeroplane."""

from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.solids import box, disc, ring

_TYRE: Colour = (58, 58, 66)


def make_tyred_wheel(radius: float, width: float, hub: Colour) -> Mesh:
    """Make a rubber tyre round a coloured hub."""
    tyre = disc(radius, width, _TYRE, soft=0.35)
    rim = disc(radius * 0.62, width * 1.06, hub, soft=0.1)
    cap = disc(radius * 0.2, width * 1.2, _TYRE, soft=0.2)
    return join(tyre.polish(0.15), rim.polish(0.6), cap)


def make_spoked_wheel(radius: float, width: float, iron: Colour, hub: Colour) -> Mesh:
    """Make a railway wheel: a rim, spokes, a hub."""
    rim = ring(radius * 0.86, radius * 0.15, iron).turn("x", 90).scale(1, 1, width / radius * 3)
    spokes = [box(radius * 1.7, radius * 0.13, width * 0.5, iron, bevel=0.02).turn("z", 45 * k) for k in range(4)]
    return join(rim, *spokes, disc(radius * 0.26, width * 1.2, hub))
