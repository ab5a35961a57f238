"""Project the room to the picture and back: a camera looks down on the middle of the furniture.

Units: half a metre. x to the right, y up from the floor, z towards the viewer. Only + - * / on coordinates, so that
every machine finds the same pixels.
"""

from dataclasses import dataclass

import numpy as np

from generator_service.drawing.exact import Floats, Ints, cosine, sine
from generator_service.drawing.mesh import Mesh
from generator_service.drawing.rasterize import SUB

SIDE = 512  # of a picture
MARGIN = 12  # pixels by which the picture's frame may move over what is drawn
SAMPLES = 3  # a side of a pixel
_LEVEL = -1e-9  # rays that fall less than this never reach the floor
_DEPTH_LOW, _DEPTH_STEPS = 0.5, 60_000.0


@dataclass(frozen=True)
class Lens:
    """target: the height of the point (0, y, 0) that is looked at. distance: of the eye from it. focal: in pixels.

    wide, high: of the canvas in pixels; a picture is a frame on it.
    """

    target: float
    distance: float
    focal: float
    wide: int
    high: int


@dataclass(frozen=True)
class Window:
    """A part of the canvas, in pixels."""

    left: int
    top: int
    wide: int
    high: int


@dataclass(frozen=True)
class Camera:
    """Degrees: `yaw` turns the room's right side away, `pitch` looks down on it."""

    yaw: float
    pitch: float
    lens: Lens

    @property
    def canvas(self) -> Window:
        return Window(0, 0, self.lens.wide, self.lens.high)

    def turn_to_eye(self, mesh: Mesh) -> Mesh:
        """Turn the mesh as the eye sees it: the target at the origin, z towards the eye."""
        return mesh.move(y=-self.lens.target).turn("y", self.yaw).turn("x", self.pitch)

    def project(self, seen: Floats) -> tuple[Floats, Floats]:
        """Return places on the canvas in pixels (V, 2), y down, and nearness (V,), which is linear across triangles."""
        lens = self.lens
        nearness = lens.distance / (lens.distance - seen[:, 2])
        scale = lens.focal / lens.distance
        x = lens.wide / 2 + scale * seen[:, 0] * nearness
        y = lens.high / 2 - scale * seen[:, 1] * nearness
        return np.stack([x, y], axis=-1), nearness

    def plane(self, height: float, window: Window, samples: int = 1) -> tuple[Floats, Floats]:
        """Return x and z, (high * samples, wide * samples) each, of where the eye's rays meet the level `height`.

        Rays that don't meet it in front of the eye give NaN.
        """
        across, up = self._rays(window, samples)
        cp, sp, eye_y, eye_z = self._eye()
        # The inverse of `seen`: first the pitch back, then the yaw.
        ray_y, ray_z = cp * up - sp, -sp * up - cp
        reach = (height - self.lens.target - eye_y) / np.where(ray_y < _LEVEL, ray_y, np.nan)
        return self._turned_back(across * reach, eye_z + ray_z * reach)

    def wall(self, depth: float, window: Window, samples: int = 1) -> tuple[Floats, Floats]:
        """Return x and y, (high * samples, wide * samples) each, of where the eye's rays meet the wall z = `depth`."""
        across, up = self._rays(window, samples)
        cp, sp, eye_y, eye_z = self._eye()
        cy, sy = cosine(self.yaw), sine(self.yaw)
        ray_y, ray_z = cp * up - sp, -sp * up - cp
        # z after the yaw is turned back, as in `_turned_back`: sy * across * reach + cy * (eye_z + ray_z * reach).
        reach = (depth - cy * eye_z) / (sy * across + cy * ray_z)
        x, _ = self._turned_back(across * reach, eye_z + ray_z * reach)
        return x, eye_y + ray_y * reach + self.lens.target

    def _rays(self, window: Window, samples: int) -> tuple[Floats, Floats]:
        lens = self.lens
        along = (np.arange(window.wide * samples, dtype=np.float64) + 0.5) / samples
        down = (np.arange(window.high * samples, dtype=np.float64) + 0.5) / samples
        across = ((window.left + along) - lens.wide / 2) / lens.focal
        up = (lens.high / 2 - (window.top + down)) / lens.focal
        return across[None, :], up[:, None]

    def _eye(self) -> tuple[float, float, float, float]:
        """Return cosine and sine of the pitch, and the eye's height and distance before the yaw is turned back."""
        cp, sp = cosine(self.pitch), sine(self.pitch)
        return cp, sp, self.lens.distance * sp, self.lens.distance * cp

    def _turned_back(self, flat_x: Floats, flat_z: Floats) -> tuple[Floats, Floats]:
        cy, sy = cosine(self.yaw), sine(self.yaw)
        return cy * flat_x - sy * flat_z, sy * flat_x + cy * flat_z


def in_samples(places: Floats, left: int, top: int) -> Ints:
    """Return places in 16ths of a sample of the window that begins at (left, top)."""
    found: Ints = np.rint((places - np.array([left, top])) * (SAMPLES * SUB)).astype(np.int64)
    return found


def depth_steps(nearness: Floats) -> Ints:
    """Return nearness as whole steps, 0 to 65535. Larger is nearer, and a hundredth of a unit is about ten steps."""
    return np.clip(np.rint((nearness - _DEPTH_LOW) * _DEPTH_STEPS), 0, 65_535).astype(np.int64)
