"""Project the room to the picture and back: a camera looks down on the middle of the furniture.

Units: a table's height. x to the right, y up from the floor, z towards the viewer. Only + - * / on coordinates, so
that every machine finds the same pixels.
"""

from dataclasses import dataclass

import numpy as np

from generator_service.drawing.exact import Floats, Ints, cosine, sine
from generator_service.drawing.mesh import Mesh
from generator_service.drawing.rasterize import SUB

SIDE = 512  # of a picture
MARGIN = 12  # pixels by which the picture's frame may move over what is drawn
CANVAS = SIDE + 2 * MARGIN
SAMPLES = 3  # a side of a pixel
TARGET = (0.0, 0.66, 0.0)
DISTANCE = 7.0  # of the eye from the target
FOCAL = 872.0  # pixels: four units of width at the target's distance
_LEVEL = -1e-9  # rays that fall less than this never reach the floor
_DEPTH_LOW, _DEPTH_STEPS = 0.5, 60_000.0


@dataclass(frozen=True)
class Camera:
    """Degrees: `yaw` turns the room's right side away, `pitch` looks down on it."""

    yaw: float
    pitch: float

    def seen(self, mesh: Mesh) -> Mesh:
        """Turn the mesh as the eye sees it: the target at the origin, z towards the eye."""
        x, y, z = TARGET
        return mesh.moved(-x, -y, -z).turned("y", self.yaw).turned("x", self.pitch)

    def plane(self, height: float, left: int, top: int, side: int, samples: int = 1) -> tuple[Floats, Floats]:
        """Return x and z, (side * samples, side * samples) each, of where the eye's rays meet the level `height`.

        The window's first pixel is (left, top) of the canvas. Rays that don't meet it in front of the eye give NaN.
        """
        steps = (np.arange(side * samples, dtype=np.float64) + 0.5) / samples
        across = ((left + steps) - CANVAS / 2) / FOCAL
        up = (CANVAS / 2 - (top + steps)) / FOCAL
        return self._met(across[None, :], up[:, None], height)

    def _met(self, across: Floats, up: Floats, height: float) -> tuple[Floats, Floats]:
        cp, sp, cy, sy = cosine(self.pitch), sine(self.pitch), cosine(self.yaw), sine(self.yaw)
        # The inverse of `seen`: first the pitch back, then the yaw.
        eye_y, eye_z = DISTANCE * sp, DISTANCE * cp
        ray_y, ray_z = cp * up - sp, -sp * up - cp
        reach = (height - TARGET[1] - eye_y) / np.where(ray_y < _LEVEL, ray_y, np.nan)
        flat_x, flat_z = across * reach, eye_z + ray_z * reach
        return cy * flat_x - sy * flat_z + TARGET[0], sy * flat_x + cy * flat_z + TARGET[2]


def projected(seen: Floats) -> tuple[Floats, Floats]:
    """Return places on the canvas in pixels (V, 2), y down, and nearness (V,), which is linear across triangles."""
    nearness = DISTANCE / (DISTANCE - seen[:, 2])
    scale = FOCAL / DISTANCE
    x = CANVAS / 2 + scale * seen[:, 0] * nearness
    y = CANVAS / 2 - scale * seen[:, 1] * nearness
    return np.stack([x, y], axis=-1), nearness


def in_samples(places: Floats, left: int, top: int) -> Ints:
    """Return places in 16ths of a sample of the window that begins at (left, top)."""
    found: Ints = np.rint((places - np.array([left, top])) * (SAMPLES * SUB)).astype(np.int64)
    return found


def depth_steps(nearness: Floats) -> Ints:
    """Return nearness as whole steps, 0 to 65535. Larger is nearer, and a hundredth of a unit is about ten steps."""
    return np.clip(np.rint((nearness - _DEPTH_LOW) * _DEPTH_STEPS), 0, 65_535).astype(np.int64)
