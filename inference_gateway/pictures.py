"""Pictures of a request: bounds that hold before any model sees them, and the model's own limits.

In order: which pictures a request shows, what their headers say, and the same pictures within a model's limits. A
picture within the limits goes on byte for byte. A larger one is made smaller, in a thread: decoding one of 1024 pixels
takes 26 ms, and halving and encoding it 190. The result is kept by the picture's digest: a conversation shows its
earlier pictures with every question.
"""

import asyncio
import base64
import hashlib
import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Literal, TypeAlias

import msgspec
from cachetools import LRUCache
from PIL import Image

from inference_gateway.entries import PictureBounds
from tetrad.contracts.inference import ContentPart, ImageAddress, ImagePart, Message, SentPicture
from tetrad.solvers.pictures import PictureError, open_address

Detail: TypeAlias = Literal["auto", "low", "high"]
LEAST_SIDE = 64  # pixels: no picture is made smaller than this to fit a bound in bytes
SHRINK = 0.75
BYTES_A_PIXEL = 4  # decoded, as RGBA
KEPT_BYTES = 32 * 2**20
WRONG_JPEG = re.compile(r"^data:image/jpg(?=;)", re.IGNORECASE)
INLINE_CHARACTERS = 512 * 2**10  # bytes of all addresses together: reading fewer is as fast as starting a thread


@dataclass(frozen=True)
class Shown:
    """A picture of a request, and the field that it stands in."""

    place: str
    address: ImageAddress


@dataclass(frozen=True, kw_only=True)
class Seen:
    """A picture whose header was read: its size in pixels, and in bytes as it came."""

    shown: Shown
    width: int
    height: int
    bytes: int

    @property
    def decoded_bytes(self) -> int:
        """Return the bytes that it takes decoded."""
        return self.width * self.height * BYTES_A_PIXEL


@dataclass(frozen=True, kw_only=True)
class Fitted:
    """A picture as a model gets it."""

    address: ImageAddress
    sent: SentPicture


def normal_address(address: ImageAddress) -> ImageAddress:
    """Return an address as providers take it: image/jpeg for image/jpg, base64 without line breaks."""
    head, comma, data = address.url.partition(",")
    head = WRONG_JPEG.sub("data:image/jpeg", head)
    if any(mark in data for mark in " \n\r\t"):
        data = "".join(data.split())
    url = head + comma + data
    return address if url == address.url else msgspec.structs.replace(address, url=url)


def find_pictures(messages: Sequence[Message]) -> list[Shown]:
    """Return the pictures of a conversation, in order."""
    return [
        Shown(f"messages[{at}].content[{number}].image_url.url", normal_address(part.image_url))
        for at, message in enumerate(messages)
        for number, part in enumerate([] if isinstance(message.content, str) else message.content)
        if isinstance(part, ImagePart)
    ]


async def see(shown: Sequence[Shown], *, largest_pixels: int) -> list[Seen]:
    """Read the header of every picture.

    Raises:
        PictureError: one is not a data: address of a known format, or is too large in bytes or pixels.
    """

    def read() -> list[Seen]:
        return [_read_header(picture, largest_pixels) for picture in shown]

    if sum(len(picture.address.url) for picture in shown) <= INLINE_CHARACTERS:
        return read()
    return await asyncio.to_thread(read)


class Fitting:
    """Makes pictures fit the limits of models, and keeps the smaller ones by digest, bounded in bytes."""

    def __init__(self, kept_bytes: int = KEPT_BYTES) -> None:
        self._kept: LRUCache[tuple[bytes, int | None, int | None], Fitted] = LRUCache(
            kept_bytes, getsizeof=lambda fitted: len(fitted.address.url)
        )
        self._lock = threading.Lock()

    async def fit(self, seen: Sequence[Seen], bounds: PictureBounds, *, largest_pixels: int) -> list[Fitted]:
        """Return the pictures within the bounds, in order; `detail` is the model's if the request has none.

        Raises:
            PictureError: one is damaged, or can't be made to fit.
        """
        if all(_is_within(picture, bounds) for picture in seen):
            return [_keep_unchanged(picture, bounds) for picture in seen]
        return await asyncio.to_thread(
            lambda: [
                _keep_unchanged(picture, bounds)
                if _is_within(picture, bounds)
                else self._find_or_make_smaller(picture, bounds, largest_pixels)
                for picture in seen
            ]
        )

    def _find_or_make_smaller(self, seen: Seen, bounds: PictureBounds, largest_pixels: int) -> Fitted:
        digest = hashlib.sha256(seen.shown.address.url.encode()).digest()
        key = (digest, bounds.side, bounds.bytes)
        with self._lock:
            kept = self._kept.get(key)
        if kept is None:
            kept = _make_smaller(seen, bounds, largest_pixels)
            with self._lock:
                if len(kept.address.url) <= self._kept.maxsize:
                    self._kept[key] = kept
        detail = _detail(seen, bounds)
        sent = msgspec.structs.replace(kept.sent, detail=detail)
        return Fitted(address=ImageAddress(url=kept.address.url, detail=detail), sent=sent)


def with_pictures(messages: Sequence[Message], fitted: Sequence[Fitted]) -> list[Message]:
    """Return the conversation with these pictures in place of its own, in order."""
    left = iter(fitted)
    return [
        message
        if isinstance(message.content, str)
        else msgspec.structs.replace(message, content=list(_parts(message.content, left)))
        for message in messages
    ]


def _parts(content: Sequence[ContentPart], left: Iterator[Fitted]) -> Iterator[ContentPart]:
    for part in content:
        yield ImagePart(image_url=next(left).address) if isinstance(part, ImagePart) else part


def _read_header(shown: Shown, largest_pixels: int) -> Seen:
    url = shown.address.url
    with open_address(url, shown.place, largest_pixels=largest_pixels) as image:
        width, height = image.size
    size = (len(url) - url.index(",") - 1) * 3 // 4 - url[-2:].count("=")
    return Seen(shown=shown, width=width, height=height, bytes=size)


def _is_within(seen: Seen, bounds: PictureBounds) -> bool:
    is_small = bounds.side is None or max(seen.width, seen.height) <= bounds.side
    return is_small and (bounds.bytes is None or seen.bytes <= bounds.bytes)


def _detail(seen: Seen, bounds: PictureBounds) -> Detail:
    asked = seen.shown.address.detail
    return bounds.detail if asked == "auto" and bounds.detail is not None else asked


def _keep_unchanged(seen: Seen, bounds: PictureBounds) -> Fitted:
    detail = _detail(seen, bounds)
    sent = SentPicture(width=seen.width, height=seen.height, bytes=seen.bytes, detail=detail)
    return Fitted(address=ImageAddress(url=seen.shown.address.url, detail=detail), sent=sent)


def _make_smaller(seen: Seen, bounds: PictureBounds, largest_pixels: int) -> Fitted:
    """Return the picture as a PNG within the bounds."""
    place = seen.shown.place
    with open_address(seen.shown.address.url, place, largest_pixels=largest_pixels) as image:
        try:
            pixels = image.convert("RGBA" if "A" in image.getbands() or "transparency" in image.info else "RGB")
        except (OSError, SyntaxError, ValueError) as error:
            raise PictureError(place, "", f"is damaged ({error})", "send the whole file") from error
    side = min(bounds.side or max(pixels.size), max(pixels.size))
    while True:
        share = side / max(pixels.size)
        width, height = (max(1, round(pixels.width * share)), max(1, round(pixels.height * share)))
        buffer = BytesIO()
        pixels.resize((width, height), Image.Resampling.LANCZOS).save(buffer, "PNG")
        if bounds.bytes is None or buffer.tell() <= bounds.bytes:
            break
        side = int(side * SHRINK)
        if side < LEAST_SIDE:
            problem = f"can't be made to fit {bounds.bytes} bytes, which this model takes"
            raise PictureError(place, "", problem, "send a simpler or smaller picture")
    url = "data:image/png;base64," + base64.b64encode(buffer.getbuffer()).decode()
    sent = SentPicture(width=width, height=height, bytes=buffer.tell(), detail="auto", resized=True)
    return Fitted(address=ImageAddress(url=url), sent=sent)
