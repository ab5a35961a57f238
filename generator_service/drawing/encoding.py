"""Pictures on their way out: PNG bytes, without an alpha channel that says nothing."""

import struct
import zlib

import numpy as np
from PIL import Image

from generator_service.drawing.canvas import Picture, encode_png

OPAQUE = 255
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_UP = 2  # PNG's filter that subtracts the row above
_TRUECOLOUR = 2


def encode_picture(picture: Picture) -> bytes:
    """Encode RGBA as PNG; an opaque coloured picture as RGB, which takes half the time.

    Pillow tries five filters on every row, and that is what takes its time. Drawn rooms are plain areas with upright
    edges: "up" alone suits them, for a fifth more bytes.
    """
    sample = picture[::17, ::13]
    if np.array_equal(sample[..., 0], sample[..., 2]) or picture[..., 3].min() < OPAQUE:
        return encode_png(picture)
    flat = np.asarray(Image.fromarray(picture).convert("RGB")).reshape(picture.shape[0], -1)
    rows = np.full((flat.shape[0], 1 + flat.shape[1]), _UP, np.uint8)
    rows[0, 1:] = flat[0]
    np.subtract(flat[1:], flat[:-1], out=rows[1:, 1:])
    head = struct.pack(">IIBBBBB", picture.shape[1], picture.shape[0], 8, _TRUECOLOUR, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes(), 1)), (b"IEND", b""))
    return _SIGNATURE + b"".join(_chunk(kind, content) for kind, content in chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(content, zlib.crc32(kind))
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)
