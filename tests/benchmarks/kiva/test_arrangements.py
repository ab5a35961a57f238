"""The option sets: balanced ones are symmetric, published ones follow the data set's trackers."""

import os
from collections import Counter
from pathlib import Path

import pytest

from generator_service.benchmarks.kiva import BENCHMARK
from generator_service.benchmarks.kiva.arrangements import (
    STARTS_PUBLISHED,
    arrangements,
    arrangements_of,
    value_weights,
)
from generator_service.benchmarks.kiva.solver import applied, inferred
from generator_service.benchmarks.kiva.spec import ASPECT, DISTRACTORS, DOMAINS, VALUES, State
from tests.benchmarks.kiva.trials import DEFAULTS

DATA = Path(os.environ.get("TETRAD_DATA", Path(__file__).parents[4] / "shared" / "data"))
TRACKERS = DATA / "kiva" / "released" / "trial_tracker"
EVERY = [(domain, distractors) for domain in DOMAINS for distractors in DISTRACTORS]


@pytest.mark.parametrize("domain", ["color", "number", "rotation"])
def test_balanced_sets_come_in_all_six_orders_alike(domain: str) -> None:
    orders: dict[frozenset[State], set[tuple[State, State, State]]] = {}
    for found in arrangements(domain, "balanced"):
        states = (found.start, found.right, found.wrong)
        orders.setdefault(frozenset(states), set()).add(states)
    assert {len(found) for found in orders.values()} == {6}
    assert sum(map(len, orders.values())) == len(arrangements(domain, "balanced")), "none is listed twice"


@pytest.mark.parametrize(("domain", "distractors"), EVERY)
def test_every_arrangement_shows_three_states_and_the_value_leads_to_the_right_one(
    domain: str, distractors: str
) -> None:
    for found in arrangements(domain, distractors):
        assert len({found.start, found.right, found.wrong}) == 3
        assert found.value != found.wrong_value
        assert {found.value, found.wrong_value} <= set(VALUES[domain])
        assert inferred(found.start, found.right) == (ASPECT[domain], found.value)
        assert applied(found.start, (ASPECT[domain], found.value)) == found.right


@pytest.mark.parametrize(("domain", "distractors"), EVERY)
def test_wrong_words_and_wrong_picture_agree_but_for_published_counting(domain: str, distractors: str) -> None:
    for found in arrangements(domain, distractors):
        agree = applied(found.start, (ASPECT[domain], found.wrong_value)) == found.wrong
        off_by_one = (domain, distractors) == ("number", "published")
        assert agree or off_by_one
        if off_by_one:
            assert int(found.wrong_value) == -int(found.value)
            assert found.wrong.count - found.start.count == (-1 if int(found.value) > 0 else 1)


def test_balanced_counts_hold_one_to_seven_objects() -> None:
    counts = {
        state.count for found in arrangements("number", "balanced") for state in (found.start, found.right, found.wrong)
    }
    assert counts == set(range(1, 8))


@pytest.mark.parametrize(("domain", "distractors"), EVERY)
def test_a_value_s_cells_weigh_what_its_arrangements_do(domain: str, distractors: str) -> None:
    weights = value_weights(domain, distractors)
    assert sum(weights.values()) == 12
    if distractors == "balanced":
        total = len(arrangements(domain, distractors))
        assert all(weights[value] * total == 12 * len(arrangements_of(domain, distractors, value)) for value in weights)
    else:
        assert len(set(weights.values())) == 1, "the data set has 100 trials of each value"


@pytest.mark.parametrize("no_change", range(0, 60, 10))
@pytest.mark.parametrize("distractors", DISTRACTORS)
def test_cells_share_domains_equally_and_leave_the_given_percent_unchanged(distractors: str, no_change: int) -> None:
    cells = BENCHMARK.cells("kiva", "full", DEFAULTS | {"distractors": distractors, "no_change": no_change})
    by_domain: Counter[str] = Counter()
    unchanged = 0
    for one in cells:
        by_domain[one.facets["domain"]] += one.weight
        unchanged += one.weight * (one.facets["change"] == "no")
    assert len(set(by_domain.values())) == 1
    assert unchanged * 100 == no_change * sum(by_domain.values())
    assert len(cells) == (28 if no_change else 14)


@pytest.mark.skipif(not TRACKERS.is_dir(), reason=f"the published trackers are not at {TRACKERS}")
@pytest.mark.parametrize("value", ["+1", "+2", "-1", "-2"])
def test_published_counting_follows_the_published_trackers(value: str) -> None:
    path = TRACKERS / f"output_Counting{value}.txt"
    if not path.is_file():
        pytest.skip(f"no tracker {path.name}")
    numbers = [int(line.rpartition(":")[2]) for line in path.read_text().splitlines() if ":" in line]
    rows = {tuple(numbers[at : at + 4]) for at in range(0, len(numbers), 4)}
    ours = {
        (found.start.count, found.right.count, found.start.count, found.wrong.count)
        for found in arrangements_of("number", "published", value)
    }
    assert rows == ours
    assert {row[0] for row in rows} == set(STARTS_PUBLISHED[value])
