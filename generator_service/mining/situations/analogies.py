"""Step 4: analogies A : A' :: B : B', two pairs of images that show the same change.

The four images differ, A and B share no value of another role, and their verbs differ unless the verb is what changes.
All four are of one part of a divided source, so that practice and sealed draws have analogies of their own.
Which way a change goes is picked at random. An image is in a limited number of analogies, and a change as well, so that
frequent changes ("man > woman") don't make up the corpus. With a bound on how many partners are tried for a pair, the
work grows with the number of pairs, not with its square.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from generator_service.mining.counting import Counting
from generator_service.mining.situations.annotations import ROLES, VERB
from generator_service.mining.situations.corpus import NOTHING, Corpus, Ints, Mask
from generator_service.mining.situations.pairs import Pairs
from generator_service.mining.situations.picking import mix_numbers

CHUNK = 1 << 16


@dataclass(frozen=True)
class Limits:
    """tries: partners that are tried for a pair. of_change, of_image: the most analogies of a change, of an image."""

    tries: int = 8
    of_change: int = 200
    of_image: int = 60


@dataclass(frozen=True)
class Analogies:
    """m analogies: images [m, 4], columns A, A', B, B'; change [m]: the number of its change.

    changes: (role, value of A, value of A').
    """

    images: Ints
    changes: Sequence[tuple[str, str, str]]
    change: Ints


def find_analogies(corpus: Corpus, found: Iterable[Pairs], counting: Counting, limits: Limits = Limits()) -> Analogies:
    """Return analogies of the pairs of every change of the six roles."""
    every = []
    for pairs in found:
        if pairs.role not in ROLES:
            counting.drop("not one of the six roles", pairs.role, 2 * len(pairs.images), (_words(pairs),))
            continue
        within = corpus.part[pairs.images[:, 0]] == corpus.part[pairs.images[:, 1]]
        counting.drop("images of both parts", pairs.role, 2 * int((~within).sum()), (_words(pairs),))
        if within.any():
            every.append(replace(pairs, images=pairs.images[within]))
    if not every:
        return Analogies(np.zeros((0, 4), dtype=np.int64), (), np.zeros(0, dtype=np.int64))
    sizes = np.array([len(pairs.images) for pairs in every])
    change = np.repeat(np.arange(len(every)), sizes)
    images = np.concatenate([pairs.images for pairs in every])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    columns = _Columns([pairs.role for pairs in every], images, change, starts, sizes)
    first, second = _partners(corpus, columns, limits)
    order = np.argsort(mix_numbers(first, 3), kind="stable")
    first, second = first[order], second[order]
    kept = _within_limits(images, change, first, second, limits)
    first, second = first[kept], second[kept]
    swap = (mix_numbers(first, 4) & np.uint64(1)).astype(np.bool_)
    both = np.concatenate([images[first], images[second]], axis=1)
    both[swap] = both[swap][:, [1, 0, 3, 2]]
    changes = [(pairs.role, pairs.value, pairs.other) for pairs in every]
    changes += [(pairs.role, pairs.other, pairs.value) for pairs in every]
    of = change[first] + np.where(swap, len(every), 0)
    _count(counting, every, change, first, sizes)
    return Analogies(both, changes, of)


def shared_values(corpus: Corpus, ours: Ints, theirs: Ints, roles: Sequence[str] | NDArray[np.str_]) -> Mask:
    """Return where two images share a value of a role other than the changed one, over all annotators.

    roles: the changed role of each row. The verb is no role here.
    """
    shared = np.zeros(len(ours), dtype=np.bool_)
    codes = corpus.codes
    named, places = np.unique(np.asarray(roles, dtype=np.str_), return_inverse=True)
    numbers = [corpus.role_numbers.get(str(role), NOTHING) for role in named]
    changed = np.array(numbers, dtype=np.int64)[places.reshape(-1)]
    for start in range(0, len(ours), CHUNK):
        part = slice(start, start + CHUNK)
        left, right = codes[ours[part]], codes[theirs[part]]
        left = np.where(left // len(corpus.values) == changed[part, None], NOTHING, left)
        shared[part] = ((left[:, :, None] == right[:, None, :]) & (left[:, :, None] != NOTHING)).any(axis=(1, 2))
    return shared


@dataclass(frozen=True)
class _Columns:
    """All pairs below each other: images [m, 2], change [m]; and of each change its role, first row and size."""

    roles: Sequence[str]
    images: Ints
    change: Ints
    starts: Ints
    sizes: Ints


def _partners(corpus: Corpus, columns: _Columns, limits: Limits) -> tuple[Ints, Ints]:
    """Return pairs that can stand beside each other, as rows of `images`: for each first pair the first that fits.

    Of large changes a sample of first pairs is tried: twice as many as can be kept.
    """
    images, change, sizes = columns.images, columns.change, columns.sizes
    rows = np.arange(len(images))
    most = 2 * limits.of_change
    tried = rows[(sizes[change] <= most) | (mix_numbers(rows, 1) % sizes[change].astype(np.uint64) < np.uint64(most))]
    tried = tried[sizes[change[tried]] > 1]
    firsts, seconds = [], []
    roles = np.array(columns.roles)
    for attempt in range(limits.tries):
        of = change[tried]
        size, start = sizes[of], columns.starts[of]
        everyone = size - 1 <= limits.tries
        possible = ~everyone | (attempt < size - 1)
        steps = mix_numbers(tried, 16 + attempt) % (size - 1).astype(np.uint64)
        apart = 1 + np.where(everyone, attempt, steps.astype(np.int64))
        partner = start + (tried - start + apart) % size
        fits = possible.copy()
        fits[possible] = _fits(corpus, images, tried[possible], partner[possible], roles[of[possible]])
        firsts.append(tried[fits])
        seconds.append(partner[fits])
        tried = tried[~fits & (~everyone | (attempt + 1 < size - 1))]
    return np.concatenate(firsts), np.concatenate(seconds)


def _fits(corpus: Corpus, images: Ints, first: Ints, second: Ints, roles: NDArray[np.str_]) -> Mask:
    ours, theirs = images[first], images[second]
    fits: Mask = (ours[:, :, None] != theirs[:, None, :]).all(axis=(1, 2))
    fits &= corpus.part[ours[:, 0]] == corpus.part[theirs[:, 0]]
    fits &= (roles == VERB) | (corpus.verb[ours[:, 0]] != corpus.verb[theirs[:, 0]])
    where = np.flatnonzero(fits)
    fits[where] = ~shared_values(corpus, ours[where, 0], theirs[where, 0], roles[where])
    return fits


def _within_limits(images: Ints, change: Ints, first: Ints, second: Ints, limits: Limits) -> Mask:
    """Return which analogies stay within the limits of their change and of their images, in the order given."""
    of_image = np.zeros(int(images.max()) + 1, dtype=np.int64).tolist()
    of_change = [0] * (int(change.max()) + 1)
    kept = np.zeros(len(first), dtype=np.bool_)
    four = np.concatenate([images[first], images[second]], axis=1).tolist()
    for row, (which, shown) in enumerate(zip(change[first].tolist(), four, strict=True)):
        if of_change[which] < limits.of_change and all(of_image[image] < limits.of_image for image in shown):
            of_change[which] += 1
            for image in shown:
                of_image[image] += 1
            kept[row] = True
    return kept


def _count(counting: Counting, every: Sequence[Pairs], change: Ints, first: Ints, sizes: Ints) -> None:
    made = np.bincount(change[first], minlength=len(every))
    for pairs, size, number in zip(every, sizes.tolist(), made.tolist(), strict=True):
        if number:
            counting.keep(pairs.role, number, (_words(pairs),))
        else:
            why = "the only pair of its change" if size == 1 else "no second pair that fits"
            counting.drop(why, pairs.role, 2 * size, (_words(pairs),))


def _words(pairs: Pairs) -> str:
    return f"{pairs.role}: {pairs.value} > {pairs.other}"
