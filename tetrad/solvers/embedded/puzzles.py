"""Analogies as vectors, and the choices that need no training (Bitton et al. 2023, section 4.2).

A puzzle has the embeddings of A, A' and B, or of some of them, and of each option.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float32]
GIVEN = ("A", "A'", "B")
SIGNS = {"A": -1.0, "A'": 1.0, "B": 1.0}
"""What each given picture counts for in B + A' - A."""


@dataclass(frozen=True, kw_only=True)
class Puzzle:
    """given: vectors of A, A' and B by name, all or some. options: a row an option, in the order of `labels`."""

    given: Mapping[str, Vector]
    labels: tuple[str, ...]
    options: Vector


def arithmetic_of(puzzle: Puzzle) -> Vector:
    """Return B + A' - A of unit vectors, without what is not given; of A alone A itself."""
    parts = [SIGNS[name] * _unit(vector) for name, vector in puzzle.given.items()]
    total: Vector = np.sum(parts, axis=0, dtype=np.float32)
    return -total if set(puzzle.given) == {"A"} else total


def choose_by_arithmetic(puzzle: Puzzle) -> str:
    """Return the option whose cosine with B + A' - A is largest."""
    return puzzle.labels[int(np.argmax(units(puzzle.options) @ arithmetic_of(puzzle)))]


def choose_by_elimination(puzzle: Puzzle) -> str:
    """Return the option that is least like any given picture: those that resemble one are eliminated first."""
    likeness = (units(puzzle.options) @ np.stack([_unit(one) for one in puzzle.given.values()]).T).max(axis=1)
    return puzzle.labels[int(np.argmin(likeness))]


def part_of(puzzle: Puzzle, *names: str) -> Puzzle:
    """Return the puzzle with these of A, A' and B alone."""
    return Puzzle(given={name: puzzle.given[name] for name in names}, labels=puzzle.labels, options=puzzle.options)


WAYS: Mapping[str, Callable[[Puzzle], str]] = {
    "arithmetic": choose_by_arithmetic,
    "elimination": choose_by_elimination,
}


def _unit(vector: Vector) -> Vector:
    length = float(np.linalg.norm(vector))
    return (vector / length).astype(np.float32) if length else vector


def units(rows: Vector) -> Vector:
    """Return rows as unit vectors; rows of zeros stay."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(lengths == 0, 1, lengths)).astype(np.float32)
