"""The job `vivid`: how colourful each photograph is, from 0 (the palest of the source) upwards."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from generator_service.mining.jobs import Job, Row, Stage
from generator_service.sources.decoding import PHOTOGRAPH, decode_picture
from generator_service.sources.photographs import is_picture


def colours(given: tuple[str, Any]) -> Row:
    """Return how far apart red, green and blue are, summed over a picture: a whole number."""
    pixels = decode_picture(given[1], PHOTOGRAPH)[..., :3].astype(np.int64)
    return {"spread": int((pixels.max(axis=2) - pixels.min(axis=2)).sum())}


def ranks(rows: Iterator[tuple[str, Row]]) -> Iterator[tuple[str, Row]]:
    """Number the pictures by their spread; pictures of one spread have one rank."""
    every = sorted(rows, key=lambda row: (row[1]["spread"], row[0]))
    levels = sorted({row["spread"] for _, row in every})
    yield from ((name, {"rank": levels.index(row["spread"])}) for name, row in every)


JOB = Job(
    name="vivid",
    kinds=("photographs",),
    help="how colourful each photograph is",
    stages=(
        Stage(name="colours", help="measure every photograph", version=1, each=colours, wants=is_picture),
        Stage(name="ranks", help="rank them", version=1, reads="colours", whole=ranks),
    ),
)
