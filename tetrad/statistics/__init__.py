"""Compute intervals, confidence sequences and rank ranges, from numbers alone; no benchmark by name."""

from tetrad.statistics.confidence_sequence import confidence_sequence
from tetrad.statistics.interval import Interval
from tetrad.statistics.mean_interval import (
    clustered_interval,
    difference_interval,
    mean_interval,
    pooled_difference_interval,
)
from tetrad.statistics.rank_ranges import RankedRow, ScoredRow, rank_ranges
from tetrad.statistics.wilson import wilson_interval

__all__ = [
    "Interval",
    "RankedRow",
    "ScoredRow",
    "clustered_interval",
    "confidence_sequence",
    "difference_interval",
    "mean_interval",
    "pooled_difference_interval",
    "rank_ranges",
    "wilson_interval",
]
