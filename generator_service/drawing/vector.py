"""Draw smooth black-and-white panels from outlines: integer coordinates on a grid of samples, then box-averaged.

A panel is 1000 x 1000 units, y down. Positions are rounded to whole samples before anything is filled, so that all
machines draw the same pixels.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageChops, ImageDraw

from generator_service.cache_budget import cache_within_budget
from generator_service.drawing import exact

Point: TypeAlias = tuple[float, float]
Path: TypeAlias = Sequence[Point]
Sample: TypeAlias = tuple[int, int]
Grey: TypeAlias = npt.NDArray[np.uint8]
"""(height, width), 0 black to 255 white."""

UNITS = 1000
MIDDLE: Point = (500.0, 500.0)
SAMPLES = 3  # samples a pixel, each way: ten shades at an edge
WHITE, GREY, BLACK = 255, 165, 0
LINE = 16  # units: 3 pixels of a 180 pixel panel

# Outlines go round at the same angles again and again.
sine = lru_cache(maxsize=4096)(exact.sine)
cosine = lru_cache(maxsize=4096)(exact.cosine)


class Pen:
    """Draws on one white panel of `side` pixels."""

    def __init__(self, side: int) -> None:
        self.side = side
        self._scale = side * SAMPLES / UNITS
        self._image = Image.new("L", (side * SAMPLES, side * SAMPLES), WHITE)
        self._draw = ImageDraw.Draw(self._image)

    def fill(self, outline: Path, shade: int) -> None:
        self._draw.polygon(self._place_path(outline), fill=shade)

    def line(self, path: Path, *, width: int = LINE, shade: int = BLACK, smooth: bool = False) -> None:
        """Stroke a path with round ends and corners. A smooth path needs no joints inside."""
        self._stroke(self._place_path(path), width, shade, smooth=smooth)

    def outline(self, path: Path, *, shade: int | None, width: int = LINE, smooth: bool = False) -> None:
        """Fill a closed path (None leaves it open to what is below) and stroke its border."""
        placed = self._place_path(path)
        if shade is not None:
            self._draw.polygon(placed, fill=shade)
        self._stroke([*placed, placed[0]], width, BLACK, smooth=smooth)

    def stamp(
        self,
        path: tuple[Point, ...],
        at: Point,
        radius: float,
        *,
        turn: float = 0.0,
        shade: int | None,
        width: int = LINE,
        smooth: bool = False,
    ) -> None:
        """Draw a small figure, as `outline` does after `moved`. A figure that is stamped often is drawn only once."""
        ink, covered, (left, top) = _stamp(self.side, path, radius, turn, shade, width, smooth)
        x, y = self._place_path([at])[0]
        self._image.paste(ink, (x + left, y + top), covered)

    def disc(self, at: Point, radius: float, shade: int = BLACK) -> None:
        self._dot(self._place_path([at])[0], round(radius * self._scale), shade)

    def circle(self, at: Point, radius: float, *, width: int = LINE, shade: int | None = WHITE) -> None:
        """Draw a disc with a border; None leaves its inside as it is."""
        x, y = self._place_path([at])[0]
        reach, wide = round(radius * self._scale), self._wide(width)
        self._draw.ellipse((x - reach, y - reach, x + reach, y + reach), fill=shade, outline=BLACK, width=wide)

    def copy_of(self, other: "Pen") -> None:
        """Replace the panel by a copy of another pen's; both have the same side."""
        self._image.paste(other.samples())

    def finish(self) -> Grey:
        """Return the panel, (side, side)."""
        return np.asarray(self.average())

    def average(self) -> Image.Image:
        """Return the panel, `side` square, for laying on others. It is not copied."""
        return self._image.reduce(SAMPLES)

    def samples(self) -> Image.Image:
        """Return the panel before it is averaged."""
        return self._image

    def _stroke(self, placed: list[Sample], width: int, shade: int, *, smooth: bool) -> None:
        wide = self._wide(width)
        self._draw.line(placed, fill=shade, width=wide)
        for point in {placed[0], placed[-1]} if smooth else set(placed):
            self._dot(point, wide // 2, shade)

    def _dot(self, at: Sample, reach: int, shade: int) -> None:
        x, y = at
        self._draw.ellipse((x - reach, y - reach, x + reach, y + reach), fill=shade)

    def _wide(self, width: int) -> int:
        return max(1, width * self.side * SAMPLES // UNITS)

    def _place_path(self, path: Iterable[Point]) -> list[Sample]:
        scale = self._scale
        return [(round(x * scale), round(y * scale)) for x, y in path]


@cache_within_budget(512)
def _stamp(  # noqa: PLR0917 - as the pen's
    side: int,
    path: tuple[Point, ...],
    radius: float,
    turn: float,
    shade: int | None,
    width: int,
    smooth: bool,  # noqa: FBT001 - a key
) -> tuple[Image.Image, Image.Image, Sample]:
    """Draw a figure in the middle of a panel. Return its ink, its coverage, and their top left from the middle."""
    placed, ink, cover = move_path(path, MIDDLE, radius, turn), Pen(side), Pen(side)
    ink.outline(placed, shade=shade, width=width, smooth=smooth)
    cover.outline(placed, shade=None if shade is None else BLACK, width=width, smooth=smooth)
    covered = ImageChops.invert(cover.samples())
    box, middle = covered.getbbox() or (0, 0, 1, 1), side * SAMPLES // 2
    return ink.samples().crop(box), covered.crop(box), (box[0] - middle, box[1] - middle)


def polar(at: Point, radius: float, degrees: float) -> Point:
    """Return the point at this distance, degrees clockwise from straight up."""
    return at[0] + radius * sine(degrees), at[1] - radius * cosine(degrees)


def move_path(path: Path, at: Point, scale: float = 1.0, degrees: float = 0.0) -> list[Point]:
    """Turn clockwise about the origin, scale and shift."""
    across, along = cosine(degrees) * scale, sine(degrees) * scale
    return [(at[0] + across * x - along * y, at[1] + along * x + across * y) for x, y in path]
