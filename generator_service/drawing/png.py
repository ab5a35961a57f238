"""Pixels to PNG bytes: no two encoders give the same ones, so nothing depends on them but a viewer's eye."""

import struct
import zlib

import numpy as np

from generator_service.drawing.canvas import Picture

# PNG (ISO/IEC 15948): signature, the filter type "up" (9.2), the colour type of RGBA (table 8).
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_FILTER_UP = 2
_RGBA = 6
_LEVEL = 3  # of zlib: level 1 saves a quarter of the time, and costs 7% more bytes (KiVA's pictures)


def encode_png(picture: Picture) -> bytes:
    """Encode as PNG: every row as its difference from the one above, then zlib.

    Pillow's writer tries five filters on each row, which takes twice the time for the same number of bytes.
    """
    height, width = picture.shape[:2]
    rows = picture.reshape(height, width * 4)
    filtered = np.empty((height, 1 + width * 4), np.uint8)
    filtered[:, 0] = _FILTER_UP
    filtered[0, 1:] = rows[0]
    np.subtract(rows[1:], rows[:-1], out=filtered[1:, 1:])
    size = struct.pack(">IIBBBBB", width, height, 8, _RGBA, 0, 0, 0)  # 8 bits a channel, not interlaced
    packed = zlib.compress(filtered.data, _LEVEL)
    return _SIGNATURE + _chunk(b"IHDR", size) + _chunk(b"IDAT", packed) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
