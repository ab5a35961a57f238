"""Pictures to mount, made in the test."""

from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image

from generator_service.drawing.canvas import Picture


def hook(seed: int = 0, side: int = 120) -> Picture:
    """Draw a hook of some colour that no turn and no mirror brings back to itself; it does not lie on a diagonal."""
    picture = np.zeros((side, side, 4), np.uint8)
    unit = side // 12
    picture[unit : 11 * unit, 2 * unit : 4 * unit] = (200, (40 * seed) % 256, 60, 255)
    picture[unit : 4 * unit, 4 * unit : 8 * unit] = (200, (40 * seed) % 256, 60, 255)
    picture[8 * unit : 11 * unit, 2 * unit : 9 * unit] = ((70 * seed) % 256, 90, 160, 255)
    picture[6 * unit : 8 * unit, 7 * unit : 9 * unit] = (240, 230, (90 * seed) % 256, 255)
    return picture


def png(picture: Picture) -> bytes:
    buffer = BytesIO()
    Image.fromarray(picture).save(buffer, "PNG")
    return buffer.getvalue()


def write(folder: Path, files: dict[str, bytes]) -> Path:
    """Write files by their path inside the folder."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder
