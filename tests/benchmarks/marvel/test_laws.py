"""Laws read lines as people do."""

from itertools import pairwise, product

import pytest

from generator_service.benchmarks.marvel.rules.fitting import selected_sets, selections
from generator_service.benchmarks.marvel.rules.laws import BOUNCE, BY_NAME, OPERATIONS
from generator_service.benchmarks.marvel.rules.making import (
    CannotBeKey,
    attainable,
    context_for,
    lines,
    masks_for,
    spread_values,
)
from generator_service.benchmarks.marvel.spec import CHOICES, GROUP, MATRIX, SEQUENCE, TWO_ROW
from tetrad.streams import Stream


@pytest.mark.parametrize(
    ("law", "line", "size", "holds"),
    [
        ("constant", (2, 2, 2), 0, True),
        ("constant", (2, 2, 3), 0, False),
        ("step", (6, 0, 2), 8, True),
        ("step", (6, 0, 3), 8, False),
        ("step", (3, 3, 3), 8, False),
        ("progression", (9, 7, 5), 0, True),
        ("progression", (1, 6, 11), 0, False),
        ("growing steps", (1, 2, 4, 7), 0, True),
        ("growing steps", (9, 8, 6, 3), 0, True),
        ("growing steps", (7, 4, 2, 1), 0, False),
        ("growing steps", (4, 5, 5, 4), 0, False),
        ("growing steps round", (6, 7, 1, 4), 8, True),
        ("alternation", (1, 4, 1, 4, 1), 0, True),
        ("alternation", (1, 1, 1, 1), 0, False),
        ("by threes", (1, 2, 3, 1, 2), 0, True),
        ("bounce", (3, 4, 3, 2, 1, 0, 1), 5, True),
        ("bounce", (3, 2, 3, 4), 5, False),
        ("arrangement", (3, 1, 2), 0, True),
        ("arrangement", (3, 1, 3), 0, False),
        ("framed", (3, 1, 3), 0, True),
        ("paired", (3, 1, 1), 0, True),
        ("paired", (1, 1, 1), 0, False),
        ("sum", (2, 3, 5), 0, True),
        ("product", (2, 3, 6), 0, True),
        ("distance", (2, 7, 5), 0, True),
        ("sum less one of the two before", (2, 3, 4, 6, 9), 0, True),
        ("sum less one of the two before", (1, 1, 1, 1, 1), 0, False),
        ("sum less one of the two before", (2, 1, 2, 2, 3), 0, False),
        ("union", (0b101, 0b011, 0b111), 0, True),
        ("either, not both", (0b101, 0b011, 0b110), 0, True),
        ("overlap", (0b101, 0b011, 0b001), 0, True),
        ("taken away", (0b101, 0b011, 0b100), 0, True),
    ],
)
def test_a_law_holds_where_a_person_would_say_so(law: str, line: tuple[int, ...], size: int, holds: bool) -> None:  # noqa: FBT001
    assert (BY_NAME[law].read(line, size) is not None) is holds


def test_two_rules_that_fit_are_both_found() -> None:
    found = dict(selections(TWO_ROW, "number", 0, (1, 2, 3, 2, 3), (4, 5, 9, 1)))
    assert found["progression by row"] == {0}
    assert found["sum by row"] == {1}
    assert found["arrangement by row"] == {3}


@pytest.mark.parametrize(
    ("context", "meant", "rule", "also"),
    [
        ((2, 2, 4, 1, 6), 7, "product by row", 6),
        ((3, 2, 1, 5, 3), 2, "progression of its own by row", 1),
        ((8, 4, 4, 8, 6), 2, "paired by row", 6),
        ((2, 4, 6, 2, 2), 4, "total by row", 8),
    ],
)
def test_rules_that_a_person_might_see_instead_are_in_the_library(
    context: tuple[int, ...], meant: int, rule: str, also: int
) -> None:
    """Found by hand: two rows that go on in another way than was meant."""
    assert dict(selections(TWO_ROW, "number", 0, context, (meant, also)))[rule] == {1}


def test_a_rule_needs_lines_enough_to_be_seen() -> None:
    assert not list(selections(SEQUENCE, "number", 0, (1, 2, 3), (5,))), "a sum of two is seen once in three"
    assert "sum of the two before by sequence" in dict(selections(SEQUENCE, "number", 0, (1, 2, 3, 5), (8, 7)))


def test_readings_that_tell_nothing_select_nothing() -> None:
    assert selected_sets(GROUP, "sort", 0, (1, 1), (1, 1, 1, 1)) == ()
    assert selected_sets(GROUP, "sort", 0, (1, 2), (1, 2, 3, 4)) == ()
    assert selected_sets(GROUP, "sort", 0, (1, 1), (0, 1, 2, 3)) == (frozenset({1}),)


@pytest.mark.parametrize("name", ["progression", "sum", "arrangement", "distance"])
@pytest.mark.parametrize("configuration", [TWO_ROW, MATRIX])
def test_contexts_made_for_a_key_lead_to_it(name: str, configuration: str) -> None:
    law, values = BY_NAME[name], tuple(range(1, 8))
    panels = {TWO_ROW: 6, MATRIX: 9}[configuration]
    for key in attainable(law, values, 0, configuration, panels):
        context = context_for(law, values, 0, configuration, panels, key, Stream("laws", name, key))
        found = dict(selections(configuration, "number", 0, context, (key, 99)))
        assert found[f"{name} by row"] == {0}


def test_a_value_that_nothing_leads_to_cannot_be_key() -> None:
    with pytest.raises(CannotBeKey):
        context_for(BY_NAME["sum"], (3, 4), 0, TWO_ROW, 6, 3, Stream("x"))
    with pytest.raises(CannotBeKey):
        masks_for("union", 3, 2, 0, Stream("x"))


@pytest.mark.parametrize("operation", list(OPERATIONS))
def test_masks_are_made_of_two_others_and_never_of_one(operation: str) -> None:
    for number in range(30):
        *flat, a, b = masks_for(operation, 9, 3, 0b000111000, Stream("masks", operation, number))
        rows = [*zip(*[iter(flat)] * 3, strict=True), (a, b, 0b000111000)]
        for first, second, third in rows:
            assert OPERATIONS[operation](first, second) & 0b111111111 == third
            assert len({first, second, third, 0}) == 4


def test_columns_are_rows_laid_the_other_way() -> None:
    assert spread_values((0, 1, 2, 3, 4, 5, 6, 7), "column") == (0, 3, 6, 1, 4, 7, 2, 5)
    assert spread_values((0, 1, 2), "row") == (0, 1, 2)


def test_all_lines_of_a_law_are_listed() -> None:
    listed = {line for _, line in lines(BY_NAME["alternation"], (0, 1, 2), 0, 5)}
    assert listed == {(a, b, a, b, a) for a in range(3) for b in range(3) if a != b}


def test_a_puzzle_of_a_bounce_shows_a_turn_before_the_blank() -> None:
    for size, panels in product((4, 5, 6), (6, 7, 8)):
        made = [line for _, line in lines(BOUNCE, tuple(range(size)), size, panels)]
        assert len({line[-1] for line in made}) >= CHOICES, "as many places can be the answer as are offered"
        assert all(len({b - a for a, b in pairwise(line[:-1])}) == 2 for line in made)
