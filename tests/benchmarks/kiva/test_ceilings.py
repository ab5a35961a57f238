"""The card's ceilings, by exact enumeration of every cell, arrangement and option set, in fractions."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction
from itertools import combinations

import pytest

from generator_service.benchmarks.kiva import BENCHMARK
from generator_service.benchmarks.kiva.arrangements import Arrangement, arrangements_of
from generator_service.benchmarks.kiva.spec import ASPECT, ASPECTS, DISTRACTORS, DOMAINS
from tests.benchmarks.kiva.trials import DEFAULTS

Seen = Callable[[Arrangement], Hashable]
VIEWS: dict[tuple[str, str], tuple[Seen, Seen]] = {
    ("options-only", "extrapolation"): (
        lambda one: frozenset((one.start, one.right, one.wrong)),
        lambda one: one.right,
    ),
    ("pair-blind", "extrapolation"): (
        lambda one: (one.start, frozenset((one.start, one.right, one.wrong))),
        lambda one: one.right,
    ),
    ("text-only", "specification"): (
        lambda one: frozenset((one.value, one.wrong_value)),
        lambda one: one.value,
    ),
}


def drawn(distractors: str) -> Iterator[tuple[str, Arrangement, Fraction]]:
    """Yield every change trial's domain and arrangement with its share of a balanced block."""
    cells = BENCHMARK.cells("kiva", "full", DEFAULTS | {"distractors": distractors, "no_change": 20})
    for cell in (cell for cell in cells if cell.facets["change"] == "yes"):
        domain = cell.facets["domain"]
        listed = arrangements_of(domain, distractors, cell.facets["value"])
        yield from ((domain, found, Fraction(cell.weight, len(listed))) for found in listed)


def best(seen: dict[Hashable, dict[Hashable, Fraction]]) -> Fraction:
    """Return what the Bayes solver gets: the most probable key of each view."""
    total = sum((sum(keys.values()) for keys in seen.values()), Fraction(0))
    return sum((max(keys.values()) for keys in seen.values()), Fraction(0)) / total


def table() -> dict[Hashable, dict[Hashable, Fraction]]:
    return defaultdict(lambda: defaultdict(Fraction))


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("distractors", DISTRACTORS)
@pytest.mark.parametrize(("solver", "stage"), VIEWS)
def test_the_declared_ceiling_is_exact(solver: str, stage: str, distractors: str, domain: str) -> None:
    view, key = VIEWS[solver, stage]
    seen = table()
    for of, found, share in drawn(distractors):
        if of == domain:
            seen[view(found)][key(found)] += share
    assert float(best(seen)) == pytest.approx(declared(solver, stage, distractors, domain), abs=1e-12)


def declared(solver: str, stage: str, distractors: str, domain: str) -> float:
    [value] = [
        ceiling.value
        for ceiling in BENCHMARK.card.ceilings
        if ceiling.solver == solver
        and ceiling.where == {"stage": (stage,), "domain": (domain,), "change": ("yes",)}
        and ceiling.parameters == {"distractors": distractors}
    ]
    return value


@pytest.mark.parametrize("distractors", DISTRACTORS)
def test_the_words_of_classification_alone_give_seven_fifteenths(distractors: str) -> None:
    seen = table()
    for domain, _, share in drawn(distractors):
        right = ASPECT[domain]
        for two in combinations([aspect for aspect in ASPECTS if aspect != right], 2):
            seen[frozenset((right, *two))][right] += share / 3
    [ceiling] = [one for one in BENCHMARK.card.ceilings if one.where["stage"] == ("classification",)]
    assert float(best(seen)) == pytest.approx(ceiling.value, abs=1e-12) == 7 / 15


def test_the_figures_of_the_requirements() -> None:
    figures = {
        "balanced": {"color": 1 / 3, "number": 1 / 3, "rotation": 1 / 3, "size": 1 / 2, "reflection": 1 / 2},
        "published": {"color": 1 / 3, "number": 5 / 6, "rotation": 2 / 3, "size": 1 / 2, "reflection": 1 / 2},
    }
    for distractors, values in figures.items():
        for domain, value in values.items():
            assert declared("options-only", "extrapolation", distractors, domain) == value
    assert all(declared("pair-blind", "extrapolation", "balanced", domain) == 1 / 2 for domain in DOMAINS)


def test_rotation_weighed_a_quarter_a_quarter_a_half_would_leak() -> None:
    """Why the balanced cells do not weigh 180 degrees twice: whoever sees the test input would know better."""
    weights = {"+90": Fraction(1, 4), "-90": Fraction(1, 4), "180": Fraction(1, 2)}
    view, key = VIEWS["pair-blind", "extrapolation"]
    seen = table()
    for value, weight in weights.items():
        listed = arrangements_of("rotation", "balanced", value)
        for found in listed:
            seen[view(found)][key(found)] += weight / len(listed)
    assert best(seen) > Fraction(1, 2)
