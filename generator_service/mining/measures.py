"""Measure photographs in whole numbers and keep those large enough: the job `measures`.

Its stages: `pictures` has the size of each picture, the digest of its decoded pixels, and its chroma. `usable` has the
pictures that are large enough to show.
"""

import hashlib
from typing import Any

import numpy as np

from generator_service.mining.jobs import Job, Row, Stage
from generator_service.sources.decoding import PHOTOGRAPH, decode_picture
from generator_service.sources.photographs import is_picture

LEAST_SIDE = 64  # pixels; smaller ones show nothing at 256


def measure_picture(given: tuple[str, Any]) -> Row:
    """Return a picture's size, the SHA-256 of its RGBA pixels, and its chroma: the mean of max - min of R, G, B."""
    picture = decode_picture(given[1], PHOTOGRAPH)
    colours = picture[..., :3].astype(np.int64)
    spread = int((colours.max(axis=2) - colours.min(axis=2)).sum())
    height, width = picture.shape[:2]
    return {
        "width": width,
        "height": height,
        "pixels": hashlib.sha256(picture.tobytes()).hexdigest(),
        "chroma": spread // (height * width),
    }


def usable(given: tuple[str, Row]) -> Row | None:
    """Keep a picture that is large enough."""
    row = given[1]
    return row if min(row["width"], row["height"]) >= LEAST_SIDE else None


JOB = Job(
    name="measures",
    kinds=("photographs", "situations"),
    help="size, pixels and chroma of every picture, and those that are large enough to be shown",
    stages=(
        Stage(name="pictures", help="measure every picture", version=1, each=measure_picture, wants=is_picture),
        Stage(
            name="usable",
            help="keep those that are large enough",
            version=1,
            reads="pictures",
            each=usable,
            inputs={"least_side": LEAST_SIDE},
        ),
    ),
)
