"""The chips of the explorer: what items of a seed can be filtered by."""

from collections.abc import Mapping

from api.pages.puzzles import explorer_filters
from generator_service.benchmarks.kiva import BENCHMARK

COUNTS = {"change": {"yes": 60, "no": 0}}


def words_of(query: list[tuple[str, str]], counts: Mapping[str, Mapping[str, int]] = COUNTS) -> set[str]:
    return {words for _, chips in explorer_filters("", BENCHMARK.card, query, counts) for words, _, _ in chips}


def test_a_value_that_no_item_has_gets_no_chip_unless_it_is_chosen() -> None:
    assert {words for words in words_of([]) if words.endswith(" 60")}
    assert not {words for words in words_of([]) if words.endswith(" 0")}
    assert {words for words in words_of([("change", "no")]) if words.endswith(" 0")}


def test_where_nothing_is_counted_all_values_have_chips() -> None:
    everything = words_of([], {})
    assert {words.rpartition(" ")[0] for words in words_of([]) if words.endswith(" 60")} < everything
    assert len(everything) == len(words_of([])) + 1
