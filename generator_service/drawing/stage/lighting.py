"""Light surfaces: a key light from one side, a fill from the other, some sky, and gloss."""

from dataclasses import dataclass

import numpy as np

from generator_service.drawing.exact import Floats, Singles
from generator_service.drawing.mesh import Mesh
from generator_service.drawing.rasterize import Visible

Direction = tuple[float, float, float]


@dataclass(frozen=True)
class Light:
    """`key`, `fill` and `halfway` (between key and eye) are unit vectors as the eye sees them; `tone` per channel."""

    key: Direction
    fill: Direction
    halfway: Direction
    tone: Direction


LEFT = Light(key=(-0.421, 0.661, 0.621), fill=(0.779, 0.1, 0.619), halfway=(-0.234, 0.367, 0.9), tone=(1.0, 0.99, 0.97))
RIGHT = Light(key=(0.421, 0.661, 0.621), fill=(-0.779, 0.1, 0.619), halfway=(0.234, 0.367, 0.9), tone=(0.98, 0.99, 1.0))


def light_samples(mesh: Mesh, normals: Floats, seen: Visible, light: Light) -> list[Singles]:
    """Return red, green and blue, 0..255, of every sample; `normals` (F, 3, 3) are those of the faces' corners."""
    normal = _normals(normals, seen)
    key = np.maximum(_towards(normal, light.key) * np.float32(0.88) + np.float32(0.12), 0)
    fill = np.maximum(_towards(normal, light.fill), 0)
    sky = normal[1] * np.float32(0.08) + np.float32(0.08)
    brightness = key * np.float32(0.52) + fill * np.float32(0.16) + sky + np.float32(0.46)
    shine = np.minimum(_shine(normal, light) * mesh.gloss.astype(np.float32)[seen.face], 1) * np.float32(0.7)
    channels = []
    for k in range(3):
        colour = mesh.colours[:, k].astype(np.float32)[seen.face] * brightness * np.float32(light.tone[k])
        channels.append(np.minimum(colour + (np.float32(255) - colour) * shine, 255))
    return channels


def _normals(corners: Floats, seen: Visible) -> list[Singles]:
    """Blend the corners' normals to x, y, z at each sample, facing the viewer: both sides are lit."""
    table = np.ascontiguousarray(corners.transpose(1, 2, 0), np.float32)
    x, y, z = (
        table[0, axis][seen.face] * seen.weights[0]
        + table[1, axis][seen.face] * seen.weights[1]
        + table[2, axis][seen.face] * seen.weights[2]
        for axis in range(3)
    )
    length = np.maximum(np.sqrt(x * x + y * y + z * z), np.float32(1e-6))
    scale = np.where(z < 0, np.float32(-1), np.float32(1)) / length
    return [x * scale, y * scale, z * scale]


def _towards(normal: list[Singles], direction: Direction) -> Singles:
    x, y, z = (np.float32(part) for part in direction)
    dot: Singles = normal[0] * x + normal[1] * y + normal[2] * z
    return dot


def _shine(normal: list[Singles], light: Light) -> Singles:
    """Return Blinn's highlight. The 32nd power is taken by squaring, which is exact; `power` is not."""
    shine = np.maximum(_towards(normal, light.halfway), 0)
    for _ in range(5):
        shine = shine * shine
    return shine
