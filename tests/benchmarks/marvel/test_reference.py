"""The published figures: of declared metrics and legal parameters, and in agreement with each other where they can."""

import pytest

from generator_service.benchmarks.marvel.card import CARD
from generator_service.benchmarks.marvel.reference import PUZZLES
from generator_service.benchmarks.marvel.spec import FEW_SHOT, MATHEMATICAL, QUANTITIES, SAME_PATTERN
from generator_service.parameters import resolve
from tetrad.contracts.benchmarks import ReferenceRow

ROWS = CARD.reference
MODELS = sorted({row.name for row in ROWS} - {"Human"})
FEW_SHOT_MODELS = sorted({row.name for row in ROWS if row.where["setting"] == (FEW_SHOT,)})
ROUNDING = 0.00012  # tables are in hundredths of a percent


def rows_of(table: int) -> list[ReferenceRow]:
    return [
        row
        for row in ROWS
        if row.source.split(", ", 1)[1].split(";")[0].split(":")[0].split(",")[0] == f"table {table}"
    ]


def value(row: ReferenceRow) -> float:
    assert row.value is not None
    return row.value


def weighted(rows: list[ReferenceRow]) -> float:
    """Return the mean over groups of puzzles, each as often as it has puzzles, which are all there are."""
    items = [row.items or 0 for row in rows]
    assert sum(items) == PUZZLES
    return sum(value(row) * count for row, count in zip(rows, items, strict=True)) / PUZZLES


def test_every_table_is_there_whole() -> None:
    sizes = {2: 1 + 9 * 5, 3: 10 * 6, 4: 10 * 5, 5: 9 * 5, 6: 9 * 2, 7: 4 * 3, 8: 4 * 2, 9: 4 * 2, 10: 8 * 6}
    assert {table: len(rows_of(table)) for table in sizes} == sizes
    assert sum(sizes.values()) == len(ROWS)
    assert next(row.value for row in rows_of(2) if row.name == "Human") == 0.6886
    assert {row.items for row in rows_of(9)} == {210}


def test_a_figure_is_of_a_metric_and_of_facets_and_parameters_that_the_card_has() -> None:
    kinds = {metric.name: set(metric.by) for metric in CARD.metrics}
    for row in ROWS:
        assert row.metric in kinds
        [setting] = row.where["setting"]
        assert set(row.where) - {"setting"} <= {"pattern", "configuration", "kind"}
        assert resolve(CARD, "marvel", setting, row.parameters)
        assert (set(row.parameters) == {"shots", "demonstrations"}) is (setting == FEW_SHOT)
    assert {row.metric for row in ROWS if "pattern" in row.where or "configuration" in row.where} == {"avr"}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("table", [3, 4])
def test_groups_weighted_by_their_puzzles_give_the_whole(name: str, table: int) -> None:
    [whole] = [value(row) for row in rows_of(2) if row.name == name and row.metric == "avr"]
    assert weighted([row for row in rows_of(table) if row.name == name]) == pytest.approx(whole, abs=ROUNDING)


@pytest.mark.parametrize("shots", [1, 2])
@pytest.mark.parametrize("name", FEW_SHOT_MODELS)
def test_few_shot_figures_by_pattern_give_the_whole_but_for_two_that_are_exchanged(name: str, shots: int) -> None:
    given = {"shots": shots, "demonstrations": SAME_PATTERN}
    parts = [row for row in rows_of(10) if row.name == name and row.parameters == given]
    wholes = {row.name: row for row in rows_of(7) if row.parameters == given}
    exchanged = {"Gemini-pro-vision": "GPT-4V", "GPT-4V": "Gemini-pro-vision"} if shots == 1 else {}
    assert weighted(parts) == pytest.approx(value(wholes[exchanged.get(name, name)]), abs=ROUNDING)
    noted = ["other way round" in row.source and "one-shot" in row.source for row in (*parts, wholes[name])]
    assert noted == [name in exchanged] * len(noted)


def test_the_dagger_stands_by_accuracies_on_the_puzzle_alone() -> None:
    marked = [row for row in ROWS if "position-biased" in row.source]
    assert {row.metric for row in marked} == {"avr"}
    assert {row.where["setting"] for row in marked} == {("full",), ("avr-only",)}
    assert len({row.name for row in marked}) == 5
    assert not any("position-biased" in row.source for row in rows_of(5) + rows_of(10))


def test_labels_that_do_not_fit_the_published_set_are_said_to_be_uncertain() -> None:
    uncertain = [row for row in ROWS if "label uncertain" in row.source]
    assert {one for row in uncertain for one in row.where["pattern"]} == {QUANTITIES, MATHEMATICAL}
    assert len(uncertain) == 2 * (10 + 8)
    assert {0.8157, 0.6} <= {row.value for row in uncertain if row.name == "Human"}
