"""Step 5: difficult distractors, mined as published (Bitton et al. 2023, section 3.2).

Of two sorts. "other": an image with the new value, in another situation; it shares no other value with B'. "near": an
image that resembles B and lacks the new value; it is not B' but for the changed role. Most similar first, the one to
A', the other to B, by the adapted Jaccard index: keys with an equal value over keys of either, the place and the
changed role left out, the verb counted as a key. No distractor solves the analogy: none has the new value in B's
situation.

An image is compared with a bounded number of others of its roles, those of its verb first, so the work is linear.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from generator_service.mining.counting import Counting
from generator_service.mining.situations.analogies import Analogies, shared_values
from generator_service.mining.situations.annotations import FRAMES, PLACE, VERB
from generator_service.mining.situations.corpus import ABSENT, UNFILLED, Corpus, Ints, Mask
from generator_service.mining.situations.picking import mix_numbers

TOGETHER = 256  # analogies at a time: their comparisons fit into the processor's cache
POOL = 128  # images that one is compared with
LOOKED_AT = 24  # of those most like A', whether they share more than the new value with B'
KEPT = 6  # of each sort: enough for eight candidates
LEAST = 2  # of one sort, and one of the other
ALL = 2520  # the similarity 1: every share of up to ten keys is a whole number of it


@dataclass(frozen=True)
class Distracted:
    """An analogy with its distractors: image numbers, most similar first."""

    analogy: int
    other: tuple[int, ...]
    near: tuple[int, ...]


def find_distractors(corpus: Corpus, analogies: Analogies, counting: Counting) -> Iterator[Distracted]:
    """Yield the analogies that have distractors enough, in their order."""
    pools = _Pools(corpus)
    searches = [_Search(corpus, analogies, pools, new=new) for new in (True, False)]
    with ThreadPoolExecutor(len(searches)) as threads:  # arrays are compared outside Python's lock
        other, near = threads.map(_Search.rank_distractors, searches)
    for number, change in enumerate(analogies.change.tolist()):
        role, value, new = analogies.changes[change]
        words = (f"{role}: {value} > {new}",)
        ours, theirs = other.get(number, ()), near.get(number, ())
        if min(len(ours), len(theirs)) and max(len(ours), len(theirs)) >= LEAST:
            counting.keep(role, 1, words)
            yield Distracted(number, ours, theirs)
        else:
            which = "too few near B" if len(theirs) <= len(ours) else "too few with the new value"
            counting.drop(which, role, 1, words)


def similarity(corpus: Corpus, images: Ints, pool: Ints, slot: int) -> Ints:
    """Return the adapted Jaccard index of images and those of a pool [len(images), len(pool)], in parts of ALL.

    All have the same roles. The place and the changed slot are left out; ABSENT leaves out the verb. Of the frames of
    two images the most similar ones count.
    """
    told = int(slot != ABSENT)
    verbs = (corpus.verb[images][:, None] == corpus.verb[pool])[:, :, None, None] * np.int8(told)
    equal, either = verbs.repeat(FRAMES, axis=2).repeat(FRAMES, axis=3), np.int8(told)
    for candidate in _slots_of(corpus, images):
        if candidate != slot and corpus.role_sets[corpus.role_set[images[0]]][candidate] != PLACE:
            mine, other = _lay_out(corpus, images, pool, candidate)
            equal = equal + ((mine == other) & (mine != UNFILLED))
            either = either + ((mine != UNFILLED) | (other != UNFILLED)).astype(np.int8)
    parts: Ints = (equal.astype(np.int64) * ALL // np.maximum(either, 1)).max(axis=(2, 3))
    return parts


def identical(corpus: Corpus, images: Ints, pool: Ints, slot: int) -> Mask:
    """Return where a frame of an image equals one of the pool's, place and verb included, but for the changed slot."""
    equal: Mask = np.ones((len(images), len(pool), FRAMES, FRAMES), dtype=np.bool_)
    for candidate in _slots_of(corpus, images):
        if candidate != slot:
            mine, other = _lay_out(corpus, images, pool, candidate)
            np.logical_and(equal, mine == other, out=equal)
    same: Mask = np.asarray(equal.any(axis=(2, 3)))
    return same if slot == ABSENT else same & (corpus.verb[images][:, None] == corpus.verb[pool])


def _slots_of(corpus: Corpus, images: Ints) -> range:
    """Return the slots of images that all have the same roles."""
    return range(len(corpus.role_sets[corpus.role_set[images[0]]]))


def _lay_out(corpus: Corpus, images: Ints, pool: Ints, slot: int) -> tuple[Ints, Ints]:
    """Return the values of a slot, laid out to compare each annotator of an image with each of one of the pool."""
    return corpus.frames[images, :, slot][:, None, :, None], corpus.frames[pool, :, slot][None, :, None, :]


class _Pools:
    """The images that one is compared with: of its verb, then others of its roles."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        order = np.argsort(mix_numbers(np.arange(len(corpus.images)), 7), kind="stable")
        self._of_verb = _group_images(order, corpus.verb)
        self._of_set = _group_images(order, corpus.role_set)
        self._columns: dict[tuple[int, int], Ints] = {}
        self._with: dict[tuple[int, int, int], Ints] = {}

    def near(self, verb: int, role_set: int) -> Ints:
        """Return images of a verb, and some others of its roles."""
        return _filled_up(self._of_verb[verb], self._of_set[role_set])

    def with_value(self, verb: int, role_set: int, slot: int, value: int) -> Ints:
        """Return images with a value in a slot, of a verb first; with slot ABSENT the value is the verb itself."""
        if slot == ABSENT:
            return self._of_verb[value][:POOL]
        if (role_set, slot) not in self._columns:
            self._columns[role_set, slot] = self._corpus.frames[self._of_set[role_set], :, slot]
        if (role_set, slot, value) not in self._with:
            has = (self._columns[role_set, slot] == value).any(axis=1)
            self._with[role_set, slot, value] = self._of_set[role_set][has]
        images = self._with[role_set, slot, value]
        same = self._corpus.verb[images] == verb
        return np.concatenate([images[same], images[~same]])[:POOL]


def _group_images(order: Ints, of: Ints) -> Mapping[int, Ints]:
    """Return the images of each number, in the order given."""
    by = order[np.argsort(of[order], kind="stable")]
    numbers, starts = np.unique(of[by], return_index=True)
    return dict(zip(numbers.tolist(), np.split(by, starts[1:]), strict=True))


def _filled_up(first: Ints, others: Ints) -> Ints:
    pool = first[: POOL - POOL // 4]
    more = others[: 2 * POOL]
    return np.concatenate([pool, more[~np.isin(more, pool)]])[:POOL]


class _Search:
    """The search for distractors of one sort: with the new value (`new`), or near B."""

    def __init__(self, corpus: Corpus, analogies: Analogies, pools: _Pools, *, new: bool) -> None:
        self._corpus, self._pools, self._new = corpus, pools, new
        self._images = analogies.images
        self._like = analogies.images[:, 1 if new else 2]
        changes = [analogies.changes[number] for number in analogies.change.tolist()]
        self._roles = np.array([role for role, _, _ in changes], dtype=np.str_)
        self._values = np.array([corpus.number[value] for _, _, value in changes], dtype=np.int64)
        self._slots = _slots(corpus, self._like, self._roles)

    def rank_distractors(self) -> dict[int, tuple[int, ...]]:
        """Return the distractors of each analogy, the most similar first."""
        groups: dict[tuple[int, int, int, int], list[int]] = defaultdict(list)
        verbs, sets = self._corpus.verb[self._like].tolist(), self._corpus.role_set[self._like].tolist()
        for number, (slot, value) in enumerate(zip(self._slots.tolist(), self._values.tolist(), strict=True)):
            groups[verbs[number], sets[number], slot, value if self._new else ABSENT].append(number)
        found: dict[int, tuple[int, ...]] = {}
        for (verb, role_set, slot, value), numbers in groups.items():
            if self._new:
                pool = self._pools.with_value(verb, role_set, slot, value)
                pool = pool[self._corpus.role_set[pool] == role_set]
            else:
                pool = self._pools.near(verb, role_set)
            for start in range(0, len(numbers) if len(pool) else 0, TOGETHER):
                found.update(self._of(np.array(numbers[start : start + TOGETHER]), pool, slot))
        return found

    def _of(self, part: Ints, pool: Ints, slot: int) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield the distractors of some analogies out of one pool."""
        images = self._images[part]
        alike = _of_distinct(similarity, self._corpus, self._like[part], pool, slot)
        allowed = (pool[None, :, None] != images[:, None, :]).all(axis=2)
        allowed &= self._corpus.part[pool][None, :] == self._corpus.part[images[:, 0]][:, None]
        if not self._new:
            allowed &= self._near(part, pool, slot, alike)
        alike = np.where(allowed, alike, -1)
        best = np.argsort(-alike, axis=1, kind="stable")[:, : LOOKED_AT if self._new else KEPT]
        chosen = np.take_along_axis(alike, best, axis=1) >= 0
        if self._new:
            rows, columns = np.nonzero(chosen)
            found = pool[best[rows, columns]]
            chosen[rows, columns] = ~shared_values(self._corpus, images[rows, 3], found, self._roles[part][rows])
        for row, number in enumerate(part.tolist()):
            yield number, tuple(pool[best[row][chosen[row]]][:KEPT].tolist())

    def _near(self, part: Ints, pool: Ints, slot: int, alike: Ints) -> Mask:
        """Return which of the pool resemble B, lack the new value, and are not B' but for the changed role."""
        corpus, images, wanted = self._corpus, self._images[part], self._values[part]
        near: Mask = (alike > 0) | (corpus.verb[pool][None, :] == corpus.verb[images[:, 2]][:, None])
        near &= ~_of_distinct(identical, corpus, images[:, 2 if slot == ABSENT else 3], pool, slot)
        if slot == ABSENT:
            near &= corpus.verb[pool][None, :] != wanted[:, None]
            return near
        near &= (corpus.frames[pool][None, :, :, slot] != wanted[:, None, None]).all(axis=2)
        return near


def _of_distinct(
    measure: Callable[[Corpus, Ints, Ints, int], NDArray[Any]], corpus: Corpus, images: Ints, pool: Ints, slot: int
) -> NDArray[Any]:
    """Compare each distinct image with the pool once: [len(images), len(pool)]."""
    distinct, places = np.unique(images, return_inverse=True)
    return measure(corpus, distinct, pool, slot)[places.reshape(-1)]


def _slots(corpus: Corpus, images: Ints, roles: NDArray[np.str_]) -> Ints:
    """Return the changed slot of each image; ABSENT where the verb changes."""
    slots = np.full(len(images), ABSENT, dtype=np.int64)
    for role in sorted(set(roles.tolist()) - {VERB}):
        where = np.flatnonzero(roles == role)
        slots[where] = corpus.slots(role)[images[where]]
    return slots
