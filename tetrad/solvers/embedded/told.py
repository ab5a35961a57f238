"""Choices by a model that puts pictures and texts into one space: by a caption, and by predicted situations.

Both are after Bitton et al. 2023, section 4.2, with what such a model can do alone. Image-to-text: the caption nearest
to B + A' - A, and the option nearest to it; the paper has a language model write the caption. Predicted situations: in
each picture and role the likeliest value, then the change from A to A' applied to B; the paper has a model of SWiG's
predict them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tetrad.solvers.embedded.puzzles import GIVEN, Puzzle, Vector, arithmetic_of, units

VERB = "verb"
Embed = Callable[[Sequence[str]], list[Vector]]


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
        """
        a, changed, b = (self._predicted(puzzle.given[name]) for name in GIVEN)
        wanted = {role: changed[role] if changed[role] != a[role] else b[role] for role in self.values}
        rows = units(puzzle.options)
        described = np.stack([self.captions[role][place] for role, place in wanted.items()])
        scores = []
        for row in rows:
            found = self._predicted(row)
            same = sum(found[role] == place for role, place in wanted.items())
            scores.append((same, float((described @ row).sum())))
        return puzzle.labels[max(range(len(scores)), key=scores.__getitem__)]

    def _predicted(self, vector: Vector) -> dict[str, int]:
        """Return the place of the likeliest value of each role."""
        return {role: int(np.argmax(rows @ vector)) for role, rows in self.captions.items()}


def told_by(values: Mapping[str, Sequence[str]], embed: Embed) -> Told:
    """Embed the captions of values by role."""
    captions = {role: units(np.stack(embed([caption(role, one) for one in of]))) for role, of in values.items()}
    return Told({role: tuple(of) for role, of in values.items()}, captions)


def caption(role: str, value: str) -> str:
    """Return the caption of a value."""
    return f"a photo of someone {value}" if role == VERB else f"a photo of a {value}"


def values_of(states: Sequence[str]) -> dict[str, list[str]]:
    """Return the values by role that states in words name, such as "hitting, agent man, tool hammer, place street"."""
    found: dict[str, dict[str, None]] = {VERB: {}}
    for state in states:
        verb, *rest = state.split(", ")
        found[VERB][verb] = None
        for one in rest:
            role, _, value = one.partition(" ")
            found.setdefault(role, {})[value] = None
    return {role: sorted(of) for role, of in found.items()}
