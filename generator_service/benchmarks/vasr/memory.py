"""Two solvers that learn practice by heart: one from frames, one from small pictures.

They stand alone because they know nothing of proofs: knowledge.py gives them items and compares their scores with what
the card declares. Both look at options and at a part of A, A' and B.

`LabelMemory` counts how often what an option shows was right: each value, each pair of values, each pair of a value
that is given and one of the option, and the whole option. It sums the logarithms of the odds, as a naive Bayes
classifier.

`PixelMemory` keeps every option that it saw as a small picture, projected at random. Of a new option it asks how often
its nearest remembered ones were right, how near it is to each given picture and to the other options, and weighs all
that by logistic regression.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import log

import numpy as np
import numpy.typing as npt
from PIL import Image
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from generator_service.benchmark import PictureArray
from generator_service.benchmarks.vasr.solver import Frame

SIDE = 128
"""Pixels of a side of the pictures that are learned."""
WIDTH = 192  # numbers that are kept of a picture
NEAREST = 5
_SMOOTHING = 1.0
Row = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Lesson:
    """One item: frames of what is given by name, of the options by label; and the right label."""

    given: Mapping[str, Frame]
    options: Mapping[str, Frame]
    right: str


class LabelMemory:
    """A reader of frames that knows how often everything was right."""

    def __init__(self, lessons: Sequence[Lesson]) -> None:
        self._right: Counter[Hashable] = Counter()
        self._shown: Counter[Hashable] = Counter()
        for one in lessons:
            for label, frame in one.options.items():
                found = tuple(_features(one.given, frame))
                self._shown.update(found)
                if label == one.right:
                    self._right.update(found)

    def choose(self, given: Mapping[str, Frame], options: Mapping[str, Frame]) -> str:
        """Return the option with the highest odds."""
        chance = 1 / len(options)
        usual = log(chance / (1 - chance))

        def odds(frame: Frame) -> float:
            total = 0.0
            for feature in _features(given, frame):
                if shown := self._shown[feature]:
                    right = self._right[feature] + _SMOOTHING * chance
                    total += log(right / (shown + _SMOOTHING - right)) - usual
            return total

        return max(options, key=lambda label: odds(options[label]))


def _features(given: Mapping[str, Frame], frame: Frame) -> Iterator[Hashable]:
    """Yield what is counted of an option: its values, and how they go with those that are given."""
    values = tuple(frame.items())
    yield values
    yield from values
    yield from combinations(values, 2)
    for name, seen in given.items():
        same = sum(seen.get(role) == value for role, value in values)
        yield name, same
        for role, value in values:
            own = seen.get(role)
            yield name, role, own == value
            yield name, role, own, value


class PixelMemory:
    """A solver of small pictures that keeps every option, and whether it was right."""

    def __init__(self, lessons: Sequence[tuple[Mapping[str, Row], Mapping[str, Row], str]]) -> None:
        """Learn from rows of given pictures by name and of options by label, each with the right label."""
        half = len(lessons) // 2
        self._rows = np.stack([row for _, options, _ in lessons[:half] for row in options.values()])
        self._right = np.array([label == right for _, options, right in lessons[:half] for label in options])
        told = [(self._told(given, options), list(options), right) for given, options, right in lessons[half:]]
        model = make_pipeline(StandardScaler(), LogisticRegression(C=0.05, max_iter=200))
        is_right = [label == right for _, labels, right in told for label in labels]
        self._model = model.fit(np.concatenate([rows for rows, _, _ in told]), is_right)

    def choose(self, given: Mapping[str, Row], options: Mapping[str, Row]) -> str:
        """Return the option with the highest odds."""
        odds = self._model.decision_function(self._told(given, options))
        return list(options)[int(np.argmax(odds))]

    def _told(self, given: Mapping[str, Row], options: Mapping[str, Row]) -> Row:
        rows = np.stack(list(options.values()))
        apart = ((self._rows[None] - rows[:, None]) ** 2).sum(axis=2)
        nearest = np.argsort(apart, axis=1)[:, :NEAREST]
        known = self._right[nearest].mean(axis=1)
        off = rows - rows.mean(axis=0)
        near = [((rows - one) ** 2).sum(axis=1) for one in given.values()]
        relative = [one - one.mean() for one in (known, apart.min(axis=1), (off**2).sum(axis=1), *near)]
        return np.concatenate([np.stack(relative, axis=1), off], axis=1).astype(np.float32)


def small(pixels: PictureArray) -> Row:
    """Return a picture at 128 pixels a side, projected onto 192 directions that are always the same."""
    image = Image.fromarray(np.ascontiguousarray(pixels[..., :3])).resize((SIDE, SIDE), Image.Resampling.BOX)
    return np.asarray((np.asarray(image, np.float32).ravel() / 255 - 0.5) @ _directions(), np.float32)


@cache
def _directions() -> Row:
    rng = np.random.default_rng(SIDE)
    return (rng.standard_normal((SIDE * SIDE * 3, WIDTH), np.float32) / SIDE).astype(np.float32)
