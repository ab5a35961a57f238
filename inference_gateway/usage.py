"""The rule of what counts as usage that an upstream reports.

Providers read each number with `read_count`, whatever was sent in its place: text, a fraction, a list. What is no whole
number becomes ODD, and so does every sum with it. The gates believe a usage unless `Usage.is_odd`; otherwise the
reservation is booked, as if nothing had been reported.
"""

from collections.abc import Mapping
from dataclasses import dataclass

ODD = -1
"""Stands for what is no whole number of tokens."""
MOST_TOKENS = 2**31 - 1  # of a call of which no smaller bound is known; the api's database holds no larger number


@dataclass(frozen=True, kw_only=True)
class Usage:
    """The usage that an upstream reported. A number it did not report is None, not 0; the reservation replaces it.

    Cached tokens are among the input tokens; reasoning tokens, among the output tokens, cost nothing of their own.
    """

    input_tokens: int | None
    output_tokens: int | None
    cached_input_tokens: int | None = None
    reasoning_tokens: int | None = None

    def is_odd(self, most_input: int, most_output: int) -> bool:
        """Return whether this can't be true: a number is outside of 0 to its bound, or more is cached than was sent."""
        cached = self.cached_input_tokens or 0
        if self.input_tokens is not None and cached > self.input_tokens:
            return True
        bounds = (
            (self.input_tokens, most_input),
            (cached, most_input),
            (self.output_tokens, most_output),
            (self.reasoning_tokens, most_output),
        )
        return any(count is not None and not 0 <= count <= most for count, most in bounds)


def read_count(usage: object, *path: str) -> int | None:
    """Return the number at a path of nested objects; None if it is missing, ODD if it is no whole number of tokens."""
    found = usage
    for name in path:
        if found is None:
            return None
        if not isinstance(found, Mapping):
            return ODD
        found = found.get(name)
    if found is None:
        return None
    if isinstance(found, float) and found.is_integer() and abs(found) <= MOST_TOKENS:
        return int(found)
    return found if isinstance(found, int) and not isinstance(found, bool) else ODD


def add_counts(*counts: int | None) -> int | None:
    """Return the sum of the reported numbers; None if there is none, ODD if one of them is below 0."""
    known = [count for count in counts if count is not None]
    if any(count < 0 for count in known):
        return ODD
    return sum(known) if known else None
