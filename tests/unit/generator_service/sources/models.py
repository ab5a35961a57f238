"""A furniture library made in a moment: three models of a few faces, one with a texture, one lying on its side."""

import zipfile
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image

BOX = [(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)]
SIDES = [(1, 4, 3, 2), (5, 6, 7, 8), (1, 2, 6, 5), (2, 3, 7, 6), (3, 4, 8, 7), (4, 1, 5, 8)]
CATALOGUE = """# PluginFurnitureCatalog.properties
name=A library
id#1=Tests#mug
name#1=Mug
model#1=/shop/mug/mug.obj
creator#1=Ann
id#2=Tests#crate
name#2=Crate
model#2=/shop/crate/crate.obj
creator#2=Bob
id#3=Tests#pole
name#3=Pole
model#3=/shop/pole/pole.obj
modelRotation#3=0 -1 0 1 0 0 0 0 1
creator#3=Cy
"""
MATERIALS = "newmtl red\nKd 0.8 0.2 0.1\nnewmtl blue\nKd 0.1 0.2 0.9\nd 0.3\nnewmtl wood\nKd 1 1 1\nmap_Kd wood.png\n"


def library(path: Path) -> Path:
    """Write the library at `path` and return it."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("PluginFurnitureCatalog.properties", CATALOGUE)
        for name, text in (("mug", _mug()), ("crate", _crate()), ("pole", _block(4, 0.3, 0.3, "red"))):
            archive.writestr(f"shop/{name}/{name}.obj", f"mtllib {name}.mtl\n{text}")
            archive.writestr(f"shop/{name}/{name}.mtl", MATERIALS)
        archive.writestr("shop/crate/wood.png", _wood())
    return path


def _block(x: float, y: float, z: float, material: str, *, at: float = 0.0, first: int = 0) -> str:
    corners = "".join(f"v {a * x + at} {b * y} {c * z}\n" for a, b, c in BOX)
    faces = "".join(f"f {' '.join(str(k + first) for k in side)}\n" for side in SIDES)
    return f"{corners}usemtl {material}\n{faces}"


def _mug() -> str:
    return _block(1, 1.2, 1, "red") + _block(0.4, 0.3, 0.2, "blue", at=1.4, first=8)


def _crate() -> str:
    """Lay the texture once on every side: its left half is dark, its right half light."""
    corners = "".join(f"v {a} {b} {c}\n" for a, b, c in BOX)
    places = "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
    faces = "".join(f"f {' '.join(f'{k}/{n}' for n, k in enumerate(side, 1))}\n" for side in SIDES)
    return f"{corners}{places}usemtl wood\n{faces}"


def _wood() -> bytes:
    pixels = np.full((64, 64, 3), 40, np.uint8)
    pixels[:, 32:] = (230, 200, 150)
    buffer = BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()
