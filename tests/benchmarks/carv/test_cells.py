"""Balance: operations, sizes, near misses and the properties of T1 take equal shares of every block."""

from collections import Counter
from fractions import Fraction

import pytest

from generator_service.benchmarks.carv import BENCHMARK
from generator_service.benchmarks.carv.spec import PROPERTIES, TRACKS, VALUES
from tests.benchmarks.carv.items import items, shares


@pytest.mark.parametrize("track", TRACKS)
def test_operations_take_equal_shares(track: str) -> None:
    found = shares(BENCHMARK.strata(track, "direct", {}), "operation")
    assert set(found.values()) == {Fraction(1, len(TRACKS[track].operations))}
    assert {operation for (operation,) in found} == set(TRACKS[track].operations)


def test_the_sizes_of_targets_are_those_that_can_be() -> None:
    sizes = {
        track: {
            operation: sorted(
                size
                for of, size in shares(BENCHMARK.strata(track, "direct", {}), "operation", "target")
                if of == operation
            )
            for operation in TRACKS[track].operations
        }
        for track in TRACKS
    }
    pairs = {"union": ["3", "4"], "intersection": ["1"], "difference": ["1"]}
    assert sizes["shared-source"] == sizes["different-source"] == pairs
    assert sizes["scaling-3"] == {"union": ["4", "5"], "intersection": ["1", "2"]}
    assert sizes["scaling-4"] == {"union": ["5"], "intersection": ["1", "2", "3"]}
    assert sizes["cardinality"] == {"union": ["3", "4"]}
    assert sizes["single"] == {"apply": ["2"]}


@pytest.mark.parametrize("track", TRACKS)
def test_near_misses_are_half_wherever_there_can_be_any_and_any_other(track: str) -> None:
    strata = BENCHMARK.strata(track, "direct", {})
    whole = shares(strata, "operation", "target", "tempting")
    for (operation, target, near, tempting), share in shares(
        strata, "operation", "target", "near_miss", "tempting"
    ).items():
        part = share / whole[operation, target, tempting]
        forced = track == "scaling-4" and operation == "intersection" and target in "12"
        never = operation in ("union", "apply")
        assert part == (1 if forced or never else Fraction(1, 2))
        assert not (never and near == "yes")
        assert not (forced and near == "no")


def test_half_of_the_queries_with_other_sources_tempt() -> None:
    strata = BENCHMARK.strata("different-source", "direct", {})
    found = shares(strata, "operation", "tempting")
    for operation in ("intersection", "difference"):
        assert found[operation, "yes"] == found[operation, "no"] == Fraction(1, 6)


@pytest.mark.parametrize("track", TRACKS)
def test_the_properties_of_the_first_pair_take_equal_shares(track: str) -> None:
    strata = BENCHMARK.strata(track, "direct", {})
    levels = ("operation", "target", "near_miss", "tempting")
    whole = shares(strata, *levels)
    for key, share in shares(strata, *levels, "first").items():
        kinds = len({one for one in shares(strata, *levels, "first") if one[:-1] == key[:-1]})
        assert share == whole[key[:-1]] / kinds


def test_values_come_equally_often_in_answers() -> None:
    counts = {name: Counter[str]() for name in PROPERTIES}
    for _, scene in items("shared-source", 3000):
        [keyed] = BENCHMARK.questions(scene)
        for name, value in zip(PROPERTIES, keyed.key.label.split(", "), strict=True):
            counts[name][value] += 1
    for name, values in VALUES.items():
        assert all(abs(counts[name][value] / 3000 - 1 / len(values)) < 0.05 for value in values)
