"""Solve VASR a second time from pixels: find what fills each role of a picture by templates, and what changed.

    Grounds    tells the light of a picture, and what stands in front of the empty place
    Templates  takes the colours in front apart into those of cut-out things, ramps of cloth and skin, and marks
    Verbs      knows labelled pictures, and tells the verb by where those parts lie about each other
    solve      takes the option that goes best with one changed role over all pictures at once

Colours stay the same when a thing is scaled, turned, mirrored or moved, so nothing is searched for. A verb is told by
maps of what was found there, whichever thing or person it is. Persons are not told apart: they are all `SOMEBODY`.

It needs SciPy, which proofs have and the extra `solvers` has not: no team has the pictures that it learns from.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from PIL import Image
from scipy.optimize import nnls

from tetrad.solvers.pictures import PictureArray

Floats = npt.NDArray[np.float64]
Maps = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
Colour = tuple[int, int, int]
Told = Mapping[str, Mapping[str, float]]
"""By role and value: the logarithm of how likely a picture shows it."""

SIDE = 512  # of a picture
_BY_DAY: Colour = (256, 256, 256)
SOMEBODY = ""
"""The agent that is no animal."""
_SMALL, _BLOCK = 128, 4  # side of a map before it is cut, and pixels of its cells
_GROUND, _SHADOW = 8, 0.6  # of 765, the most that a pixel of the place differs; the least light of a shadow
_IN_FRONT = 0.4  # of a cell: it counts as being in front
_LEVELS = 16  # of each colour
_OPAQUE = 230
_SOFT = (0.2, 0.6, 0.2)  # shares of a colour that are taken for its neighbours', on each axis
_NOISE = 1e-4  # of the picture, in each colour
_SEEN, _COVERED = 1e-5, 0.88  # a colour is there; the share of a template's colours that must be, or it is not there
_SHADES = range(40, 200, 2)  # of 128: how light a ramp may be
_BOX, _ABOUT, _REACH = 14, 12, 96  # cells of the maps cut to what is in front and about a thing, and its half side
_LAMBDA = 0.01  # of ridge regression, in mean squared features
_SHARPNESS = 10.0  # of verbs
_LEAST = 0.02  # of a role: the likelihood of what is not seen at all
_LEAST_VERB = 1e-3
_SKIN, _NO_SKIN = 0.02, 0.004  # of the picture: the most that counts of a person's skin, and what counts without any
_LEAST_LEAD = 1.0  # of the best option over the next one, in natural logarithms


@dataclass(frozen=True)
class Frame:
    """A set of roles: those that things fill, the one that tells the frame first; whether agents may be animals."""

    things: tuple[str, ...]
    animals: bool


class Grounds:
    """Tells what stands in front of an empty place, and in which light.

    places: (n, 512, 512, 3), each may be mirrored. lights: what is left of red, green and blue, of 256.
    """

    def __init__(self, places: npt.NDArray[np.uint8], lights: Sequence[Colour] = (_BY_DAY,)) -> None:
        self._places = np.concatenate([places, places[:, :, ::-1]])
        self._lights = np.array(lights, np.int32)
        sampled = self._places[:, 4::16, 4::16].astype(np.int32)
        self._sampled = np.stack([(sampled * light >> 8).astype(np.int16) for light in self._lights])

    def find_place(self, picture: PictureArray) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
        """Return the place that the picture is most like, and the picture's colours as they are by day."""
        sampled = picture[4::16, 4::16, :3].astype(np.int16)
        alike = (np.abs(self._sampled - sampled).sum(axis=-1) <= _GROUND).mean(axis=(2, 3))
        light, place = np.unravel_index(int(alike.argmax()), alike.shape)
        by_day = np.minimum((picture[..., :3].astype(np.int32) * 256 + 128) // self._lights[light], 255)
        return self._places[place], by_day.astype(np.uint8)

    def in_front(self, place: npt.NDArray[np.uint8], by_day: npt.NDArray[np.uint8]) -> Mask:
        """Return which pixels show neither the place nor a shadow on it."""
        place, seen = place.astype(np.float32), by_day.astype(np.float32)
        light = seen.sum(axis=-1) / np.maximum(place.sum(axis=-1), 1)
        shadow = (light > _SHADOW) & (light < 1) & (np.abs(seen - place * light[..., None]).max(axis=-1) <= _GROUND / 2)
        found: Mask = ~((np.abs(seen - place).sum(axis=-1) <= _GROUND) | shadow)
        return found


@dataclass(frozen=True, eq=False)
class Templates:
    """The colours that pictures are made of.

    things: by role, cut-out pictures of each value, one a colour. scenery: more cut-out pictures. skins and cloths are
    seen in any light, marks are flat.
    """

    things: Mapping[str, Mapping[str, Sequence[PictureArray]]]
    scenery: Sequence[PictureArray]
    skins: Sequence[Colour]
    cloths: Sequence[Colour]
    marks: Sequence[Colour]

    @cached_property
    def columns(self) -> Mapping[str, list[int]]:
        """Return the rows of each group: of each value by its name, and of scenery, skin, cloth and marks."""
        found: dict[str, list[int]] = {}
        at = 0
        for group, members in {**self._drawings, **self._groups}.items():
            found[group] = list(range(at, at + len(members)))
            at += len(members)
        return found

    @property
    def _drawings(self) -> Mapping[str, Sequence[PictureArray]]:
        return {name: pictures for values in self.things.values() for name, pictures in values.items()}

    @cached_property
    def _groups(self) -> Mapping[str, Sequence[Floats]]:
        return {
            "(scenery)": [_of_pixels(picture) for picture in self.scenery],
            "(skin)": [_ramp(colour) for colour in self.skins],
            "(cloth)": [_ramp(colour) for colour in self.cloths],
            "(marks)": [_shares(np.array([colour], np.uint8)) for colour in self.marks],
        }

    @cached_property
    def colours(self) -> Floats:
        """Return each template's shares of the colours, softened: (templates, 4096)."""
        rows = [_of_pixels(picture) for pictures in self._drawings.values() for picture in pictures]
        rows += [row for group in self._groups.values() for row in group]
        return np.stack([_soften(row) for row in rows])

    @cached_property
    def totals(self) -> Floats:
        """Return the sum of each template's softened shares, (templates,)."""
        found: Floats = self.colours.sum(axis=1)
        return found

    def rows(self, role: str) -> list[int]:
        """Return the rows of the values of a role."""
        return [row for name in self.things[role] for row in self.columns[name]]

    def of_values(self, role: str, amounts: Floats) -> Floats:
        """Return how much there is of each value of a role, in whatever colour."""
        return np.array([amounts[self.columns[name]].sum() for name in self.things[role]])

    def amounts(self, colours: Floats) -> Floats:
        """Return how much of each template explains the colours of a picture, (4096,), by least squares from 0 up."""
        soft = _soften(colours)
        noise = np.sqrt(soft + _NOISE)
        seen = soft > _SEEN
        there = np.flatnonzero(self.colours @ seen / self.totals > _COVERED)
        found = np.zeros(len(self.colours))
        if not len(there):
            return found
        bins = seen | (self.colours[there].sum(axis=0) > _NOISE)
        scaled = self.colours[there][:, bins] / noise[bins]
        products = scaled @ scaled.T
        lower = np.linalg.cholesky(products + 1e-9 * np.trace(products) / len(products) * np.eye(len(products)))
        found[there], _ = nnls(lower.T, np.linalg.solve(lower, scaled @ (soft[bins] / noise[bins])))
        found *= self.totals
        return found


@dataclass(frozen=True, eq=False)
class Seen:
    """A picture taken apart: (128, 128, 3) colours, (128, 128) shares in front, and how much of each template."""

    small: npt.NDArray[np.uint8]
    front: Maps
    amounts: Floats


def look(picture: PictureArray, grounds: Grounds, templates: Templates) -> Seen:
    """Take a picture apart, (512, 512, 4)."""
    place, by_day = grounds.find_place(picture)
    front = grounds.in_front(place, by_day)
    blocks = (_SMALL, _BLOCK, _SMALL, _BLOCK)
    small = by_day.reshape(*blocks, 3).mean(axis=(1, 3)).astype(np.uint8)
    amounts = templates.amounts(_shares(by_day[front]) * front.mean())
    return Seen(small, front.reshape(blocks).mean(axis=(1, 3)).astype(np.float32), amounts)


@dataclass(frozen=True)
class Labelled:
    """A picture whose verb is known, and whether it is mirrored."""

    seen: Seen
    frame: str
    verb: str
    mirrored: bool


class Verbs:
    """Tells verbs of each frame by ridge regression on labelled pictures, seen from both sides."""

    def __init__(self, templates: Templates, frames: Mapping[str, Frame], examples: Sequence[Labelled]) -> None:
        self._templates, self._frames = templates, frames
        self._learned = {name: self._fit([example for example in examples if example.frame == name]) for name in frames}

    def weigh_verbs(self, seen: Seen, frame: str) -> Mapping[str, float]:
        """Return the logarithm of how likely each verb of a frame is."""
        verbs, mean, weights, usual = self._learned[frame]
        as_is, mirrored = (
            ((_features(self._templates, self._frames[frame], seen, flip=flip) - mean) @ weights + usual).reshape(-1, 2)
            for flip in (False, True)
        )
        scores = (as_is + mirrored[:, ::-1]).max(axis=1) / 2
        likely = np.exp(_SHARPNESS * (scores - scores.max()))
        logs = np.log(likely / likely.sum() + _LEAST_VERB)
        return dict(zip(verbs, logs.tolist(), strict=True))

    def _fit(self, examples: Sequence[Labelled]) -> tuple[list[str], Floats, Floats, Floats]:
        """Return verbs, the features' means, and weights (features, verbs x sides) with what is usual of each."""
        verbs = sorted({example.verb for example in examples})
        rows: list[Maps] = []
        wanted = np.zeros((2 * len(examples), 2 * len(verbs)))
        for example in examples:
            for flip in (False, True):
                wanted[len(rows), 2 * verbs.index(example.verb) + (example.mirrored != flip)] = 1
                rows.append(_features(self._templates, self._frames[example.frame], example.seen, flip=flip))
        features = np.stack(rows).astype(np.float64)
        mean, usual = features.mean(axis=0), wanted.mean(axis=0)
        features -= mean
        products = features @ features.T
        products += _LAMBDA * np.trace(products) / len(products) * np.eye(len(products))
        return verbs, mean, features.T @ np.linalg.solve(products, wanted - usual), usual


def read(seen: Sequence[Seen], templates: Templates, verbs: Verbs, frames: Mapping[str, Frame]) -> list[Told]:
    """Return what each picture tells of each role, in the frame whose things are seen most in all of them."""
    sums = np.sum([scene.amounts for scene in seen], axis=0)
    name = max(frames, key=lambda frame: float(sums[templates.rows(frames[frame].things[0])].sum()))
    return [{**_things(scene, templates, frames[name]), "verb": verbs.weigh_verbs(scene, name)} for scene in seen]


def solve(told: Sequence[Told]) -> int | None:
    """Return the number of the option that shows B with the change from A to A'; None where that can't be told.

    told: of A, A', B and then each option. In each role but one A and A' show the same, and B and the option; in that
    one A and B show one value, A' and the option another.
    """
    a, changed, b, *options = told
    scores = [max(_of_change(a, changed, b, option, role) for role in a) for option in options]
    best, next_best = sorted(range(len(options)), key=lambda number: -scores[number])[:2]
    return best if scores[best] - scores[next_best] > _LEAST_LEAD else None


def _of_change(a: Told, changed: Told, b: Told, option: Told, role: str) -> float:
    old, score = _alike(a[role], b[role])
    score += _alike(changed[role], option[role], but=old)[1]
    return score + sum(
        _alike(a[other], changed[other])[1] + _alike(b[other], option[other])[1] for other in a if other != role
    )


def _alike(one: Mapping[str, float], other: Mapping[str, float], but: str | None = None) -> tuple[str, float]:
    """Return the value that both show most likely, and the sum of the logarithms."""
    return max(((value, one[value] + other[value]) for value in one if value != but), key=lambda pair: pair[1])


def _things(seen: Seen, templates: Templates, frame: Frame) -> dict[str, Mapping[str, float]]:
    found = {}
    for role in frame.things:
        found[role] = _logs(list(templates.things[role]), templates.of_values(role, seen.amounts))
    if frame.animals:
        skin = min(_SKIN, float(seen.amounts[templates.columns["(skin)"]].sum()) + _NO_SKIN)
        names = [*templates.things["agent"], SOMEBODY]
        found["agent"] = _logs(names, np.append(templates.of_values("agent", seen.amounts), skin))
    return found


def _logs(names: Sequence[str], amounts: Floats) -> Mapping[str, float]:
    return dict(zip(names, np.log(amounts / (amounts.sum() + _SEEN) + _LEAST).tolist(), strict=True))


def _features(templates: Templates, frame: Frame, seen: Seen, *, flip: bool) -> Maps:
    """Return maps of what was found, cut to what is in front, then about the last of the frame's things; and sums."""
    columns = templates.columns
    animals = templates.rows("agent") if frame.animals else []
    groups = [templates.rows(role) for role in reversed(frame.things)]
    groups += [columns["(skin)"], columns["(cloth)"] + animals, columns["(scenery)"], columns["(marks)"]]
    maps = _find_shares(templates, seen, groups)
    box = _box(seen.front)
    if flip:
        maps = [layer[:, ::-1] for layer in maps]
        box = (_SMALL - box[2], box[1], _SMALL - box[0], box[3])
    thing = maps[0]
    amount = float(thing.sum()) + _SEEN
    x = float(thing.sum(axis=0) @ np.arange(_SMALL)) / amount + _SMALL
    y = float(thing.sum(axis=1) @ np.arange(_SMALL)) / amount + _SMALL
    about = (x - _REACH, y - _REACH, x + _REACH, y + _REACH)
    wide, high = (box[2] - box[0]) / _SMALL, (box[3] - box[1]) / _SMALL
    shares = [seen.amounts[columns[name]] for name in ("(scenery)", "(marks)")]
    sums = [np.log(wide / high), wide, high, amount**0.5 / 64, 3 * float(seen.amounts[animals].sum()) ** 0.5]
    return np.concatenate(
        [
            *(_cut(layer, box, _BOX) for layer in maps),
            *(_cut(np.pad(layer, _SMALL), about, _ABOUT) for layer in maps[1:]),
            6 * np.sqrt(np.concatenate(shares)),
            sums,
        ]
    ).astype(np.float32)


def _find_shares(templates: Templates, seen: Seen, groups: Sequence[Sequence[int]]) -> list[Maps]:
    """Return for each group of templates the share that it has in each cell, and what is in front at all."""
    amounts = seen.amounts / templates.totals
    every = amounts @ templates.colours + 1e-9
    bins = _bins(seen.small)
    maps = [((amounts[group] @ templates.colours[group]) / every)[bins] * seen.front for group in groups]
    return [*(layer.astype(np.float32) for layer in maps), seen.front]


def _box(front: Maps) -> tuple[int, int, int, int]:
    """Return left, top, right and bottom of what is in front, in cells; the whole picture if that is nearly nothing."""
    columns, rows = (np.flatnonzero((front > _IN_FRONT).sum(axis=axis) > 1) for axis in (0, 1))
    if min(len(columns), len(rows)) < _BLOCK:
        return 0, 0, _SMALL, _SMALL
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def _cut(shares: Maps, box: tuple[float, float, float, float], cells: int) -> Maps:
    image = Image.fromarray(np.ascontiguousarray(shares, np.float32))
    return np.asarray(image.resize((cells, cells), Image.Resampling.BOX, box), np.float32).ravel()


def _bins(colours: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
    levels = (colours // (256 // _LEVELS)).astype(np.int64)
    bins: npt.NDArray[np.int64] = (levels[..., 0] * _LEVELS + levels[..., 1]) * _LEVELS + levels[..., 2]
    return bins


def _shares(colours: npt.NDArray[np.uint8]) -> Floats:
    """Return the shares of the colours among pixels (n, 3)."""
    return np.bincount(_bins(colours), minlength=_LEVELS**3) / max(1, len(colours))


def _of_pixels(picture: PictureArray) -> Floats:
    return _shares(picture[picture[..., 3] > _OPAQUE][:, :3])


def _ramp(colour: Colour) -> Floats:
    lit = np.array([[min(255, channel * shade // 128) for channel in colour] for shade in _SHADES], np.uint8)
    return _shares(lit)


def _soften(shares: Floats) -> Floats:
    cube = shares.reshape(_LEVELS, _LEVELS, _LEVELS)
    for axis in range(3):
        padded = np.pad(cube, [(1, 1) if side == axis else (0, 0) for side in range(3)])
        cube = sum(  # type: ignore[assignment]
            share * np.take(padded, range(step, step + _LEVELS), axis) for step, share in enumerate(_SOFT)
        )
    return cube.ravel()
