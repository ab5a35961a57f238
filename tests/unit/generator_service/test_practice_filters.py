"""Filters of practice items: what a track's items never have is refused with what they have."""

import pytest

from generator_service.benchmarks.kiva import BENCHMARK
from generator_service.parameters import IdentityError, resolve
from generator_service.practice import check_cells


def refused(track: str, filters: dict[str, str]) -> tuple[str, str]:
    cells = BENCHMARK.cells(track, "full", resolve(BENCHMARK.card, track, "full", {}))
    with pytest.raises(IdentityError) as caught:
        check_cells([cell.facets for cell in cells], track, filters)
    (fault,) = caught.value.faults
    return fault.field, fault.remedy


def test_a_value_that_the_track_lacks_is_named_with_those_it_has() -> None:
    field, remedy = refused("kiva", {"domain": "color+size"})
    assert (field, "color, size" in remedy) == ("domain", True)
    assert refused("kiva-compositionality", {"value": "red"}) == ("value", "leave it out")


def test_values_that_no_item_has_together_are_named() -> None:
    filters = {"domain": "color", "value": "wider"}
    assert refused("kiva-adults", filters) == ("value", "leave one of them out")


def test_values_that_some_item_has_pass() -> None:
    cells = BENCHMARK.cells("kiva", "full", resolve(BENCHMARK.card, "kiva", "full", {}))
    check_cells([cell.facets for cell in cells], "kiva", {"domain": "color", "change": "yes"})
