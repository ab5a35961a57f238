"""Solve VASR a second time from pixels: find which known thing fills each role of a picture, and which of them changed.

What it knows are templates: empty places, and a cut-out picture of each value of a role. From the first to the last:

    Grounds      tells what stands in front of the empty place
    find_things  searches a picture for the values of a role: any size, side and turn
    solve        takes the option that goes best with one changed role over all pictures at once

A template is searched for at 64 pixels a side by correlation, and the best ones again at 128, where the share of their
pixels that the picture shows is counted. People have no template: their poses and faces are not told apart, so a change
of the verb, or from one person to another, gives None.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt
from PIL import Image

from tetrad.solvers.pictures import PictureArray

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
Found = Mapping[str, float]
"""By value: the share of a template's opaque pixels that a picture shows in one place, 0 to 1."""

SIDE = 512  # of a picture
_COARSE, _FINE = 64, 128
_SIZES = tuple(13 * 1.13**step for step in range(9))  # square roots of a box's area, in coarse pixels: 4% and more
_FINER = (0.88, 0.92, 0.96, 1.0, 1.04, 1.08, 1.12)
_KEY = (-260.0, 520.0, -260.0)  # stands for the place: no template has it
_PRESENT, _LOOKED_AT = 12, 6  # values whose colours are there, and those of them that are looked at closely
_GROUND = 8  # of 765: the most that a pixel of the place differs
_SHADOW = 0.62  # the least that a shadow leaves of the place's light
_NOISE = 120.0  # of a template's squared differences, from scaling
_NEAR = 42  # of 765: a pixel shows a template's
_OPAQUE = 0.9
_COLOURS = 400  # pixels of a thing whose colours are looked for
_LEAST_SEEN = 0.5  # what an animal must show of itself, or the agent is somebody without a template
_LEAST_LEAD = 0.25  # of the best option over the next, in shares of a template
_CLOSE = tuple(range(-6, 7, 6))
SOMEBODY = ""
"""The agent that no template shows."""


@dataclass(frozen=True, eq=False)
class Role:
    """The values of a role with their cut-out pictures, and the turns in degrees in which they may be shown."""

    things: Mapping[str, PictureArray]
    turns: tuple[int, ...] = (0,)


class Grounds:
    """Tells what stands in front of an empty place. places: (n, 512, 512, 3), each may be mirrored."""

    def __init__(self, places: npt.NDArray[np.uint8]) -> None:
        self._places = np.concatenate([places, places[:, :, ::-1]])
        self._sampled = self._places[:, 4::16, 4::16].astype(np.int16)

    def in_front(self, picture: PictureArray) -> Mask:
        """Return which pixels show neither the place that the picture is most like, nor a shadow on it."""
        sampled = picture[4::16, 4::16, :3].astype(np.int16)
        alike = (np.abs(self._sampled - sampled).sum(axis=-1) <= _GROUND).mean(axis=(1, 2))
        place = self._places[int(alike.argmax())].astype(np.float32)
        seen = picture[..., :3].astype(np.float32)
        light = seen.sum(axis=-1) / np.maximum(place.sum(axis=-1), 1)
        shadow = (light > _SHADOW) & (light < 1) & (np.abs(seen - place * light[..., None]).max(axis=-1) <= _GROUND / 2)
        found: Mask = ~((np.abs(seen - place).sum(axis=-1) <= _GROUND) | shadow)
        return found


class Shown:
    """What is in front in a picture, small and ready to be searched; everything else has a colour of its own."""

    def __init__(self, picture: PictureArray, front: Mask) -> None:
        shown = np.where(front[..., None], picture[..., :3], np.array(_KEY)).astype(np.float32)
        self.small = {side: _reduced(shown, side) for side in (_COARSE, _FINE)}
        self.waves = {side: _waves(small) for side, small in self.small.items()}
        levels = picture[front][:, :3] >> 4
        colours = np.zeros((16, 16, 16), np.bool_)
        colours[tuple(levels.T)] = True
        for axis, step in product(range(3), (-1, 1)):
            colours |= np.roll(colours, step, axis)
        self.colours = colours

    def has(self, levels: npt.NDArray[np.uint8]) -> float:
        """Return the share of colours (n, 3), in sixteen levels each, that are somewhere in the picture."""
        return float(self.colours[tuple(levels.T)].mean()) if len(levels) else 0.0


def find_things(seen: Sequence[Shown], role: Role) -> list[Found]:
    """Return for each picture how much of which values it shows; values that are not likely there are left out."""
    levels = {value: _levels(thing) for value, thing in role.things.items()}
    likely = [
        sorted(levels, key=lambda value, one=one: -one.has(levels[value]))[:_PRESENT]  # type: ignore[misc]
        for one in seen
    ]
    coarse: list[dict[str, tuple[float, _Way]]] = [{} for _ in seen]
    for value in role.things:
        at = [place for place, values in enumerate(likely) if value in values]
        if not at:
            continue
        ways, waves = list(_ways(role.turns)), np.stack([seen[place].waves[_COARSE] for place in at])
        stamps = _stamps(role.things[value], ways, _COARSE)
        scores = np.stack([_best(waves, stamp, _COARSE)[0] for stamp in stamps])
        for place, best, score in zip(at, scores.argmax(axis=0).tolist(), scores.max(axis=0).tolist(), strict=True):
            coarse[place][value] = score, ways[best]
    close = _CLOSE if len(role.turns) > 1 else (0,)
    return [
        {
            value: _share(one, role.things[value], found[value][1], close)
            for value in sorted(found, key=lambda value, found=found: -found[value][0])[:_LOOKED_AT]  # type: ignore[misc]
        }
        for one, found in zip(seen, coarse, strict=True)
    ]


def solve(found: Mapping[str, Sequence[Found]]) -> int | None:
    """Return the number of the option that shows B with the change from A to A'; None where that can't be told.

    found: by role, what A, A', B and then each option shows of it. In each role but one A and A' show the same, and B
    and the option; in that one A and B show one value, A' and the option another.
    """
    options = range(3, len(next(iter(found.values()))))
    scores = {option: max(_of_change(found, role, option) for role in found) for option in options}
    best, next_best = sorted(scores, key=lambda option: -scores[option])[:2]
    without = max(_of_change(found, None, option) for option in options)  # the verb changed, or one person for another
    if scores[best] < max(without, scores[next_best] + _LEAST_LEAD):
        return None
    return best - 3


def agents(found: Sequence[Found]) -> list[Found]:
    """Return agents where people have no template: who is no animal is somebody."""
    return [
        one if max(one.values(), default=0.0) >= _LEAST_SEEN else {SOMEBODY: 1.0 - max(one.values(), default=0.0)}
        for one in found
    ]


def _of_change(found: Mapping[str, Sequence[Found]], changed: str | None, option: int) -> float:
    """Return how well pictures go with a role, or none, as the one that changes, and with an option as the answer."""
    score = 0.0
    for role, shown in found.items():
        a, a_changed, b, answer = shown[0], shown[1], shown[2], shown[option]
        if role != changed:
            score += _alike(a, a_changed)[1] + _alike(b, answer)[1]
            continue
        old, first = _alike(a, b)
        score += first + _alike(a_changed, answer, but=old)[1]
    return score


def _alike(one: Found, other: Found, but: str | None = None) -> tuple[str | None, float]:
    """Return the value that two pictures show most of, and how much together."""
    both = {value: one.get(value, 0.0) + other.get(value, 0.0) for value in {*one, *other} if value != but}
    return max(both.items(), key=lambda pair: (pair[1], pair[0]), default=(None, 0.0))


@dataclass(frozen=True)
class _Way:
    """How a template is laid: from which side, turned by how many degrees clockwise, how large."""

    flipped: bool
    turn: int
    size: float


@dataclass(frozen=True, eq=False)
class _Stamp:
    """A template in one way: colours times alpha (h, w, 3), alpha (h, w), and their waves on a canvas."""

    colours: Floats
    alpha: Floats
    waves: npt.NDArray[np.complex64]


def _ways(turns: Sequence[int]) -> Iterator[_Way]:
    for flipped, turn, size in product((False, True), turns, _SIZES):
        yield _Way(flipped, turn, size)


def _laid(thing: PictureArray, way: _Way) -> Image.Image:
    """Return a template from its side and turned, its colours multiplied by alpha."""
    image = Image.fromarray(thing)
    if way.flipped:
        image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    if way.turn:
        image = image.rotate(-way.turn, Image.Resampling.BILINEAR, expand=True)
        image = image.crop(image.getbbox())
    return image.convert("RGBa")


def _stamps(thing: PictureArray, ways: Sequence[_Way], side: int) -> Iterator[_Stamp]:
    """Yield a template in several ways; each turn is made once."""
    laid: dict[tuple[bool, int], Image.Image] = {}
    for way in ways:
        key = way.flipped, way.turn
        if key not in laid:
            laid[key] = _laid(thing, way)
        yield _stamp(laid[key], way, side)


def _stamp(image: Image.Image, way: _Way, side: int) -> _Stamp:
    share = way.size * side / _COARSE / (image.width * image.height) ** 0.5
    width, height = (min(side, max(3, round(length * share))) for length in image.size)
    scaled = np.asarray(image.resize((width, height), Image.Resampling.BOX), np.float32)
    colours, alpha = scaled[..., :3], scaled[..., 3] / np.float32(255)
    canvas = np.zeros((4, side, side), np.float32)
    canvas[:3, :height, :width] = colours.transpose(2, 0, 1)
    canvas[3, :height, :width] = alpha
    return _Stamp(colours, alpha, np.conj(np.fft.rfft2(canvas)))


def _best(planes: npt.NDArray[np.complex64], stamp: _Stamp, side: int) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Return how much better a template tells its best place in each picture than the mean colour there does.

    It is the logarithm of the two squared differences' ratio, times half of the pixels: the likelihood's. The places
    are returned, too: top and left, (n, 2). planes: the pictures' waves (n, 4, side, side // 2 + 1).
    """
    height, width = stamp.alpha.shape
    waves = np.concatenate(
        [planes * stamp.waves[3], (planes[:, :3] * stamp.waves[:3]).sum(axis=1, keepdims=True)], axis=1
    )
    sums = np.fft.irfft2(waves, (side, side))[..., : side - height + 1, : side - width + 1]
    count = stamp.alpha.sum()
    own = (np.square(stamp.colours).sum(axis=-1) / np.maximum(stamp.alpha, 1e-3)).sum()
    apart = np.maximum((sums[:, 3] - 2 * sums[:, 4] + own) / count, 0)
    spread = np.maximum(sums[:, 3] / count - np.square(sums[:, :3] / count).sum(axis=1), 0)
    scores = (count / 2 * np.log((spread + _NOISE) / (apart + _NOISE))).astype(np.float32)
    flat = scores.reshape(len(scores), -1)
    best = flat.argmax(axis=1)
    return flat[np.arange(len(flat)), best], np.stack(np.divmod(best, scores.shape[2]), axis=1)


def _share(seen: Shown, thing: PictureArray, way: _Way, close: Sequence[int]) -> float:
    """Return the largest share of a template's opaque pixels that a picture shows near a way, at twice the size."""
    best = 0.0
    ways = [_Way(way.flipped, (way.turn + more) % 360, way.size * finer) for more, finer in product(close, _FINER)]
    for stamp in _stamps(thing, ways, _FINE):
        opaque = stamp.alpha > _OPAQUE
        if not opaque.any():
            continue
        ((top, left),) = _best(seen.waves[_FINE][None], stamp, _FINE)[1].tolist()
        height, width = stamp.alpha.shape
        there = seen.small[_FINE][top : top + height, left : left + width]
        apart = np.abs(there - stamp.colours / np.maximum(stamp.alpha, 1e-3)[..., None]).sum(axis=-1)
        best = max(best, float((apart[opaque] < _NEAR).mean()))
    return best


def _levels(thing: PictureArray) -> npt.NDArray[np.uint8]:
    """Return some of a thing's opaque pixels, in sixteen levels of each colour."""
    opaque = np.asarray(thing[thing[..., 3] > _OPAQUE * 255][:, :3] >> 4, np.uint8)
    return opaque[:: max(1, len(opaque) // _COLOURS)]


def _reduced(shown: Floats, side: int) -> Floats:
    block = SIDE // side
    reduced: Floats = shown.reshape(side, block, side, block, 3).mean(axis=(1, 3))
    return reduced


def _waves(small: Floats) -> npt.NDArray[np.complex64]:
    """Return the waves of the colours, and of their squares' sum: (4, side, side // 2 + 1)."""
    planes = np.concatenate([small, np.square(small).sum(axis=-1, keepdims=True)], axis=-1).transpose(2, 0, 1)
    return np.fft.rfft2(planes).astype(np.complex64)
