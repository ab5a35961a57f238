"""Stage 1, which draws of CARV 1 need: a plain room seen from afar, props of one size, round shadows.

Its layers must stay as they are, pixel by pixel.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from generator_service.drawing.exact import Ints
from generator_service.drawing.mesh import Colour, Mesh
from generator_service.drawing.props import PROPS
from generator_service.drawing.props.prop import footprint
from generator_service.drawing.stage.anchor_points import Anchor
from generator_service.drawing.stage.camera import MARGIN, SAMPLES, SIDE, Camera, Lens, Window
from generator_service.drawing.stage.edition import Edition
from generator_service.drawing.stage.furniture import Piece
from generator_service.drawing.stage.layers import ALL, Layer, ground_box, prop_layer, room_layer
from generator_service.drawing.stage.lighting import LEFT, RIGHT, Light
from generator_service.drawing.stage.shading import blob, ramp

_LENS = Lens(target=0.66, distance=7.0, focal=872.0, wide=SIDE + 2 * MARGIN, high=SIDE + 2 * MARGIN)
_WALL = -1.5  # z of the wall behind
_SKIRTING = 0.13


@dataclass(frozen=True)
class View:
    """A room's camera, light and colours."""

    camera: Camera
    light: Light
    wall: Colour
    floor: Colour
    skirting: Colour


_VIEWS = (
    View(Camera(-9.0, 24.0, _LENS), LEFT, (226, 222, 210), (178, 172, 160), (246, 244, 238)),
    View(Camera(8.0, 27.0, _LENS), RIGHT, (214, 222, 216), (164, 168, 164), (240, 244, 240)),
    View(Camera(-4.0, 21.5, _LENS), RIGHT, (224, 220, 226), (172, 168, 172), (246, 244, 248)),
    View(Camera(11.0, 25.0, _LENS), LEFT, (232, 228, 212), (168, 170, 156), (250, 248, 240)),
)
_ANCHORS = (
    Anchor("table-middle", "table", 0.0, 0.02, 0.22),
    Anchor("table-left", "table", -0.34, 0.02, 0.07),
    Anchor("table-right", "table", 0.34, 0.02, 0.07),
    Anchor("chair-middle", "chair", 0.0, 0.08, 0.12),
    Anchor("chair-left", "chair", -0.26, 0.08, 0.02),
    Anchor("chair-right", "chair", 0.26, 0.08, 0.02),
    Anchor("under-middle", "floor", 0.0, 0.06, 0.06),
    Anchor("under-left", "floor", -0.225, 0.06, 0.01),
    Anchor("under-right", "floor", 0.225, 0.06, 0.01),
    Anchor("left-near", "floor", -1.12, 0.12, 0.02),
    Anchor("left-far", "floor", -1.63, 0.12, 0.015),
    Anchor("right-near", "floor", 1.12, 0.12, 0.02),
    Anchor("right-far", "floor", 1.63, 0.12, 0.015),
)


def _room(number: int, piece: Piece) -> Layer:
    """Draw wall, skirting, floor, the furniture's shadow, the furniture."""
    view = _VIEWS[number]
    room = _plain(view)
    shade = _furniture_shade(view.camera, piece)
    room[..., :3] = room[..., :3] * (256 - shade[..., None]) // 256
    return room_layer(view.camera, view.light, room, piece.mesh)


def _prop(number: int, mesh: Mesh, at: tuple[float, float, float], _anchor: Anchor) -> Layer:
    view = _VIEWS[number]
    x, z, height = at
    half = footprint(mesh)

    def contact(window: Window) -> npt.NDArray[np.uint8]:
        """Darken the support round the prop's foot, a little away from the light."""
        on_x, on_z = view.camera.plane(height, window)
        away = -0.06 if view.light.key[0] > 0 else 0.06
        shade = 150.0 * blob(on_x - x - away, on_z - z + 0.02, 1.3 * half[0] + 0.02, 1.3 * half[1] + 0.02)
        return np.rint(np.nan_to_num(shade)).astype(np.uint8)

    ground = ground_box(view.camera, mesh, at, 1.5)
    return prop_layer(view.camera, view.light, mesh.moved(x, height, z), ground, contact)


def _plain(view: View) -> Ints:
    """Colour floor, skirting and wall: the wall stands where the floor ends."""
    camera = view.camera
    _, floor_z = camera.plane(0.0, camera.canvas, SAMPLES)
    # The skirting's upper edge is where rays to its height meet the wall's plane.
    _, edge_z = camera.plane(_SKIRTING, camera.canvas, SAMPLES)
    is_floor, above = floor_z > _WALL, ~(edge_z > _WALL)
    high, wide = _LENS.high, _LENS.wide
    room = np.zeros((high, wide, 3), np.int64)
    for chosen, colour in ((is_floor, view.floor), (above, view.wall), (~is_floor & ~above, view.skirting)):
        share = chosen.reshape(high, SAMPLES, wide, SAMPLES).sum(axis=(1, 3))
        room += share[..., None] * np.array(colour)
    return (room + ALL // 2) // ALL


def _furniture_shade(camera: Camera, piece: Piece) -> Ints:
    """Darken the floor beneath the top softly, and round each foot, in 256ths."""
    x, z = camera.plane(0.0, camera.canvas)
    on_floor = z > _WALL
    across = ramp((piece.half_wide + 0.12 - np.abs(x)) / 0.45)
    deep = ramp((piece.half_deep + 0.12 - np.abs(z)) / 0.45)
    shade = 58.0 * across * deep
    for foot_x, foot_z in piece.feet:
        shade = np.maximum(shade, 100.0 * blob(x - foot_x, z - foot_z, 0.13, 0.13))
    return np.where(on_floor, np.rint(np.nan_to_num(shade)), 0).astype(np.int64)


FIRST = Edition(
    version=1,
    digest="38f86cac1cba40a55055de9e05834e5dfa4d738e0dd2ff0642820790bbfd1922",
    views=len(_VIEWS),
    anchors=_ANCHORS,
    props=PROPS,
    room=_room,
    prop=_prop,
    made=lambda prop, dice: prop.made(dice),
    pans={},
)
