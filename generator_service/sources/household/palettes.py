"""Palettes: the same thing in other colours, by exact arithmetic on the colour of each sample.

A palette swaps the channels (an orange chair turns blue), then multiplies each. Greys have equal channels, so only the
multipliers tint them. Natural things only get lighter, darker, warmer or colder.
"""

from dataclasses import dataclass

import numpy as np

from generator_service.drawing.exact import Singles

_DARKEST = 20  # of 255; black things keep some light, so that their shape can be seen


@dataclass(frozen=True)
class Palette:
    """Channel k takes the place `order[k]`, times `tint[k]`."""

    order: tuple[int, int, int]
    tint: tuple[float, float, float]

    def applied(self, colour: list[Singles]) -> list[Singles]:
        """Return red, green and blue, 0..255, in the colours of this palette."""
        lift = np.float32((255 - _DARKEST) / 255)
        return [
            (colour[place] * lift + np.float32(_DARKEST)) * np.float32(factor)
            for place, factor in zip(self.order, self.tint, strict=True)
        ]


_OWN = Palette((0, 1, 2), (1.0, 1.0, 1.0))
_MADE = (_OWN, Palette((2, 0, 1), (0.72, 0.92, 1.0)), Palette((1, 2, 0), (1.0, 0.8, 0.62)))
_NATURAL = (_OWN, Palette((0, 1, 2), (1.0, 0.93, 0.84)), Palette((0, 1, 2), (0.84, 0.9, 0.96)))


def palettes_of(*, natural: bool) -> tuple[Palette, ...]:
    """Return the palettes of a kind of thing, its own colours first."""
    return _NATURAL if natural else _MADE
