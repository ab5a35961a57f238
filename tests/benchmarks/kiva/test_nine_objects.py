"""kiva-adults' given pairs of x3 and /3 go to nine things: with eight, no balanced draw makes all values alike."""

from itertools import combinations, permutations

import pytest
from scipy.optimize import linprog

from generator_service.benchmarks.kiva.adult_sets import arrange_apart
from generator_service.benchmarks.kiva.changing import explanations
from generator_service.benchmarks.kiva.spec import ADULT_VALUES, State

VALUES = ADULT_VALUES["number"]
INFEASIBLE, SOLVED = 2, 0  # statuses of linprog


@pytest.mark.parametrize(("most_given", "status"), [(8, INFEASIBLE), (9, SOLVED)])
def test_all_values_can_be_alike_only_if_given_pairs_go_to_nine(most_given: int, status: int) -> None:
    """Solve for the weights of all sets of three counts up to eight, and of the values in each of their orders.

    A set's orders weigh alike. Each is divided among the values that lead to its right and to its wrong picture, as
    far as a given pair of another start shows the right one beyond doubt. Every value gets an eighth.
    """
    counts = [State(count=count) for count in range(1, 9)]
    given = [State(count=count) for count in range(1, most_given + 1)]
    sets = [shown for shown in combinations(counts, 3) if all(_values(*pair) for pair in combinations(shown, 2))]
    assert len(sets) == 11
    orders = [(shown, order) for shown in sets for order in permutations(shown)]
    parts = [
        (order, value)
        for _, order in orders
        for value in _values(order[0], order[1])
        for wrong_value in _values(order[0], order[2])
        if _is_shown(value, wrong_value, order[0], given, most_given)
    ]
    alike = [[-(shown == one) for one in sets] + [order == part for part, _ in parts] for shown, order in orders]
    eighths = [[0] * len(sets) + [value == part for _, part in parts] for value in VALUES]
    found = linprog(
        [0] * (len(sets) + len(parts)), A_eq=[*alike, *eighths], b_eq=[0] * len(orders) + [1 / len(VALUES)] * 8
    )
    assert found.status == status


def _values(before: State, after: State) -> tuple[str, ...]:
    return explanations(before, after, "number", VALUES)


def _is_shown(value: str, wrong_value: str, start: State, given: list[State], most_given: int) -> bool:
    apart = [one for one in given if one != start]
    try:
        found = arrange_apart("number", value, wrong_value, start, starts=apart)
    except ValueError:
        return False
    return any(found.apply_value(one).count <= most_given for one in found.givens)
