"""Choices by a model that puts pictures and texts into one space: by a caption, and by predicted situations.

Both are after Bitton et al. 2023, section 4.2, with what such a model can do alone. Image-to-text: the caption nearest
to B + A' - A, and the option nearest to it; the paper has a language model write the caption. Predicted situations: in
each picture and role the likeliest value, then the change from A to A' applied to B; the paper has a model of SWiG's
predict them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np

from tetrad.solvers.embedded.puzzles import GIVEN, Puzzle, Vector, arithmetic_of, part_of, units

VERB = "verb"
CAPTIONED, PREDICTED = "image-to-text", "predicted-situations"
WORD_WAYS = (CAPTIONED, PREDICTED)
"""The ways that need the words for values."""
Words = Mapping[str, Sequence[str]]
"""The values of each role, in words."""
_Values = Annotated[list[Annotated[str, msgspec.Meta(min_length=1)]], msgspec.Meta(min_length=1)]
_File = Annotated[dict[str, _Values], msgspec.Meta(min_length=1)]
Embed = Callable[[Sequence[str]], list[Vector]]


class WordsError(ValueError):
    """A file holds no words for values; the message says why and how one is made."""


@dataclass(frozen=True)
class Told:
    """The values of each role with the unit vectors of their captions, a row a value."""

    values: Mapping[str, tuple[str, ...]]
    captions: Mapping[str, Vector]

    def choose_by_caption(self, puzzle: Puzzle) -> str:
        """Return the option nearest to the caption that is nearest to B + A' - A."""
        every = np.concatenate(list(self.captions.values()))
        nearest = every[int(np.argmax(every @ arithmetic_of(puzzle)))]
        return puzzle.labels[int(np.argmax(units(puzzle.options) @ nearest))]

    def choose_by_situation(self, puzzle: Puzzle) -> str:
        """Return the option whose predicted situation has most values of B with the change from A to A'.

        Of several the one that the wanted captions describe best.

        Raises:
            PuzzleError: A, A' or B is not shown.
        """
        puzzle = part_of(puzzle, *GIVEN)
        a, changed, b = (self._predict(puzzle.given[name]) for name in GIVEN)
        wanted = {role: changed[role] if changed[role] != a[role] else b[role] for role in self.values}
        rows = units(puzzle.options)
        described = np.stack([self.captions[role][place] for role, place in wanted.items()])
        scores = []
        for row in rows:
            found = self._predict(row)
            same = sum(found[role] == place for role, place in wanted.items())
            scores.append((same, float((described @ row).sum())))
        return puzzle.labels[max(range(len(scores)), key=scores.__getitem__)]

    def _predict(self, vector: Vector) -> dict[str, int]:
        """Return the place of the likeliest value of each role."""
        return {role: int(np.argmax(rows @ vector)) for role, rows in self.captions.items()}


def told_by(values: Words, embed: Embed) -> Told:
    """Embed the captions of values by role."""
    return told_with(values, embed(captions_of(values)))


def captions_of(values: Words) -> list[str]:
    """Return the captions of all values, role by role."""
    return [caption(role, value) for role, of in values.items() for value in of]


def told_with(values: Words, vectors: Sequence[Vector]) -> Told:
    """Return what is told by the vectors of `captions_of` these values."""
    left = iter(vectors)
    captions = {role: units(np.stack([next(left) for _ in of])) for role, of in values.items()}
    return Told({role: tuple(of) for role, of in values.items()}, captions)


def load_words(path: Path) -> Words:
    """Read the values by role of a file that `tetrad baseline words` wrote.

    Raises:
        WordsError: the file holds none.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=_File)
    except (OSError, msgspec.DecodeError) as error:
        raise WordsError(f"{path} holds no words by role ({error}); write them with tetrad baseline words") from error


def caption(role: str, value: str) -> str:
    """Return the caption of a value."""
    return f"a photo of someone {value}" if role == VERB else f"a photo of a {value}"


def values_of(states: Sequence[str]) -> dict[str, list[str]]:
    """Return the values by role that states in words name, such as "hitting, agent man, tool hammer, place street"."""
    found: dict[str, dict[str, None]] = {VERB: {}}
    for state in states:
        verb, *rest = state.split(", ")
        found[VERB][verb] = None
        for named_role in rest:
            role, _, value = named_role.partition(" ")
            found.setdefault(role, {})[value] = None
    return {role: sorted(of) for role, of in found.items()}
