"""Light surfaces: a key light from one side, a fill from the other, some sky, and gloss."""

from dataclasses import dataclass

import numpy as np

from generator_service.drawing.exact import Floats, Singles
from generator_service.drawing.mesh import Mesh
from generator_service.drawing.portrait import Direction, blend_normals, shine_of, towards
from generator_service.drawing.rasterize import Visible


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
    normal = blend_normals(normals, seen)
    key = np.maximum(towards(normal, light.key) * np.float32(0.88) + np.float32(0.12), 0)
    fill = np.maximum(towards(normal, light.fill), 0)
    sky = normal[1] * np.float32(0.08) + np.float32(0.08)
    brightness = key * np.float32(0.52) + fill * np.float32(0.16) + sky + np.float32(0.46)
    shine = np.minimum(shine_of(normal, light.halfway) * mesh.gloss.astype(np.float32)[seen.face], 1) * np.float32(0.7)
    channels = []
    for k in range(3):
        colour = mesh.colours[:, k].astype(np.float32)[seen.face] * brightness * np.float32(light.tone[k])
        channels.append(np.minimum(colour + (np.float32(255) - colour) * shine, 255))
    return channels
