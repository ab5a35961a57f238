"""Filters of practice items: what a track's items never have is refused with what they have."""

from generator_service.benchmarks.kiva import BENCHMARK
from generator_service.draws import balanced_unit
from generator_service.parameters import IdentityError, resolve
from generator_service.practice import check_cells, count_values


def faults(track: str, filters: dict[str, str]) -> list[tuple[str, str]]:
    """Return the field and remedy of each fault; none where the filters pass."""
    cells = BENCHMARK.strata(track, "full", resolve(BENCHMARK.card, track, "full", {}))
    try:
        check_cells([cell.facets for cell in cells], track, filters)
    except IdentityError as error:
        return [(fault.field, fault.remedy) for fault in error.faults]
    return []


def test_a_value_that_the_track_lacks_is_named_with_those_it_has() -> None:
    ((field, remedy),) = faults("kiva", {"domain": "color+size"})
    assert (field, "color, size" in remedy) == ("domain", True)
    assert faults("kiva-compositionality", {"value": "red"}) == [("value", "leave it out")]


def test_values_that_no_item_has_together_are_named() -> None:
    filters = {"domain": "color", "value": "wider"}
    assert faults("kiva-adults", filters) == [("value", "leave one of them out")]


def test_values_that_some_item_has_pass() -> None:
    assert faults("kiva", {"domain": "color", "change": "yes"}) == []


def test_values_are_counted_beside_the_other_filters() -> None:
    places = balanced_unit(BENCHMARK.strata("kiva", "full", resolve(BENCHMARK.card, "kiva", "full", {})))
    counts = count_values(places, BENCHMARK.card.filters, {"domain": "color"})
    assert sum(counts["domain"].values()) == len(places)
    assert sum(counts["value"].values()) == counts["domain"]["color"] < len(places)
    assert counts["value"]["wider"] == counts["domain"]["color+size"] == 0
