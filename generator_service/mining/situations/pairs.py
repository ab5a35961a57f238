"""Step 1: pairs of images whose frames differ in exactly one value.

Two images are a pair where a frame of one and a frame of the other have the same roles and differ in one value: that of
a role, or the verb. As published: neither value is "", and the values that the two images have for that role, over all
annotators, are disjoint. The relation is symmetric, so a pair is kept once, and counted as two ordered pairs.

Frames that are equal but for one slot stand in one cell of an index, so that only images that are pairs, or share the
value, are ever compared.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from generator_service.mining.counting import Counting
from generator_service.mining.situations.annotations import FRAMES
from generator_service.mining.situations.corpus import ABSENT, UNFILLED, Corpus, Ints, Mask, role_name


@dataclass(frozen=True)
class Pairs:
    """The pairs of one change: images [m, 2], the first with `value`, the second with `other`; value < other."""

    role: str
    value: str
    other: str
    images: Ints


def find_pairs(corpus: Corpus, counting: Counting) -> Iterator[Pairs]:
    """Yield every pair of the corpus by its change, changes in order of (role, value, other).

    A pair of images can show several changes: it stands under each of them.
    """
    found = [rows_of_role for number in range(len(corpus.role_sets)) for rows_of_role in _of_role_set(corpus, number)]
    for role in sorted({role for role, _ in found}):
        rows = np.concatenate([rows for name, rows in found if name == role])
        for value, other, images in _by_change(corpus, rows):
            counting.keep(role, 2 * len(images), (f"{role}: {value} > {other}",))
            yield Pairs(role, value, other, images)


def _of_role_set(corpus: Corpus, number: int) -> Iterator[tuple[str, Ints]]:
    """Yield (role, rows of value, other, image, image), distinct, of images that have one set of roles."""
    images = np.flatnonzero(corpus.role_set == number)
    width = len(corpus.role_sets[number])
    own = np.repeat(images, FRAMES)
    rows = np.column_stack([corpus.frames[images, :, :width].reshape(-1, width), corpus.verb[own]])
    frames = np.unique(np.column_stack([own, rows]), axis=0)
    own, rows = frames[:, 0], frames[:, 1:]
    for slot in range(width + 1):
        cells = _number_groups(np.delete(rows, slot, axis=1))
        order = np.argsort(cells, kind="stable")
        first, second = _within(cells[order])
        left, right = order[first], order[second]
        values, others = rows[left, slot], rows[right, slot]
        differ = (values != others) & (values != UNFILLED) & (others != UNFILLED) & (own[left] != own[right])
        left, right, values, others = left[differ], right[differ], values[differ], others[differ]
        a, b = own[left], own[right]
        if slot < width:
            apart = _disjoint(corpus, a, b, slot)
            a, b, values, others = a[apart], b[apart], values[apart], others[apart]
        swap = values > others
        together = np.column_stack(
            [np.minimum(values, others), np.maximum(values, others), np.where(swap, b, a), np.where(swap, a, b)]
        )
        if len(together):
            yield role_name(corpus, number, slot), together


def _number_groups(rows: Ints) -> Ints:
    """Return the number of each row's group of equal rows."""
    if rows.shape[1] == 0:
        return np.zeros(len(rows), dtype=np.int64)
    _, cells = np.unique(rows, axis=0, return_inverse=True)
    return cells.reshape(-1)


def _within(cells: Ints) -> tuple[Ints, Ints]:
    """Return all pairs of places in runs of equal numbers, each once: those one apart, then two apart, and so on."""
    ends = np.searchsorted(cells, cells, side="right")
    left, right = [], []
    places = np.arange(len(cells))
    for apart in range(1, len(cells)):
        places = places[places + apart < ends[places]]
        if not len(places):
            break
        left.append(places)
        right.append(places + apart)
    if not left:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    return np.concatenate(left), np.concatenate(right)


def _disjoint(corpus: Corpus, a: Ints, b: Ints, slot: int) -> Mask:
    """Return where the values of two images for a slot have none in common; ABSENT is no value."""
    ours, theirs = corpus.frames[a, :, slot], corpus.frames[b, :, slot]
    common = np.zeros(len(a), dtype=np.bool_)
    for mine in range(FRAMES):
        for other in range(FRAMES):
            common |= (ours[:, mine] == theirs[:, other]) & (ours[:, mine] != ABSENT)
    return ~common


def _by_change(corpus: Corpus, rows: Ints) -> Iterator[tuple[str, str, Ints]]:
    """Group rows of (value, other, image, image), made distinct, by their change."""
    count, images = len(corpus.values), len(corpus.images)
    change = rows[:, 0] * count + rows[:, 1]
    changes, numbers = np.unique(change, return_inverse=True)
    keys = np.unique((numbers.reshape(-1) * images + rows[:, 2]) * images + rows[:, 3])
    which, rest = np.divmod(keys, images * images)
    pairs = np.column_stack(np.divmod(rest, images))
    starts = np.searchsorted(which, np.arange(len(changes) + 1))
    for place, code in enumerate(changes):
        value, other = divmod(int(code), count)
        yield corpus.values[value], corpus.values[other], pairs[starts[place] : starts[place + 1]]
