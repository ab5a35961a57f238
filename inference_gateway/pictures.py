"""Pictures of a request: bounds that hold before any model sees them, and the model's own limits.

A picture within the model's limits goes on byte for byte. A larger one is made smaller, in a thread: decoding one of
1024 pixels takes 26 ms, and halving and encoding it 190.
"""

import asyncio
import base64
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO

import msgspec
from PIL import Image

from inference_gateway.registry import PictureBounds
from tetrad.contracts.inference import ContentPart, ImageAddress, ImagePart, Message, SentPicture
from tetrad.server.problems import refuse
from tetrad.solvers.pictures import PictureError, check_address, open_address

MOST_PICTURES = 64  # of a request: five pictures and a few solved examples are a dozen
LEAST_SIDE = 64  # no picture is made smaller than that to fit a bound in bytes
SHRINK = 0.75
BYTES_A_PIXEL = 4  # decoded, as RGBA


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """Messages as a model gets them, what its pictures are, and the bytes that they take decoded."""

    messages: list[Message]
    pictures: list[SentPicture]
    decoded_bytes: int = 0


async def prepare(messages: Sequence[Message], bounds: PictureBounds, *, largest_pixels: int) -> Prepared:
    """Check every picture by its header, and make those smaller that are larger than the model takes.

    Raises:
        PictureError: one is no data: address within bounds, or can't be made to fit.
        ProblemError: 422, there are too many.
    """
    found = sum(isinstance(part, ImagePart) for message in messages for part in _parts(message))
    if not found:
        return Prepared(messages=list(messages), pictures=[])
    most = min(MOST_PICTURES, bounds.most or MOST_PICTURES)
    if found > most:
        raise refuse(422, "messages", found, "show too many pictures", f"send at most {most} a request to this model")
    return await asyncio.to_thread(_prepared, messages, bounds, largest_pixels)


def check_input(address: str, place: str, *, largest_pixels: int) -> None:
    """Make sure that an embedding's input is a picture within bounds: PictureError otherwise."""
    check_address(address, place, largest_pixels=largest_pixels)


def _parts(message: Message) -> list[ContentPart]:
    return [] if isinstance(message.content, str) else message.content


def _prepared(messages: Sequence[Message], bounds: PictureBounds, largest_pixels: int) -> Prepared:
    pictures: list[SentPicture] = []
    sent: list[Message] = []
    for at, message in enumerate(messages):
        if isinstance(message.content, str):
            sent.append(message)
            continue
        parts: list[ContentPart] = []
        for number, part in enumerate(message.content):
            if isinstance(part, ImagePart):
                place = f"messages[{at}].content[{number}].image_url.url"
                part, picture = _fitted(part, bounds, place, largest_pixels)  # noqa: PLW2901 - what is sent of it
                pictures.append(picture)
            parts.append(part)
        sent.append(msgspec.structs.replace(message, content=parts))
    decoded = sum(picture.width * picture.height * BYTES_A_PIXEL for picture in pictures)
    return Prepared(messages=sent, pictures=pictures, decoded_bytes=decoded)


def _fitted(part: ImagePart, bounds: PictureBounds, place: str, largest_pixels: int) -> tuple[ImagePart, SentPicture]:
    address = part.image_url
    detail = bounds.detail if address.detail == "auto" and bounds.detail is not None else address.detail
    size = (len(address.url) - address.url.index(",") - 1) * 3 // 4 if "," in address.url else 0
    with open_address(address.url, place, largest_pixels=largest_pixels) as image:
        width, height = image.size
        is_within = (bounds.side is None or max(width, height) <= bounds.side) and (
            bounds.bytes is None or size <= bounds.bytes
        )
        if is_within:
            url, is_resized = address.url, False
        else:
            content, (width, height) = _smaller(image, bounds, place)
            url, size, is_resized = "data:image/png;base64," + base64.b64encode(content).decode(), len(content), True
    sent = SentPicture(width=width, height=height, bytes=size, detail=detail, resized=is_resized)
    return ImagePart(image_url=ImageAddress(url=url, detail=detail)), sent


def _smaller(image: Image.Image, bounds: PictureBounds, place: str) -> tuple[bytes, tuple[int, int]]:
    """Return the picture as a PNG within the bounds, and its size."""
    try:
        pixels = image.convert("RGBA" if "A" in image.getbands() or "transparency" in image.info else "RGB")
    except (OSError, SyntaxError, ValueError) as error:
        raise PictureError(place, "", f"is damaged ({error})", "send the whole file") from error
    side = min(bounds.side or max(pixels.size), max(pixels.size))
    while True:
        share = side / max(pixels.size)
        size = (max(1, round(pixels.width * share)), max(1, round(pixels.height * share)))
        buffer = BytesIO()
        pixels.resize(size, Image.Resampling.LANCZOS).save(buffer, "PNG")
        if bounds.bytes is None or buffer.tell() <= bounds.bytes:
            return buffer.getvalue(), size
        side = int(side * SHRINK)
        if side < LEAST_SIDE:
            problem = f"can't be made to fit {bounds.bytes} bytes, which this model takes"
            raise PictureError(place, "", problem, "send a simpler or smaller picture")
