"""Draw the stage from its four views: furnished rooms, and props at the scale of the furniture, with cast shadows.

A shadow is the mesh laid along the light onto the level it stands on, drawn from the eye, and softened.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from generator_service.drawing.exact import Floats, Ints
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.solids import ellipsoid, lathe, tube
from generator_service.drawing.stage.anchor_points import Anchor
from generator_service.drawing.stage.camera import MARGIN, SIDE, Camera, Lens, Window
from generator_service.drawing.stage.furniture import Piece, piece
from generator_service.drawing.stage.layers import ALL, Layer, count_covered, overlap, prop_layer, room_layer
from generator_service.drawing.stage.lighting import LEFT, RIGHT, Light
from generator_service.drawing.stage.rooms import WALL, Glazing, Mask, Room, Rug, paint_room

FULL = 255
_SHADE_STEP = 4  # of shadows; smooth ones would take a third more time as PNG


@dataclass(frozen=True)
class Cast:
    """One shadow. A point at a height h falls (across, back) * h away. soft: pixels; dark: in 255ths."""

    across: float
    back: float
    soft: int
    dark: int


def lay_mesh(mesh: Mesh, height: float, cast: Cast) -> Mesh:
    """Lay a mesh along the light onto the level of this height."""
    x, y, z = mesh.vertices[:, 0], mesh.vertices[:, 1], mesh.vertices[:, 2]
    above = y - height
    return replace(
        mesh,
        vertices=np.stack([x + cast.across * above, np.full_like(y, height), z + cast.back * above], axis=-1),
    )


def shadow(  # noqa: PLR0917 - what, onto what, and where
    camera: Camera,
    mesh: Mesh,
    height: float,
    casts: tuple[Cast, ...],
    window: Window,
    reached: Callable[[Floats, Floats], npt.NDArray[np.bool_]],
) -> Ints:
    """Return how dark all shadows of the mesh make the level of this height, (side, side) in 255ths.

    window: a square that holds them, softened. reached: tells from x and z on the level where a shadow may fall.
    """
    light = np.full((window.high, window.wide), FULL, np.int64)
    for cast in casts:
        share = count_covered(camera, lay_mesh(mesh, height, cast), window)
        dark = soften(share * cast.dark // ALL, cast.soft)
        light = light * (FULL - dark) // FULL
    x, z = camera.plane(height, window)
    dark = (FULL - light + _SHADE_STEP // 2) // _SHADE_STEP * _SHADE_STEP
    return np.where(reached(x, z), np.minimum(dark, FULL), 0)


def soften(dark: Ints, soft: int) -> Ints:
    """Average over squares of 2 * soft + 1 pixels, twice."""
    for _ in range(2):
        for axis in (0, 1):
            sums = np.cumsum(
                np.pad(dark, [(soft + 1, soft) if dimension == axis else (0, 0) for dimension in (0, 1)]), axis=axis
            )
            side = dark.shape[axis]
            ends, starts = np.arange(side) + 2 * soft + 1, np.arange(side)
            dark = (np.take(sums, ends, axis) - np.take(sums, starts, axis)) // (2 * soft + 1)
    return dark


_PAN = 76
_LENS = Lens(target=0.8, distance=6.0, focal=1150.0, wide=SIDE + 2 * (MARGIN + _PAN), high=SIDE + 2 * MARGIN)
_DIM = 0.9  # of the light, beneath the furniture
_STEP = 4
PANS = {"left": -_PAN, "right": _PAN}
"""By relation, the pixels by which the frame moves to the right, so that there is room beside the furniture."""


@dataclass(frozen=True)
class Lamp:
    """A reading lamp on the floor, by the wall."""

    x: float
    z: float
    metal: Colour
    shade: Colour


@dataclass(frozen=True)
class View:
    """A room, its camera and its light."""

    camera: Camera
    light: Light
    room: Room
    lamp: Lamp


VIEWS = (
    View(
        Camera(-8.0, 25.0, _LENS),
        LEFT,
        Room(
            wall=(222, 216, 202),
            skirting=(244, 242, 236),
            floor="boards",
            ground=(203, 194, 178),
            seam=(172, 162, 146),
            glazing=Glazing(-1.5, -0.2, 0.62, 2, (196, 200, 186)),
            rug=Rug(0.0, 0.1, 1.75, 1.05, (176, 178, 172), (142, 148, 144)),
        ),
        Lamp(1.2, -1.5, (84, 86, 90), (246, 236, 206)),
    ),
    View(
        Camera(7.0, 27.0, _LENS),
        RIGHT,
        Room(
            wall=(196, 208, 200),
            skirting=(238, 240, 236),
            floor="planks",
            ground=(190, 186, 180),
            seam=(160, 156, 150),
            glazing=Glazing(0.35, 1.55, 0.7, 2, (226, 222, 210)),
            rug=Rug(0.0, 0.15, 1.5, 1.25, (206, 198, 184), (168, 160, 148), round=True),
            panel=(-1.35, -0.55, 0.85),
        ),
        Lamp(-1.36, -1.5, (150, 150, 146), (250, 246, 232)),
    ),
    View(
        Camera(-4.0, 24.0, _LENS),
        RIGHT,
        Room(
            wall=(214, 206, 216),
            skirting=(246, 244, 246),
            floor="tiles",
            ground=(198, 198, 194),
            seam=(176, 176, 172),
            glazing=Glazing(0.1, 1.6, 0.55, 3, (206, 200, 208)),
            rug=Rug(0.05, 0.05, 1.6, 1.1, (188, 180, 190), (150, 142, 154)),
        ),
        Lamp(-1.22, -1.5, (92, 92, 96), (244, 238, 220)),
    ),
    View(
        Camera(9.0, 26.0, _LENS),
        LEFT,
        Room(
            wall=(226, 220, 188),
            skirting=(248, 246, 238),
            floor="carpet",
            ground=(184, 182, 170),
            seam=(184, 182, 170),
            glazing=Glazing(-1.7, -0.5, 0.6, 2, (232, 230, 220)),
            rug=Rug(0.0, 0.1, 1.65, 1.15, (164, 172, 168), (204, 200, 186)),
            panel=(0.35, 1.1, 0.8),
        ),
        Lamp(1.36, -1.5, (120, 116, 108), (250, 240, 214)),
    ),
)
ANCHORS = (
    Anchor("table-middle", "table", 0.0, 0.04, 0.26),
    Anchor("table-left", "table", -0.36, 0.04, 0.06),
    Anchor("table-right", "table", 0.36, 0.04, 0.06),
    Anchor("chair-middle", "chair", 0.0, 0.08, 0.1),
    Anchor("chair-left", "chair", -0.28, 0.08, 0.015),
    Anchor("chair-right", "chair", 0.28, 0.08, 0.015),
    Anchor("under-middle", "floor", 0.0, 0.06, 0.06),
    Anchor("under-left", "floor", -0.25, 0.08, 0.005),
    Anchor("under-right", "floor", 0.25, 0.08, 0.005),
    Anchor("left-near", "floor", -1.26, 0.46, 0.03),
    Anchor("left-far", "floor", -1.425, -0.83, 0.02),
    Anchor("right-near", "floor", 1.26, 0.46, 0.03),
    Anchor("right-far", "floor", 1.425, -0.83, 0.02),
)
_FURNITURE = (Cast(0.4, -0.25, 6, 62), Cast(0.0, 0.0, 12, 60))
_PROP = (Cast(0.45, -0.28, 3, 66), Cast(0.06, -0.04, 1, 84))
_LAMP = (Cast(0.1, -0.05, 3, 60),)


def view_room(number: int, furniture: Piece) -> Layer:
    """Draw the room with its lamp, the furniture's shadow, the furniture."""
    view = VIEWS[number]
    room = _shade_floor(_empty(number), view, furniture.mesh, _FURNITURE)
    return _in_steps(room_layer(view.camera, view.light, room, furniture.mesh))


def _in_steps(layer: Layer) -> Layer:
    """Round colours to steps of four: nobody sees it, and PNGs take two thirds of the time."""
    pixels = layer.pixels.copy()
    pixels[..., :3] = pixels[..., :3] // _STEP * _STEP + _STEP // 2
    return replace(layer, pixels=pixels)


@lru_cache(maxsize=4)  # one a view, 9 MB each
def _empty(number: int) -> Ints:
    view = VIEWS[number]
    lamp = _lamp(view.lamp)
    room = _shade_floor(paint_room(view.room, view.camera), view, lamp, _LAMP)
    return room_layer(view.camera, view.light, room, lamp).pixels[..., :3].astype(np.int64)


def _lamp(lamp: Lamp) -> Mesh:
    foot = lathe([(0.0, 0.0), (0.2, 0.0), (0.19, 0.03), (0.0, 0.045)], lamp.metal)
    pole = tube([(0.0, 0.03, 0.0), (0.0, 1.1, 0.0)], 0.018, lamp.metal)
    shade = lathe([(0.3, 1.0), (0.2, 1.42), (0.195, 1.42), (0.0, 1.42)], lamp.shade).polish(0.0)
    inside = lathe([(0.295, 1.0), (0.0, 1.05)], (255, 250, 230)).polish(0.0)
    bulb = ellipsoid(0.07, 0.07, 0.07, (255, 252, 236)).move(y=1.0)
    return join(foot, pole, shade, inside, bulb).move(lamp.x, 0.0, lamp.z)


def view_prop(number: int, mesh: Mesh, at: tuple[float, float, float], anchor: Anchor) -> Layer:
    """Draw a mesh that stands at (x, z, height), with its shadow."""
    view = VIEWS[number]
    x, z, height = at
    placed = mesh.move(x, height, z)
    camera, casts = view.camera, _away(view.light, _PROP)
    ground, edge = _find_shadows(camera, placed, height, casts)
    ground = np.concatenate([ground - edge, ground + edge])

    def cast_shadow(window: Window) -> npt.NDArray[np.uint8]:
        return shadow(camera, placed, height, casts, window, _choose_reach(anchor.support)).astype(np.uint8)

    light = _dim_light(view.light) if anchor.name.startswith("under") else view.light
    return _in_steps(prop_layer(camera, light, placed, ground, cast_shadow))


def _find_shadows(camera: Camera, mesh: Mesh, height: float, casts: tuple[Cast, ...]) -> tuple[Floats, int]:
    """Return where in the frame a mesh's shadows fall, (points, 2), and by how many pixels softening widens them."""
    shadows = [camera.project(camera.turn_to_eye(lay_mesh(mesh, height, cast)).vertices)[0] for cast in casts]
    return np.concatenate(shadows), 3 * max(cast.soft for cast in casts)


def _dim_light(light: Light) -> Light:
    red, green, blue = light.tone
    return replace(light, tone=(_DIM * red, _DIM * green, _DIM * blue))


def _choose_reach(support: str) -> Callable[[Floats, Floats], Mask]:
    """Return the function that tells whether a shadow may fall at (x, z): on the floor, or on the furniture's top."""
    if support == "floor":
        return lambda _x, z: z > WALL
    top = piece(support, "red", 0)
    return lambda x, z: (np.abs(x) < top.half_wide) & (np.abs(z) < top.half_deep)


def _away(light: Light, casts: tuple[Cast, ...]) -> tuple[Cast, ...]:
    """Cast to the side that the light does not come from."""
    return tuple(replace(cast, across=-cast.across) for cast in casts) if light.key[0] > 0 else casts


def _shade_floor(room: Ints, view: View, mesh: Mesh, casts: tuple[Cast, ...]) -> Ints:
    """Darken the floor of a room by the shadows of what stands on it."""
    camera, casts = view.camera, _away(view.light, casts)
    flat, edge = _find_shadows(camera, mesh, 0.0, casts)
    low, high = np.floor(flat.min(axis=0)), np.ceil(flat.max(axis=0))
    side = int((high - low).max()) + 2 * edge
    window = Window(int(low[0]) - edge, int(low[1]) - edge, side, side)
    dark = shadow(camera, mesh, 0.0, casts, window, lambda _x, z: z > WALL)
    there, own = overlap(window, room)
    room = room.copy()
    room[there] = room[there] * (FULL - dark[own])[..., None] // FULL
    return room
