"""Decide about models from numbers alone, with Python's own library: gates, differences, items needed.

An item is the unit: its score is the mean over its questions. Start with `gates`.
"""

from tetrad.statistics.deciding.betting import Look, bet, look
from tetrad.statistics.deciding.differences import (
    Pairs,
    mcnemar,
    paired_interval,
    paired_p_value,
    pairs_of,
    unpaired_interval,
    unpaired_p_value,
)
from tetrad.statistics.deciding.gates import Decision, Outcome, decide_least, decide_paired, decide_unpaired
from tetrad.statistics.deciding.holm import holm
from tetrad.statistics.deciding.planning import (
    least_drop,
    least_unpaired_drop,
    paired_items_needed,
    pairs_needed,
    share_items_needed,
    unpaired_items_needed,
    unpaired_items_of_each,
)
from tetrad.statistics.deciding.samples import Sample, exact_interval, sample_interval, sample_of

__all__ = [
    "Decision",
    "Look",
    "Outcome",
    "Pairs",
    "Sample",
    "bet",
    "decide_least",
    "decide_paired",
    "decide_unpaired",
    "exact_interval",
    "holm",
    "least_drop",
    "least_unpaired_drop",
    "look",
    "mcnemar",
    "paired_interval",
    "paired_items_needed",
    "paired_p_value",
    "pairs_needed",
    "pairs_of",
    "sample_interval",
    "sample_of",
    "share_items_needed",
    "unpaired_interval",
    "unpaired_items_needed",
    "unpaired_items_of_each",
    "unpaired_p_value",
]
