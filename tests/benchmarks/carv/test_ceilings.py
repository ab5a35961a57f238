"""The card's ceilings for who sees only the query, by counting every plan in fractions, and by guessing."""

from collections import Counter, defaultdict
from fractions import Fraction
from math import prod

import pytest

from generator_service.benchmarks.carv import BENCHMARK
from generator_service.benchmarks.carv.metrics import PAIR_BLIND
from generator_service.benchmarks.carv.plans import BOTH, DIFFER, FIRST, SECOND
from generator_service.benchmarks.carv.spec import PROPERTIES, TRACKS, VALUES, changes, target
from generator_service.benchmarks.carv.strata import matching
from tests.benchmarks.carv.items import items

WANTED = {
    "apply": (FIRST,),
    "union": (BOTH, FIRST, SECOND),
    "intersection": (BOTH,),
    "difference": (FIRST, DIFFER),
}


def targets(track: str, operation: str) -> dict[tuple[str, ...], Fraction]:
    """Return how often each set of properties is the target's, as a share of the operation's items."""
    found: dict[tuple[str, ...], Fraction] = defaultdict(Fraction)
    for cell in BENCHMARK.strata(track, "direct", {}):
        of = cell.facets
        if of["operation"] != operation:
            continue
        plans = matching(track, (operation, of["target"], of["near_miss"], of["tempting"], of["first"]))
        for plan in plans:
            names = tuple(name for name, role in zip(PROPERTIES, plan.roles, strict=True) if role in WANTED[operation])
            found[names] += Fraction(cell.weight, len(plans))
    total = sum(found.values())
    return {names: share / total for names, share in found.items()}


def guessed(names: tuple[str, ...], share: Fraction) -> Fraction:
    return share / prod(len(VALUES[name]) - 1 for name in names)


@pytest.mark.parametrize(("track", "operation"), PAIR_BLIND)
def test_the_declared_ceiling_is_the_likeliest_guess(track: str, operation: str) -> None:
    best = max(guessed(names, share) for names, share in targets(track, operation).items())
    assert float(best) == pytest.approx(PAIR_BLIND[track, operation], abs=1e-12)


def test_every_track_and_operation_has_a_ceiling_on_the_card() -> None:
    assert set(PAIR_BLIND) == {(track, operation) for track, rules in TRACKS.items() for operation in rules.operations}
    declared = {(one.where["track"][0], one.where["operation"][0]): one.value for one in BENCHMARK.card.ceilings}
    assert declared == PAIR_BLIND


@pytest.mark.parametrize("operation", ["union", "intersection", "difference"])
def test_drawn_targets_come_as_often_as_counted(operation: str) -> None:
    counts: Counter[tuple[str, ...]] = Counter()
    for _, scene in items("different-source", 4500):
        if scene.operation == operation:
            counts[tuple(name for name in PROPERTIES if name in {one.property for one in target(scene)})] += 1
    total = sum(counts.values())
    for names, share in targets("different-source", operation).items():
        assert abs(counts[names] / total - share) < 0.04


def test_new_values_are_uniform() -> None:
    counts: Counter[tuple[str, str]] = Counter()
    for _, scene in items("different-source", 2000):
        for change in changes(scene.pairs[0]):
            if change.property == "spatial_relation":
                counts[change.old, change.new] += 1
    assert len(counts) == 12
    assert max(counts.values()) < 2 * min(counts.values())
