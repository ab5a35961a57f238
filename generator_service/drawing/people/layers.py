"""Draw a person in a pose as a layer: which part shows at each sample, how light it is, how near, and anchor points.

Colours come later, when a scene is composed, so that clothes, hair and complexion are fresh at every use.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import msgspec
import numpy as np
import numpy.typing as npt

from generator_service.drawing.exact import Floats
from generator_service.drawing.mesh import Colour, Mesh, corner_normals, join
from generator_service.drawing.people.figure import WORN, Figure
from generator_service.drawing.people.wearing import Outfit, palette, wear_outfit
from generator_service.drawing.rasterize import SUB, rasterize
from generator_service.drawing.stage.lighting import LEFT, light_samples

METRE = 360
"""Samples a metre. Two samples a pixel make a man of 1.75 m 315 pixels high."""
PITCH = 6.0  # degrees by which the eye looks down
SHADE = 128
"""The shade of a surface that keeps its colour; twice as much doubles it."""
NEAREST = 128
"""The depth step of what stands over the origin; a step is a centimetre, nearer things have more."""
_FIXED = 1 << 20  # vertices are rounded to this share of a metre before they are drawn
_EDGE = 2  # empty samples about the person
Bytes = npt.NDArray[np.uint8]


class Anchor(msgspec.Struct, frozen=True, array_like=True):
    """A place on a layer in samples from its origin, x to the right and y down, and its depth step."""

    x: int
    y: int
    depth: int


@dataclass(frozen=True, eq=False)
class PersonLayer:
    """A window of samples: part, shade and depth (h, w) each, 0 where nobody is.

    left, top: where the window begins, from the origin: the point on the ground under the hips. worn: the colours of
    parts from `WORN` on.
    """

    left: int
    top: int
    part: Bytes
    shade: Bytes
    depth: Bytes
    anchors: Mapping[str, Anchor]
    worn: tuple[Colour, ...]


def person_layer(figure: Figure, outfit: Outfit, yaw: float) -> PersonLayer:
    """Draw a figure with its outfit's gear, seen from a side."""
    mesh, part = figure.mesh, figure.part
    colours: tuple[Colour, ...] = ()
    gear = wear_outfit(figure, outfit)
    if gear is not None:
        colours, numbers = palette(gear)
        grey = replace(gear, colours=np.full_like(gear.colours, SHADE), gloss=gear.gloss * 0.0)
        mesh, part = join(mesh, grey), np.concatenate([part, WORN + numbers])
    seen_mesh = _turn_to_eye(mesh, yaw)
    vertices = np.rint(seen_mesh.vertices * _FIXED) / _FIXED
    used = vertices[np.unique(mesh.faces)]
    low, high = used.min(axis=0), used.max(axis=0)
    left = int(np.floor(low[0] * METRE)) - _EDGE
    top = int(np.floor(-high[1] * METRE)) - _EDGE
    width = int(np.ceil(high[0] * METRE)) + _EDGE - left
    height = int(np.ceil(-low[1] * METRE)) + _EDGE - top
    places = np.stack([vertices[:, 0] * METRE - left, -vertices[:, 1] * METRE - top], axis=-1)
    side = max(width, height)
    corners = np.rint(places * SUB).astype(np.int64)[mesh.faces]
    seen = rasterize(corners, vertices[:, 2][mesh.faces], side)
    normals = np.rint(corner_normals(vertices, mesh.faces) * _FIXED) / _FIXED
    light = light_samples(replace(seen_mesh, vertices=vertices), normals, seen, LEFT)[0]
    planes = np.zeros((3, side * side), np.uint8)
    planes[0, seen.sample] = part[seen.face]
    planes[1, seen.sample] = np.clip(np.rint(light), 1, 255)
    planes[2, seen.sample] = np.clip(np.rint(seen.depth * np.float32(100)) + NEAREST, 1, 255)
    square = planes.reshape(3, side, side)[:, :height, :width]
    return PersonLayer(
        left=left,
        top=top,
        part=np.ascontiguousarray(square[0]),
        shade=np.ascontiguousarray(square[1]),
        depth=np.ascontiguousarray(square[2]),
        anchors={name: _anchor(place, yaw) for name, place in figure.anchors.items()},
        worn=colours,
    )


def _turn_to_eye(mesh: Mesh, yaw: float) -> Mesh:
    return mesh.turn("y", -yaw).turn("x", PITCH)


def _anchor(place: Floats, yaw: float) -> Anchor:
    point = Mesh(place[None, :], np.zeros((0, 3), np.int64), np.zeros((0, 3)), np.zeros(0))
    x, y, z = _turn_to_eye(point, yaw).vertices[0]
    depth = int(np.clip(np.rint(z * 100) + NEAREST, 1, 255))
    return Anchor(int(np.rint(x * METRE)), int(np.rint(-y * METRE)), depth)
