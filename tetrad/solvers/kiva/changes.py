"""Apply KiVA's changes to a thumb, and measure the distance of a pair from each change: 0 fits, 1 not at all.

Changes are named by domain and value: "color red", "size 2x", "number +1", "rotation +90", "reflection x". Colours
have two rules. In the published data every coloured state is the object mixed half and half with a colour, and grey is
its luma. In fresh items an object takes on a colour wholly, and its lightness picks the shade. Sizes keep the middle of
the canvas.
"""

from collections.abc import Iterator, Mapping

import numpy as np
from PIL import Image

from tetrad.solvers.kiva.copies import distance
from tetrad.solvers.kiva.panels import OPAQUE, Thumb, resize

TARGETS: Mapping[str, tuple[int, int, int]] = {
    "red": (255, 0, 0),
    "green": (0, 128, 0),
    "blue": (0, 0, 255),
    "yellow": (255, 255, 0),
}
GREY = "grey"
# The pure colour, and the lumas of the darkest and of the lightest shade.
SHADES: Mapping[str, tuple[tuple[int, int, int], int, int]] = {
    "red": ((220, 20, 20), 35, 125),
    "green": ((20, 150, 40), 35, 165),
    "blue": ((30, 60, 220), 25, 140),
    "yellow": ((245, 215, 20), 150, 230),
    "grey": ((128, 128, 128), 45, 215),
}
COLORS = (*TARGETS, GREY)
_LUMA = np.array([0.299, 0.587, 0.114], np.float32)
# How much higher and wider.
SIZES: Mapping[str, tuple[float, float]] = {
    "2x": (2, 2),
    "1/2x": (0.5, 0.5),
    "wider": (1, 2),
    "narrower": (1, 0.5),
    "taller": (2, 1),
    "shorter": (0.5, 1),
}
# Eighths of a turn clockwise.
TURNS = {"+45": 1, "+90": 2, "+135": 3, "180": 4, "-135": 5, "-90": 6, "-45": 7}
MIRRORS = ("x", "y", "both")
STEPS = ("+1", "+2", "-1", "-2")
FACTORS = {"x2": 2, "x3": 3}
NUMBERS = (*STEPS, *FACTORS, "/2", "/3")
POSES = (*(f"rotation {turn}" for turn in TURNS), *(f"reflection {mirror}" for mirror in MIRRORS))
CHANGES = (
    *(f"color {color}" for color in COLORS),
    *(f"size {size}" for size in SIZES),
    *(f"number {number}" for number in NUMBERS),
    *POSES,
)


def name_count_changes(was: int, became: int) -> Iterator[str]:
    """Yield the ways to say how one count became another."""
    yield from (f"number {step}" for step in STEPS if became - was == int(step))
    for name, times in FACTORS.items():
        if became == was * times:
            yield f"number {name}"
        if was == became * times:
            yield f"number /{times}"


def apply_pose(thumb: Thumb, pose: str | None) -> Thumb:
    """Turn or mirror a thumb of one or of all channels."""
    if pose is None:
        return thumb
    domain, value = pose.split(" ")
    if domain == "reflection":
        flipped = thumb[::-1] if value != "y" else thumb
        return flipped[:, ::-1] if value != "x" else flipped
    quarters, eighth = divmod(TURNS[value], 2)
    turned = np.rot90(thumb, -quarters)
    return _tilt(turned) if eighth else turned


def _tilt(thumb: Thumb) -> Thumb:
    channels = [
        np.asarray(Image.fromarray(np.ascontiguousarray(thumb[..., at])).rotate(-45, Image.Resampling.BILINEAR))
        for at in range(thumb.shape[2])
    ]
    return np.stack(channels, axis=2)


def apply_size(thumb: Thumb, size: str | None) -> Thumb:
    """Stretch about the middle of the same canvas. Parts that grow out of it are cut off."""
    if size is None:
        return thumb
    down, across = SIZES[size.split(" ")[1]]
    side = thumb.shape[0]
    stretched = resize(thumb, round(side * down), round(side * across))
    canvas = np.zeros_like(thumb)
    rows, from_rows = _middle(side, stretched.shape[0])
    columns, from_columns = _middle(side, stretched.shape[1])
    canvas[rows, columns] = stretched[from_rows, from_columns]
    return canvas


def _middle(side: int, other: int) -> tuple[slice, slice]:
    """Return the slices of two lengths that overlap when their middles meet."""
    common = min(side, other)
    here, there = (side - common) // 2, (other - common) // 2
    return slice(here, here + common), slice(there, there + common)


def color_distance(color: str | None, before: Thumb, after: Thumb) -> float:
    """Return the distance of `after` from the object in this colour, whatever colour it had before, or none."""
    if color is None:
        return distance(before, after)
    value = color.split(" ")[1]
    return min(_shaded_distance(value, before, after), _mixed_distance(value, before, after))


def _shaded_distance(value: str, before: Thumb, after: Thumb) -> float:
    """Return the distance if colours are taken on wholly: both pictures are shades for the same lightness."""
    lightness = _lightness(after, value)
    beyond = distance(_shades(lightness, after[..., 3:], value), after)
    return beyond + min(
        distance(_shades(lightness, before[..., 3:], color), before) for color in SHADES if color != value
    )


def _lightness(shown: Thumb, color: str) -> Thumb:
    """Return the object's own luma, 0 to 1, (side, side, 1), if it is shown as shades of the colour."""
    _, darkest, lightest = SHADES[color]
    luma = shown[..., :3] @ _LUMA / np.maximum(shown[..., 3], np.float32(0.01)) * np.float32(OPAQUE)
    lightness = np.clip((luma - darkest) / (lightest - darkest), 0, 1)[..., None]
    return np.asarray(lightness, np.float32)


def _shades(lightness: Thumb, alpha: Thumb, color: str) -> Thumb:
    """Return shades of the colour, from black by the pure colour to white, for the object's own luma."""
    pure, darkest, lightest = SHADES[color]
    own = float(_LUMA @ np.array(pure, np.float32))
    luma = darkest + lightness * np.float32(lightest - darkest)
    paint = np.array(pure, np.float32)
    shade = np.where(luma <= own, paint * luma / own, paint + (OPAQUE - paint) * (luma - own) / (OPAQUE - own))
    return np.concatenate([shade / np.float32(OPAQUE) * alpha, alpha], axis=2).astype(np.float32)


def _mixed_distance(value: str, before: Thumb, after: Thumb) -> float:
    if value == GREY:
        found = [distance(_grey(own), after) for own in _owns(before, set(TARGETS))]
        return min(found)
    own, beyond = _unmix(after, value)
    others = [*(_tint(own, other) for other in TARGETS.keys() - {value}), _grey(own), own]
    return beyond + min(distance(before, other) for other in others)


def _owns(shown: Thumb, colors: set[str]) -> Iterator[Thumb]:
    """Yield the object's possible own looks: it may be mixed with one of the colours now, or with none."""
    yield shown
    for color in sorted(colors):
        yield _unmix(shown, color)[0]


def _unmix(shown: Thumb, color: str) -> tuple[Thumb, float]:
    """Remove a mixed-in colour. Return also the share of illegal values: if that is large, it was not mixed in."""
    own = 2 * shown - _mixed_in(color, shown)
    own[..., 3] = shown[..., 3]
    legal = np.clip(own, 0, shown[..., 3:])
    return legal, distance(own, legal) if np.any(own != legal) else 0.0


def _mixed_in(color: str, thumb: Thumb) -> Thumb:
    """Return the colour times alpha, with 0 in place of alpha."""
    target = np.array((*TARGETS[color], 0), np.float32) / np.float32(255)
    return target * thumb[..., 3:]


def _tint(own: Thumb, color: str) -> Thumb:
    mixed = own.copy()
    mixed[..., :3] = (own[..., :3] + _mixed_in(color, own)[..., :3]) / 2
    return mixed


def _grey(own: Thumb) -> Thumb:
    grey = own.copy()
    grey[..., :3] = (own[..., :3] @ _LUMA)[..., None]
    return grey
