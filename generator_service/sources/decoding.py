"""Decode pictures of sources of every kind: to check them when they are added, and to show them."""

import warnings
from collections.abc import Sequence
from io import BytesIO

import numpy as np
from PIL import Image, ImageOps

from generator_service.drawing.canvas import Picture

SMALLEST, LARGEST = 8, 4096  # pixels a side
PNG = ("PNG",)
PHOTOGRAPH = ("JPEG", "PNG", "WEBP")
CUT_OUT = (*PHOTOGRAPH, "GIF", "TIFF", "BMP", "AVIF")


class UnreadablePictureError(ValueError):
    """The bytes are no picture that can be shown; the message says why."""


def decode_picture(body: bytes | memoryview, formats: Sequence[str] = PNG) -> Picture:
    """Return the picture as RGBA, (height, width, 4), straight alpha.

    Raises:
        UnreadablePictureError: it is of another format, broken, moving, too small or too large.
    """
    try:
        with warnings.catch_warnings(), Image.open(BytesIO(body), formats=list(formats)) as image:
            warnings.simplefilter("error")
            _check(image)
            return np.asarray(ImageOps.exif_transpose(image).convert("RGBA"))
    except UnreadablePictureError:
        raise
    except Exception as error:  # Pillow raises half a dozen kinds for broken files
        raise UnreadablePictureError(f"is not a readable {' or '.join(formats)}") from error


def _check(image: Image.Image) -> None:
    if not all(SMALLEST <= side <= LARGEST for side in image.size):
        width, height = image.size
        raise UnreadablePictureError(f"is {width} x {height} pixels; {SMALLEST} to {LARGEST} a side can be shown")
    if getattr(image, "n_frames", 1) != 1:
        raise UnreadablePictureError("is a moving picture")
