"""Encode pixels as PNG, in as few channels as they need. Nothing depends on the bytes, only on the pixels.

The bytes differ between hosts: Intel's ISA-L compresses by what the processor can do, and zlib stands in where it has
no wheel.
"""

import struct
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from generator_service.drawing import deflate
from generator_service.drawing.canvas import Picture

# PNG (ISO/IEC 15948): signature, the filter type "up" (9.2), the colour types by their channels (table 8).
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_FILTER_UP = 2
_COLOUR_TYPES = {1: 0, 3: 2, 4: 6}
_CHANNELS = 4
_LEVEL = 1  # of ISA-L's 0 to 3: its level 3 takes longer, and its bytes differ between any two processors
_OPAQUE = np.uint32(0xFF000000)
_FOLLOWED = np.uint32(0xFFFF)  # red and green, each beside the channel after it


def encode_png(picture: Picture, compress: Callable[[Any, int], bytes] = deflate.compress) -> bytes:
    """Encode as PNG: every row as its difference from the one above, then deflate.

    With zlib's own `compress` the bytes are the same on every host that has this zlib. Pillow's writer tries five
    filters on each row, which takes twice the time for the same number of bytes.
    """
    height, width = picture.shape[:2]
    channels = _channels(picture)
    filtered = np.empty((height, 1 + width * channels), np.uint8)
    filtered[:, 0] = _FILTER_UP
    kept = filtered[:, 1:].reshape(height, width, channels)
    # All four are subtracted, then those kept are copied one by one: both are fast, three of four at once are not.
    changed = kept if channels == _CHANNELS else np.empty(picture.shape, np.uint8)
    changed[0] = picture[0]
    np.subtract(picture[1:], picture[:-1], out=changed[1:])
    if changed is not kept:
        for channel in range(channels):
            kept[..., channel] = changed[..., channel]
    size = struct.pack(">IIBBBBB", width, height, 8, _COLOUR_TYPES[channels], 0, 0, 0)  # 8 bits each, not interlaced
    packed = compress(filtered.data, _LEVEL)
    return _SIGNATURE + _chunk(b"IHDR", size) + _chunk(b"IDAT", packed) + _chunk(b"IEND", b"")


def _channels(picture: Picture) -> int:
    """Return the channels needed: 1 for an opaque grey picture, 3 for another opaque one, else 4.

    A few pixels are looked at first, because they decide most cases.
    """
    channels = 1
    for part in (picture[::17, ::13], picture):
        words = np.ascontiguousarray(part).view("<u4")[..., 0]
        if words.min() < _OPAQUE:
            return _CHANNELS
        if channels == 1 and _is_coloured(words):
            channels = 3
    return channels


def _is_coloured(words: npt.NDArray[np.uint32]) -> bool:
    """Tell whether any pixel's channels differ. One array is reused, because allocating arrays of this size is slow."""
    apart = words >> np.uint32(8)
    apart ^= words
    apart &= _FOLLOWED
    return bool(apart.any())


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
