"""Check that a trial's pictures show what its tracker says, by our own drawing rules.

Turns and reflections must match exactly, colors within rounding. Counts are checked cell by cell, sizes by measuring.
"""

from collections.abc import Callable, Mapping

import numpy as np

from generator_service.benchmarks.kiva.published.spec import AFTER, BEFORE, RIGHT, TEST, WRONG
from generator_service.benchmarks.kiva.published.trackers import Tracked
from generator_service.drawing import canvas
from generator_service.drawing.canvas import COLUMNS, Picture, Tint

Pictures = Mapping[str, Picture]
TURNS = {"+90": 90, "-90": 270, "180": 180}
SCALES = {"2x": 2.0, "1/2x": 0.5}
MIX_ROUNDING = 1  # levels of a channel: both pictures were rounded once
EDGE = 3  # pixels: a resampled outline is blurred
FAINT = 8  # alpha up to which a pixel counts as a blurred outline


def disagreement(domain: str, value: str, wrong: str, tracked: Tracked, pictures: Pictures) -> str:
    """Return the difference between tracker and pictures in words, "" if there is none."""
    if domain == "number":
        return _counts(value, tracked, pictures)
    shows = _SHOWS[domain]
    pairs = ((BEFORE, AFTER, value), (TEST, RIGHT, value), (TEST, WRONG, wrong))
    for start, end, change in pairs:
        if not shows(pictures[start], pictures[end], change):
            return f"{end} is not {start} changed by {change}"
    return ""


def _turned(before: Picture, after: Picture, value: str) -> bool:
    return np.array_equal(canvas.rotate(before, TURNS[value]), after)


def _mirrored(before: Picture, after: Picture, value: str) -> bool:
    return np.array_equal(canvas.reflect(before, "x" if value == "x" else "y"), after)


def _tinted(before: Picture, after: Picture, value: str) -> bool:
    """Tell whether one object has one of the other colors before and this color after."""
    if not np.array_equal(before[..., 3], after[..., 3]):
        return False
    seen = before[..., 3] > 0
    moved = (after[..., :3].astype(np.int64) - before[..., :3])[seen]
    # One grey pixel under two tints differs by half of the difference between the tints' colors.
    return any(
        bool((np.abs(2 * moved - (_target(value) - _target(start))) <= 2 * MIX_ROUNDING).all())
        for start in ("red", "green", "blue")
        if start != value
    )


def _target(colour: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return twice what a tint adds to black: the color that it mixes in, within rounding."""
    tint: Tint = "red" if colour == "red" else "green" if colour == "green" else "blue"
    black = np.zeros((1, 1, 4), np.uint8)
    black[..., 3] = 255
    return 2 * canvas.tint(black, tint)[0, 0, :3].astype(np.int64)


def _scaled(before: Picture, after: Picture, value: str) -> bool:
    return all(
        abs(grown - SCALES[value] * length) <= EDGE
        for length, grown in zip(_extent(before), _extent(after), strict=True)
    )


def _extent(picture: Picture) -> tuple[int, int]:
    """Return width and height of what is drawn, in pixels."""
    rows, columns = np.nonzero(_drawn(picture))
    return (int(np.ptp(columns)) + 1, int(np.ptp(rows)) + 1) if rows.size else (0, 0)


def _drawn(picture: Picture) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Return a mask of what is drawn. In the few opaque pictures of the release, that is all but the ground."""
    solid: np.ndarray[tuple[int, int], np.dtype[np.bool_]] = picture[..., 3] > FAINT
    if not solid.all():
        return solid
    ground = picture[0, 0, :3].astype(np.int64)
    return np.asarray((np.abs(picture[..., :3] - ground) > FAINT).any(axis=-1))


_SHOWS: Mapping[str, Callable[[Picture, Picture, str], bool]] = {
    "rotation": _turned,
    "reflection": _mirrored,
    "color": _tinted,
    "size": _scaled,
}


def _counts(value: str, tracked: Tracked, pictures: Pictures) -> str:
    told = [tracked.before, tracked.after, tracked.test, tracked.wrong]
    if not all(text.isdecimal() for text in told):
        return f"counts are numbers, the tracker says {', '.join(told)}"
    before, after, test, wrong = map(int, told)
    if after != before + int(value):
        return f"the tracker goes from {before} to {after}, which is not {value}"
    expected = {BEFORE: before, AFTER: after, TEST: test, RIGHT: test + int(value), WRONG: wrong}
    for part, count in expected.items():
        seen = counted(pictures[part])
        if seen != count:
            return f"{part} shows {'no row of equal objects' if seen is None else seen} and not {count}"
    return ""


def counted(picture: Picture) -> int | None:
    """Return the number of equal objects in the cells, four to a row from the top left; None for anything else."""
    cell = picture.shape[0] // COLUMNS
    stamps = [
        picture[row * cell : (row + 1) * cell, column * cell : (column + 1) * cell]
        for row in range(COLUMNS)
        for column in range(COLUMNS)
    ]
    filled = [bool(stamp[..., 3].any()) for stamp in stamps]
    count = sum(filled)
    row_of_equals = all(filled[:count]) and all(np.array_equal(stamp, stamps[0]) for stamp in stamps[:count])
    return count if row_of_equals else None
