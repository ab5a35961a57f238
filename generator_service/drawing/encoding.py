"""Pictures on their way out: PNG bytes, without an alpha channel that says nothing."""

from io import BytesIO

import numpy as np
from PIL import Image

from generator_service.drawing.canvas import Picture, encode_png

OPAQUE = 255


def encode_picture(picture: Picture) -> bytes:
    """Encode RGBA as PNG; an opaque coloured picture as RGB, which takes three quarters of the time and bytes."""
    sample = picture[::17, ::13]
    if np.array_equal(sample[..., 0], sample[..., 2]) or picture[..., 3].min() < OPAQUE:
        return encode_png(picture)
    buffer = BytesIO()
    Image.fromarray(np.ascontiguousarray(picture)).convert("RGB").save(buffer, "PNG", compress_level=3)
    return buffer.getvalue()
