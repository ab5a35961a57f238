"""A submission that names no size reaches the number of counted items from which its board ranks."""

import pytest
from scipy.stats import binom

from generator_service.benchmark import Benchmark
from generator_service.finding import find_benchmarks
from tetrad.contracts.submissions import DEFAULT_SIZE

UNLIKELY = 1e-6
FOUND = list(find_benchmarks())


@pytest.mark.parametrize("benchmark", FOUND, ids=lambda one: one.card.name)
def test_the_default_size_is_enough_for_a_rank(benchmark: Benchmark) -> None:
    """Trials without a change are asked and not counted: the share of them is a parameter of the card, in percent."""
    card = benchmark.card
    uncounted = next((one.default for one in card.parameters if one.name == "no_change"), 0)
    assert isinstance(uncounted, int)
    assert binom.cdf(card.headline.least_items - 1, DEFAULT_SIZE, 1 - uncounted / 100) < UNLIKELY
