"""Decode pictures from data: addresses, within bounds. Nothing is fetched, and no header can demand memory."""

import binascii
import re
from io import BytesIO
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image

from tetrad.late_regex import late_regex

PictureArray: TypeAlias = npt.NDArray[np.uint8]
"""(height, width, 4) RGBA, straight alpha."""

FORMATS = ("PNG", "JPEG", "WEBP")
LARGEST_BYTES = 16 * 2**20
LARGEST_PIXELS = 2048 * 2048  # 16 MiB decoded; a request may show dozens, and several are solved at a time
_ADDRESS = late_regex(r"data:image/(?:png|jpeg|webp);base64,", re.IGNORECASE)
_SHOWN = 60
# What Pillow raises for damaged or oversized files; the warning is an error under strict filters.
_DAMAGE = (OSError, SyntaxError, ValueError, Image.DecompressionBombError, Image.DecompressionBombWarning)


class PictureError(Exception):
    """A picture of a request can't be used. `place` names the field; value, problem and remedy follow."""

    def __init__(self, place: str, value: str, problem: str, remedy: str) -> None:
        super().__init__(f"{place}: {problem}; {remedy}")
        self.place = place
        self.value = value
        self.problem = problem
        self.remedy = remedy


def decode_address(address: str, place: str) -> PictureArray:
    """Decode a data: address. A moving picture gives its first frame.

    Raises:
        PictureError: as `open_address`, or its pixels are damaged.
    """
    image = open_address(address, place, largest_pixels=LARGEST_PIXELS)
    try:
        return np.asarray(image if image.mode == "RGBA" else image.convert("RGBA"))
    except _DAMAGE as error:
        raise PictureError(place, address[:_SHOWN], f"is damaged ({error})", "send the whole file") from error


def open_address(address: str, place: str, *, largest_pixels: int) -> Image.Image:
    """Open a data: address without decoding its pixels. The caller closes it.

    Raises:
        PictureError: it is no data: address of a known format, or too large in bytes or pixels.
    """
    shown = address[:_SHOWN]
    content = _content(address, place)
    try:
        image = Image.open(BytesIO(content), formats=FORMATS)
    except _DAMAGE as error:
        raise PictureError(place, shown, "holds no readable picture", "send a PNG, JPEG or WebP") from error
    if image.width * image.height > largest_pixels:
        size = f"has {image.width} x {image.height} pixels"
        raise PictureError(place, shown, size, f"send at most {largest_pixels} pixels")
    return image


def _content(address: str, place: str) -> bytes:
    shown = address[:_SHOWN]
    head = _ADDRESS.match(address)
    if head is None:
        remedy = "nothing is fetched here: send data:image/png;base64,... (or jpeg, webp)"
        raise PictureError(place, shown, "is no data: address of a picture", remedy)
    if (len(address) - head.end()) * 3 // 4 > LARGEST_BYTES:
        raise PictureError(place, shown, "is too large", f"send at most {LARGEST_BYTES} bytes a picture")
    try:
        return binascii.a2b_base64(address[head.end() :], strict_mode=True)
    except (binascii.Error, ValueError) as error:
        raise PictureError(place, shown, f"is no base64 ({error})", "encode the file's bytes as base64") from error
