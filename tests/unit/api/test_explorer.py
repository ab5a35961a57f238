"""The chips of the explorer: what items of a seed can be filtered by."""

from collections.abc import Mapping

from api.pages.puzzles import explorer_filters
from generator_service.benchmarks.marvel import BENCHMARK

COUNTS = {"pattern": {"3d-geometry": 20, "quantities": 1080, "mathematical": 0}}


def words_of(query: list[tuple[str, str]], counts: Mapping[str, Mapping[str, int]] = COUNTS) -> set[str]:
    return {words for _, chips in explorer_filters("", BENCHMARK.card, query, counts) for words, _, _ in chips}


def test_a_value_that_no_item_has_gets_no_chip_unless_it_is_chosen() -> None:
    assert {"quantities (1,080)", "mathematical (0)"} & words_of([]) == {"quantities (1,080)"}
    assert {"quantities (1,080)", "mathematical (0)"} <= words_of([("pattern", "mathematical")])


def test_a_kind_that_all_items_are_of_is_no_choice() -> None:
    assert "quantities (400)" not in words_of([], {"pattern": {"quantities": 400}})


def test_where_nothing_is_counted_all_values_have_chips() -> None:
    card = BENCHMARK.card
    assert {card.value_words.get(value, value) for value in card.filters["pattern"]} <= words_of([], {})


def test_a_chip_keeps_what_else_was_chosen() -> None:
    chosen = [("shape", "geometric"), ("pattern", "quantities"), ("seed", "7"), ("offset", "12")]
    rows = dict(explorer_filters("", BENCHMARK.card, chosen, {}))
    kept = {address for label in ("Setting", "Configuration") for _, address, _ in rows[label]}
    assert all("shape=geometric&pattern=quantities&seed=7" in address and "offset" not in address for address in kept)
