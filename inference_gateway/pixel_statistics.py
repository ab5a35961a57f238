"""An embedder on plain pixel statistics: a color histogram beside a coarse layout, no learning.

It tells colors, sizes and places apart, and no kinds of objects: a baseline for learned embeddings, and enough to
find equal or nearly equal pictures.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from PIL import Image

from tetrad.solvers.pictures import PictureArray, decode_address

BINS = 4  # a channel: 64 colors
GRID = 8
DIMENSION = BINS**3 + 1 + GRID * GRID * 4
"""321: the share of each of 64 colors and of what is transparent, then 8 x 8 cells of premultiplied RGB and alpha."""


def embed_pictures(addresses: Sequence[str]) -> list[list[float]]:
    """Return one vector of DIMENSION for each data: address, its length 1, both halves weighing alike.

    Raises:
        PictureError: an input is no data: address of a picture within bounds.
    """
    return [embed_pixels(decode_address(address, f"input[{at}]")).tolist() for at, address in enumerate(addresses)]


def embed_pixels(picture: PictureArray) -> npt.NDArray[np.float64]:
    """Return the vector of one picture, (height, width, 4) RGBA."""
    parts = [_normalise(_histogram(picture)), _normalise(_layout(picture))]
    return _normalise(np.concatenate(parts))


def _histogram(picture: PictureArray) -> npt.NDArray[np.float64]:
    """Share of every color among all pixels, weighed by alpha, and last the transparent share: they sum to 1."""
    alpha = picture[..., 3].astype(np.float64).ravel() / 255
    level = picture[..., :3].reshape(-1, 3) // (256 // BINS)
    color = (level[:, 0].astype(np.intp) * BINS + level[:, 1]) * BINS + level[:, 2]
    shares = np.bincount(color, weights=alpha, minlength=BINS**3) / alpha.size
    return np.append(shares, 1 - shares.sum())


def _layout(picture: PictureArray) -> npt.NDArray[np.float64]:
    small = Image.fromarray(picture).resize((GRID, GRID), Image.Resampling.BOX)
    cells = np.asarray(small, dtype=np.float64) / 255
    cells[..., :3] *= cells[..., 3:]
    return cells.ravel()


def _normalise(vector: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector
