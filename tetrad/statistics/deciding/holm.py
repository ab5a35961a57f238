"""Correct p-values of several comparisons: Holm 1979, "A simple sequentially rejective multiple test procedure"."""

from collections.abc import Sequence

__all__ = ["holm"]


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the corrected p-values in the given order: with those below 5%, the chance of any false one is 5%.

    Raises:
        ValueError: one lies outside [0, 1].
    """
    if not all(0.0 <= p_value <= 1.0 for p_value in p_values):
        raise ValueError(f"p-values lie in [0, 1]: got {list(p_values)!r}")
    corrected, reached = [0.0] * len(p_values), 0.0
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    for rank, place in enumerate(order):
        reached = max(reached, min(1.0, (len(p_values) - rank) * p_values[place]))
        corrected[place] = reached
    return corrected
