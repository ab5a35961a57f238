"""One claim compared with what is found here, or with what another scorer found."""

import math
from typing import NamedTuple

from tetrad.contracts.reports import Finding, MetricValue

ROUNDING = 1e-9  # sums of the same numbers on another machine's libraries
LONGEST = 200


class Claimed(NamedTuple):
    """An answer and its verdict."""

    answer: str | None
    verdict: str

    @classmethod
    def missing(cls) -> "Claimed":
        return cls(None, "missing")


def finding(check: str, where: str, claimed: object, found: object) -> Finding:
    """Compare two values that must be the same."""
    return Finding(
        check=check, ok=claimed == found, where=where, claimed=str(claimed)[:LONGEST], found=str(found)[:LONGEST]
    )


def differing(check: str, where: str, claimed: MetricValue, found: MetricValue) -> Finding:
    """Compare two metric values, and name the first number that differs."""
    for name, claim, number in _numbers(claimed, found):
        if not _same(claim, number):
            return finding(check, f"{where}.{name}", claim, number)
    return finding(check, where, _text(claimed), _text(claimed))


def are_equal(one: MetricValue, other: MetricValue) -> bool:
    """Tell whether all numbers of the two are the same, but for the rounding of another machine or library."""
    return all(_same(number, twin) for _, number, twin in _numbers(one, other))


def _numbers(claimed: MetricValue, found: MetricValue) -> list[tuple[str, float | None, float | None]]:
    names = ("value", "items", "questions", "total", "standard_error", "uniform_chance", "stated_chance")
    plain = [(name, getattr(claimed, name), getattr(found, name)) for name in names]
    bounds = [(f"interval.{end}", _bound(claimed, end), _bound(found, end)) for end in ("lower", "upper")]
    return [*plain, *bounds]


def _bound(value: MetricValue, end: str) -> float | None:
    return None if value.interval is None else float(getattr(value.interval, end))


def _same(claimed: float | None, found: float | None) -> bool:
    if claimed is None or found is None:
        return claimed is found
    return math.isclose(claimed, found, rel_tol=ROUNDING, abs_tol=ROUNDING)


def _text(value: MetricValue) -> str:
    return "none" if value.value is None else f"{value.value:.6f}"
