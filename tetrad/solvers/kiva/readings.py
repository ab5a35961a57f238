"""List the readings of a pair: sets of changes, each with its distance from the pair. Several may fit, or none."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from itertools import product
from typing import TypeAlias

from tetrad.solvers.kiva.changes import (
    COLORS,
    POSES,
    SIZES,
    apply_pose,
    apply_size,
    color_distance,
    name_count_changes,
)
from tetrad.solvers.kiva.copies import Copies, copies, distance
from tetrad.solvers.kiva.panels import Pair, resize

Reading: TypeAlias = frozenset[str]
"""Changes by domain and value; the empty one says that nothing changed."""
Readings: TypeAlias = Mapping[Reading, float]

NO_FIT = 1.0
ALIKE = 0.12  # a silhouette this much farther off than the nearest may still be right; colours then decide
_REMEMBERED = 64  # pairs, of some 512 KiB each
_OBJECT = 64  # a single object needs no more pixels
_QUARTERS = tuple(pose for pose in POSES if "45" not in pose and "135" not in pose)
# Of several changes at once, sizes change on both sides alike and turns are quarters. Stretches and eighths come alone.
_LOOKS = (
    *product((None, "size 2x", "size 1/2x"), (None, *_QUARTERS)),
    *((f"size {size}", None) for size in SIZES if size not in {"2x", "1/2x"}),
    *((None, pose) for pose in POSES if pose not in _QUARTERS),
)
_ENLARGED = frozenset(f"size {size}" for size, scale in SIZES.items() if max(scale) > 1)
_COLORS = (None, *(f"color {color}" for color in COLORS))


@dataclass(frozen=True)
class Shown:
    """A pair taken apart: the number of copies before and after, and one of the copies."""

    before: Copies
    after: Copies


@dataclass(frozen=True)
class _ByPixels:
    """A pair that equals every pair of the same pixels.

    The questions of a trial, and the rounds of a prompt, show the same pairs again and again. Finding the copies in a
    pair takes most of the time of an answer, so what was found in the last pairs is remembered.
    """

    digest: bytes
    pair: Pair = field(compare=False)


def taken_apart(pair: Pair) -> Shown:
    """Return the pair's copies, small."""
    return _taken_apart(_by_pixels(pair))


def readings(pair: Pair) -> Readings:
    """Return every reading of the pair with its distance; counts must agree exactly."""
    return _readings(_by_pixels(pair))


def _by_pixels(pair: Pair) -> _ByPixels:
    return _ByPixels(blake2b(pair[0].tobytes() + pair[1].tobytes()).digest(), pair)


@lru_cache(maxsize=_REMEMBERED)
def _taken_apart(seen: _ByPixels) -> Shown:
    before, after = copies(seen.pair)
    return Shown(_small(before), _small(after))


def _small(held: Copies) -> Copies:
    side = min(_OBJECT, held.one.shape[0])
    return Copies(held.count, resize(held.one, side, side), resize(held.hidden, side, side))


@lru_cache(maxsize=_REMEMBERED)
def _readings(seen: _ByPixels) -> Readings:
    given = _taken_apart(seen)
    return {
        frozenset(filter(None, (number, size, pose, color))): off
        for size, pose, color, off in _looks(given)
        for number in _numbers(given)
    }


def common(several: Sequence[Readings]) -> Readings:
    """Return the readings that several pairs have in common, with the mean of their distances."""
    shared = frozenset.intersection(*(frozenset(readings) for readings in several))
    return {reading: sum(readings[reading] for readings in several) / len(several) for reading in shared}


def off(reading: Reading, pair: Shown) -> float:
    """Return the distance of a pair from one reading."""
    parts = {change.split(" ")[0]: change for change in reading}
    if parts.get("number") not in _numbers(pair):
        return NO_FIT
    pose = parts.get("rotation") or parts.get("reflection")
    return color_distance(parts.get("color"), *_stand(pair, parts.get("size"), pose))


def _numbers(given: Shown) -> Sequence[str | None]:
    """List the possible changes of the count; a single None if it did not change."""
    if given.before.count == given.after.count:
        return (None,)
    return tuple(name_count_changes(given.before.count, given.after.count))


def _looks(given: Shown) -> Iterator[tuple[str | None, str | None, str | None, float]]:
    """Yield sizes, poses and colours with their distance. The silhouette narrows down size and pose first."""
    apart = {look: distance(*_stand(given, *look, silhouette=True)) for look in _LOOKS}
    nearest = min(apart.values())
    for look in (look for look in _LOOKS if apart[look] <= nearest + ALIKE):
        stood = _stand(given, *look)
        yield from ((*look, color, color_distance(color, *stood)) for color in _COLORS)


def _stand(given: Shown, size: str | None, pose: str | None, *, silhouette: bool = False) -> Pair:
    """Return the copy before, in another size and pose, and the one after, without parts that a crop hides of either.

    If one was enlarged it has no finer detail than before, so both are halved.
    """
    channels = slice(3, None) if silhouette else slice(None)
    was, hidden = (
        apply_pose(apply_size(thumb, size), pose) for thumb in (given.before.one[..., channels], given.before.hidden)
    )
    seen = (1 - hidden) * (1 - given.after.hidden)
    side = seen.shape[0] // 2 if size in _ENLARGED else seen.shape[0]
    return resize(was * seen, side, side), resize(given.after.one[..., channels] * seen, side, side)
