"""Tests of the default track and setting of a benchmark."""

import pytest

from generator_service.finding import find_benchmarks

CARDS = {one.name: one.card for one in find_benchmarks()}


@pytest.mark.parametrize(
    ("benchmark", "track", "setting", "expected"),
    [
        ("kiva", None, None, ("kiva", "full")),
        ("kiva", None, "given-classification", ("kiva", "given-classification")),
        ("kiva", "kiva-adults", None, ("kiva-adults", "full")),
        ("marvel", None, None, ("marvel", "full")),
        ("carv", None, None, (CARDS["carv"].tracks[0].name, "direct")),
        ("carv", "cardinality", None, ("cardinality", "direct")),
        ("kiva", "misspelt", None, ("misspelt", "full")),
        ("kiva", "kiva", "", ("kiva", "")),
    ],
)
def test_what_is_not_named_is_the_card_s_first(
    benchmark: str, track: str | None, setting: str | None, expected: tuple[str, str]
) -> None:
    assert CARDS[benchmark].place(track, setting) == expected
