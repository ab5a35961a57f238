"""What is said of an evaluation before anything is spent."""

import pytest

from tetrad.cli.team.ci.served_run import what_it_costs
from tetrad.contracts.evaluations import Expected


@pytest.mark.parametrize(
    ("cost", "budget", "left", "said"),
    [
        (None, None, 10, "cost unknown"),
        (820_000, 830_000, None, "$0.82 expected"),
        (820_000, 830_000, 830_000, "$0.82 expected"),
        (820_000, None, 820_000, "$0.82 expected"),
        (820_000, 830_000, 820_000, "$0.82 expected, but $0.82 is left to spend, and $0.83 is needed"),
    ],
)
def test_a_cost_beyond_what_is_left_is_said(cost: int | None, budget: int | None, left: int | None, said: str) -> None:
    assert what_it_costs(Expected(questions=1, cost=cost, cost_by="", budget=budget, budget_left=left)) == said
