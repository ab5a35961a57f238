"""Pictures as the tensors that models take: files as they came, or RGB bytes of one size."""

import base64
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image

from tetrad.solvers.pictures import PictureError, open_address

Fit: TypeAlias = Literal["stretch", "crop", "pad"]
"""How a picture becomes a square: stretched, its middle cut out, or white added around it."""

LARGEST_PIXELS = 4096 * 4096  # the gateway's own bound may be lower; it is checked before


def file_of(address: str) -> bytes:
    """Return the file in a data: address; the gateway has checked its form."""
    return base64.b64decode(address.partition(",")[2])


def encoded_of(address: str) -> bytes:
    """Return the file in a data: address, still as base64."""
    return address.partition(",")[2].encode()


def square(address: str, place: str, side: int, fit: Fit) -> npt.NDArray[np.uint8]:
    """Return a picture as [side, side, 3]. Raises: PictureError: its pixels are damaged."""
    picture = rgb(address, place)
    width, height = picture.size
    resample = Image.Resampling.BICUBIC
    if fit == "crop":
        short = min(width, height)
        left, top = (width - short) // 2, (height - short) // 2
        picture = picture.crop((left, top, left + short, top + short)).resize((side, side), resample)
    elif fit == "pad" and width != height:
        share = side / max(width, height)
        size = (max(1, round(width * share)), max(1, round(height * share)))
        page = Image.new("RGB", (side, side), "white")
        page.paste(picture.resize(size, resample), ((side - size[0]) // 2, (side - size[1]) // 2))
        picture = page
    elif (width, height) != (side, side):
        picture = picture.resize((side, side), resample)
    return np.asarray(picture)


def rgb(address: str, place: str) -> Image.Image:
    """Return a picture on white. Raises: PictureError: its pixels are damaged."""
    with open_address(address, place, largest_pixels=LARGEST_PIXELS) as image:
        try:
            if "A" not in image.getbands() and "transparency" not in image.info:
                return image.convert("RGB")
            pixels = image.convert("RGBA")
        except (OSError, SyntaxError, ValueError) as error:
            raise PictureError(place, address[:60], f"is damaged ({error})", "send the whole file") from error
    page = Image.new("RGBA", pixels.size, "white")
    page.alpha_composite(pixels)
    return page.convert("RGB")


def stack_pages(pictures: Sequence[Image.Image]) -> npt.NDArray[Any]:
    """Return pictures as [n, height, width, 3], smaller ones filled with white to the right and below."""
    width, height = max(picture.width for picture in pictures), max(picture.height for picture in pictures)
    pages = np.full((len(pictures), height, width, 3), 255, np.uint8)
    for page, picture in zip(pages, pictures, strict=True):
        page[: picture.height, : picture.width] = np.asarray(picture)
    return pages
