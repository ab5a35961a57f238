"""Compute the range of ranks that each model may hold, given the intervals of all.

best = 1 + the number of models whose lower bound is above my upper; worst = the number of scored models less those
whose upper bound is below my lower. A group is a run of rows, in order of score, whose intervals overlap that of the
group's leader (its highest score). Inside a group, the row that has been ranked for longest comes first, so that
retrying until luck comes gains nothing. A missing score comes after every number.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec

__all__ = ["RankedRow", "ScoredRow", "rank_ranges"]


class ScoredRow(msgspec.Struct, frozen=True, kw_only=True):
    """A model on the board. `score` is None if nothing was scored; then the bounds are ignored.

    `since` is the time at which it first had enough scores for a rank.
    """

    id: str
    score: float | None
    lower: float = 0.0
    upper: float = 1.0
    since: datetime


class RankedRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row with its rank: `best` to `worst` is the rank range; `group` counts from 1 and is shared by ties."""

    id: str
    best: int
    worst: int
    group: int


def rank_ranges(rows: Iterable[ScoredRow]) -> list[RankedRow]:
    """Return the rows in the board's order, with rank ranges. Missing scores are last, as one group."""
    everyone = sorted(rows, key=lambda row: (row.since, row.id))
    scored = [row for row in everyone if not _is_missing(row)]
    missing = [row for row in everyone if _is_missing(row)]
    groups = _groups(sorted(scored, key=lambda row: -_number(row.score)))
    lowers, uppers = sorted(row.lower for row in scored), sorted(row.upper for row in scored)
    ranked = [
        _rank(row, lowers, uppers, group)
        for group, members in enumerate(groups, start=1)
        for row in sorted(members, key=lambda row: (row.since, row.id))
    ]
    last = {"best": len(scored) + 1, "worst": len(everyone), "group": len(groups) + 1}
    return ranked + [RankedRow(id=row.id, **last) for row in missing]


def _rank(row: ScoredRow, lowers: Sequence[float], uppers: Sequence[float], group: int) -> RankedRow:
    above = len(lowers) - bisect_right(lowers, row.upper)
    below = bisect_left(uppers, row.lower)
    return RankedRow(id=row.id, best=1 + above, worst=len(uppers) - below, group=group)


def _groups(by_score: Iterable[ScoredRow]) -> list[list[ScoredRow]]:
    groups: list[list[ScoredRow]] = []
    for row in by_score:
        if groups and row.upper >= groups[-1][0].lower:
            groups[-1].append(row)
        else:
            groups.append([row])
    return groups


def _is_missing(row: ScoredRow) -> bool:
    return row.score is None or math.isnan(row.score)


def _number(score: float | None) -> float:
    return -math.inf if score is None else score
