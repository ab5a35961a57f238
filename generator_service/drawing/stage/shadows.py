"""Cast shadows: a mesh is laid along the light onto the level it stands on, drawn from the eye, and softened."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from generator_service.drawing.exact import Floats, Ints
from generator_service.drawing.mesh import Mesh
from generator_service.drawing.stage.camera import Camera, Window
from generator_service.drawing.stage.layers import ALL, count_covered

FULL = 255
_STEP = 4  # of shadows; smooth ones would take a third more time as PNG


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
    dark = (FULL - light + _STEP // 2) // _STEP * _STEP
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
