"""What stopped an evaluation whose next call a budget refuses."""

import pytest

from api.evaluations.budgets import Cause, cause_of
from tetrad.contracts.inference import ShortBudget


@pytest.mark.parametrize(
    ("spent", "estimated", "rest", "cause"),
    [
        (900, 0, 50, "reservation"),  # the rest would fit, and the next call's reservation does not
        (900, 0, 105, "reservation"),  # the items so far may have been a little dearer
        (900, 0, 120, "cost"),
        (900, 0, None, "reservation"),  # nothing was asked yet
        (1000, 0, None, "cost"),
        (1200, 0, 1, "cost"),
        (900, 500, 50, "estimates"),
        (1500, 1500, None, "estimates"),
        (900, 500, 700, "cost"),  # it would have used its budget up without the estimates, too
        (900, 50, 50, "reservation"),
    ],
)
def test_an_end_that_measured_costs_did_not_cause_is_told_apart(
    spent: int, estimated: int, rest: float | None, cause: Cause
) -> None:
    short = ShortBudget(name="evaluation e", limit=1000, spent=spent, estimated=estimated, reserved=0, needed=200)
    assert cause_of(short, rest) == cause


def test_a_refusal_without_sums_is_one_for_the_cost() -> None:
    assert cause_of(None, None) == "cost"
