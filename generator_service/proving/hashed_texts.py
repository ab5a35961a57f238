"""A logistic regression over texts that say what is seen of an option. It knows a text by heart that is long enough."""

from collections.abc import Callable, Sequence
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from sklearn.linear_model import SGDClassifier

KNOWN = 1 << 18  # numbers that texts are hashed to
_ROUNDS = 5
_SEED = 7
Numbers = npt.NDArray[np.int32]
Hashed = tuple[tuple[str, ...], tuple[Numbers, ...]]
"""Labels, and for each the numbers of its texts."""


def hash_texts(texts: Sequence[str], size: int) -> Numbers:
    """Return the numbers of the texts, each below `size` and each once, in order."""
    return np.unique(np.array([crc32(text.encode()) % size for text in texts], dtype=np.int32))


def is_right(views: Sequence[tuple[Sequence[str], Any]], labels: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Tell of every option of every view, one after another, whether it is the right one."""
    return np.array([label == right for (shown, _), right in zip(views, labels, strict=True) for label in shown])


def learn_hashed(views: Sequence[Hashed], labels: Sequence[str]) -> Callable[[Sequence[Hashed]], list[str]]:
    """Learn which texts right options have. Return what chooses, in each view, the option most like those."""
    model = SGDClassifier(loss="log_loss", alpha=1e-6, max_iter=_ROUNDS, tol=None, random_state=_SEED)
    model.fit(_rows([option for _, options in views for option in options]), is_right(views, labels))
    weights = model.coef_[0]

    def best(options: Sequence[Numbers]) -> int:
        return int(np.argmax([weights[numbers].sum() for numbers in options]))

    return lambda views: [shown[best(options)] for shown, options in views]


def _rows(options: Sequence[Numbers]) -> csr_matrix:
    """Return a row for each option, (options, KNOWN): 1 where it has a text of this number."""
    ends = np.cumsum([0, *map(len, options)])
    numbers = np.concatenate(options)
    return csr_matrix((np.ones(len(numbers), np.float32), numbers, ends), shape=(len(options), KNOWN))
