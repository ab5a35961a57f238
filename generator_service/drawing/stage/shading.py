"""Soften shadows: a smooth ramp and a round blob of it, on any plane."""

import numpy as np

from generator_service.drawing.exact import Floats


def ramp(values: Floats) -> Floats:
    """Rise smoothly from 0 to 1 between the values 0 and 1."""
    held = np.clip(values, 0.0, 1.0)
    smooth: Floats = held * held * (3.0 - 2.0 * held)
    return smooth


def blob(x: Floats, z: Floats, wide: float, deep: float) -> Floats:
    """Return 1 in the middle, falling smoothly to 0 on the ellipse of these half axes."""
    return ramp(np.clip(1.0 - (x / wide) * (x / wide) - (z / deep) * (z / deep), 0.0, 1.0))
