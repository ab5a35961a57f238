"""A model of a furniture catalogue as triangles with colours and textures: OBJ and MTL, read by trimesh."""

import zipfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray
from PIL import Image

from generator_service.drawing.exact import Floats, Ints, Singles
from generator_service.drawing.mesh import Mesh
from generator_service.drawing.portrait import Exposure

if TYPE_CHECKING:
    from trimesh import Trimesh

_GLOSS = 0.3
_GRID = 1 << 16  # vertices are rounded to this share of a model's extent, so that vertices that meet become one
_LARGEST_TEXTURE = 256  # pixels a side
_LONGEST = 4096  # pixels a side; a larger texture is refused
_GREY = (190, 190, 190)
_NO_TEXTURE = -1
Texture = npt.NDArray[np.uint8]  # (height, width, 3)


class UnreadableModel(Exception):  # noqa: N818 - named for what went wrong
    """A model's file does not hold triangles; the message names it."""


@dataclass(frozen=True, eq=False)
class Model:
    """Triangles with textures: each face's texture (or -1) and the places of its corners on it (F, 3, 2) in 0..1.

    The mesh has the colours of faces without a texture. Glass is drawn as if it had none.
    """

    mesh: Mesh
    textures: tuple[Texture, ...]
    texture: Ints
    places: Floats


def read_model(archive: zipfile.ZipFile, name: str) -> Model:
    """Read a model by its path in the archive, its materials and textures from the folder it lies in.

    Raises:
        UnreadableModel: the model is not there, or has no faces.
    """
    # Commands that read no model would import it for half a second.
    from trimesh import load_scene  # noqa: PLC0415 -- see above
    from trimesh.resolvers import ZipResolver  # noqa: PLC0415 -- same

    folder = str(PurePosixPath(name).parent)
    beside = {name: BytesIO(archive.read(name)) for name in archive.namelist() if name.startswith(f"{folder}/")}
    if name not in beside:
        raise UnreadableModel(f"{name} is not in {archive.filename}")
    resolver = ZipResolver(beside, namespace=folder)
    scene = load_scene(beside[name], file_type="obj", resolver=resolver, process=False)
    parts = [part for _, part in sorted(scene.geometry.items()) if len(part.faces)]
    if not parts:
        raise UnreadableModel(f"{name} has no faces")
    return _join(parts)


def _join(parts: "list[Trimesh]") -> Model:
    """Join the parts, one for each material. Vertices at one place become one, so that light runs over seams."""
    textures: list[Texture] = []
    colours, numbers, places = [], [], []
    for part in parts:
        picture = _texture(part)
        count = len(part.faces)
        numbers.append(np.full(count, _NO_TEXTURE if picture is None else len(textures)))
        places.append(np.zeros((count, 3, 2)) if picture is None else np.asarray(_on_texture(part))[part.faces])
        colours.append(np.tile(np.array(_colour(part), np.float64), (count, 1)))
        textures += [] if picture is None else [picture]
    corners = np.concatenate([np.asarray(part.vertices, np.float64)[part.faces] for part in parts])
    extent = float((corners.max(axis=(0, 1)) - corners.min(axis=(0, 1))).max())
    whole = np.rint(corners / extent * _GRID).astype(np.int64)
    vertices, faces = np.unique(whole.reshape(-1, 3), axis=0, return_inverse=True)
    paint = np.concatenate(colours)
    mesh = Mesh(vertices / _GRID, faces.reshape(-1, 3), paint, np.full(len(paint), _GLOSS))
    return Model(mesh, tuple(textures), np.concatenate(numbers), np.concatenate(places))


def _colour(part: "Trimesh") -> tuple[int, int, int]:
    diffuse = getattr(getattr(part.visual, "material", None), "diffuse", None)
    if diffuse is None:
        return _GREY
    red, green, blue = (int(value) for value in diffuse[:3])
    return red, green, blue


def _on_texture(part: "Trimesh") -> NDArray[np.float64] | None:
    """Return the place of each vertex on the texture, (vertices, 2); None if the part has no places on one."""
    found: NDArray[np.float64] | None = getattr(part.visual, "uv", None)
    return found


def _texture(part: "Trimesh") -> Texture | None:
    """Return the part's texture, at most 256 pixels a side; None if it has none, or no places on it."""
    image = getattr(getattr(part.visual, "material", None), "image", None)
    if image is None or _on_texture(part) is None:
        return None
    if max(image.size) > _LONGEST:
        raise UnreadableModel(f"a texture of {image.size} pixels is more than {_LONGEST} a side")
    whole = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image.convert("RGBA")).convert("RGB")
    whole.thumbnail((_LARGEST_TEXTURE, _LARGEST_TEXTURE), Image.Resampling.BOX, reducing_gap=None)
    return np.asarray(whole)


def surface(model: Model, exposure: Exposure) -> list[Singles]:
    """Return the model's own colour at every sample seen: red, green and blue, 0..255."""
    face = exposure.seen.face
    channels = [model.mesh.colours[:, k].astype(np.float32)[face] for k in range(3)]
    for number, texture in enumerate(model.textures):
        on_it = np.flatnonzero(model.texture[face] == number)
        looked_up = _looked_up(texture, *_place(model, exposure, on_it))
        for k in range(3):
            channels[k][on_it] = looked_up[:, k]
    return channels


def _place(model: Model, exposure: Exposure, on_it: Ints) -> tuple[Floats, Floats]:
    """Return places on the texture. Nearer corners weigh more, so that nothing slides in perspective."""
    face = exposure.seen.face[on_it]
    weights = exposure.seen.weights[:, on_it].T * exposure.nearness[face]
    total = weights[:, 0] + weights[:, 1] + weights[:, 2]
    corners = model.places[face]
    along = [
        (weights[:, 0] * corners[:, 0, k] + weights[:, 1] * corners[:, 1, k] + weights[:, 2] * corners[:, 2, k])
        for k in (0, 1)
    ]
    return along[0] / total, along[1] / total


def _looked_up(texture: Texture, across: Floats, up: Floats) -> Texture:
    """Return the texture's pixels at these places; a texture repeats, and its first row is its top."""
    height, width = texture.shape[:2]
    column = np.floor(across * width).astype(np.int64) % width
    row = np.floor((1 - up) * height).astype(np.int64) % height
    found: Texture = texture[row, column]
    return found
