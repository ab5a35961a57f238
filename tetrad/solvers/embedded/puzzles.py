"""Analogies as vectors, and the choices that need no training (Bitton et al. 2023, section 4.2).

A puzzle has the embeddings of A, A' and B, or of some of them, and of each option. A picture puzzle has the names of
these pictures instead: what is to be embedded.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tetrad.late_regex import late_regex

Vector = npt.NDArray[np.float32]
GIVEN = ("A", "A'", "B")
SIGNS = {"A": -1.0, "A'": 1.0, "B": 1.0}
"""What each given picture counts for in B + A' - A."""
_CAPTION = late_regex(r"\b[Pp]icture (A'|A|B)(?![\w'])")


class PuzzleError(ValueError):
    """A question is no analogy of pictures, or does not show what is needed; the message says what is."""


@dataclass(frozen=True, kw_only=True)
class Puzzle:
    """given: vectors of A, A' and B by name, all or some. options: a row an option, in the order of `labels`."""

    given: Mapping[str, Vector]
    labels: tuple[str, ...]
    options: Vector


@dataclass(frozen=True, kw_only=True)
class PicturePuzzle:
    """given: names of the pictures A, A' and B, all or some. options: the name of each option's picture, by label."""

    given: Mapping[str, str]
    options: Mapping[str, str]

    def with_vectors(self, vectors: Mapping[str, Vector]) -> Puzzle:
        """Return the puzzle of these pictures' vectors, by name."""
        rows = np.stack([vectors[name] for name in self.options.values()])
        given = {which: vectors[name] for which, name in self.given.items()}
        return Puzzle(given=given, labels=tuple(self.options), options=rows)

    def part(self, names: tuple[str, ...]) -> "PicturePuzzle":
        """Return the puzzle with these of A, A' and B alone; without names all of it.

        Raises:
            PuzzleError: one of them is not shown.
        """
        _check_shown(names, self.given)
        return PicturePuzzle(given={name: self.given[name] for name in names or self.given}, options=self.options)


def find_puzzle(captions: Mapping[str, str], options: Mapping[str, str | None]) -> PicturePuzzle:
    """Find A, A' and B by the captions of pictures (by name), and each option (by label) by the name of its picture.

    Raises:
        PuzzleError: an option has no picture, or none of A, A' and B is shown.
    """
    given = {match[1]: name for name, text in captions.items() if (match := _CAPTION.search(text)) is not None}
    shown = {label: name for label, name in options.items() if name is not None}
    if not given or not shown or len(shown) < len(options):
        raise PuzzleError(
            f"captions {', '.join(captions.values())!r}: embeddings answer questions whose options are pictures, "
            f"beside at least one of {', '.join(GIVEN)}"
        )
    return PicturePuzzle(given=given, options=shown)


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
    likeness = (units(puzzle.options) @ np.stack([_unit(vector) for vector in puzzle.given.values()]).T).max(axis=1)
    return puzzle.labels[int(np.argmin(likeness))]


def part_of(puzzle: Puzzle, *names: str) -> Puzzle:
    """Return the puzzle with these of A, A' and B alone. Raises: PuzzleError: one of them is not shown."""
    _check_shown(names, puzzle.given)
    return Puzzle(given={name: puzzle.given[name] for name in names}, labels=puzzle.labels, options=puzzle.options)


def _check_shown(needed: Sequence[str], given: Collection[str]) -> None:
    if missing := [name for name in needed if name not in given]:
        raise PuzzleError(f"picture {' and '.join(missing)} is needed and not shown")


@dataclass(frozen=True)
class Way:
    """A way to choose that needs these of A, A' and B, and looks at no others; without `needs` at whatever is shown."""

    needs: tuple[str, ...]
    by: Callable[[Puzzle], str]

    def choose(self, puzzle: Puzzle) -> str:
        """Return the label of an option."""
        return self.by(part_of(puzzle, *self.needs) if self.needs else puzzle)


PARTS: Mapping[str, tuple[str, ...]] = {
    "only-a": ("A",),
    "only-a-prime": ("A'",),
    "only-b": ("B",),
    "a-and-b": ("A", "B"),
    "a-and-a-prime": ("A", "A'"),
    "a-prime-and-b": ("A'", "B"),
}
"""Partial inputs, named as VASR's settings that show no more."""

WAYS: Mapping[str, Way] = {
    "arithmetic": Way((), choose_by_arithmetic),
    "elimination": Way((), choose_by_elimination),
    **{name: Way(needs, choose_by_arithmetic) for name, needs in PARTS.items()},
}


def _unit(vector: Vector) -> Vector:
    length = float(np.linalg.norm(vector))
    return (vector / length).astype(np.float32) if length else vector


def units(rows: Vector) -> Vector:
    """Return rows as unit vectors; rows of zeros stay."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(lengths == 0, 1, lengths)).astype(np.float32)
