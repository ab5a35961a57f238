"""The published figures: of declared metrics, and sizes that fit every rate."""

import pytest

from generator_service.benchmarks.visanalog.card import CARD
from generator_service.benchmarks.visanalog.reference import SIZES
from generator_service.parameters import resolve

ROWS = CARD.reference
MODEL_ROWS = [
    row for row in ROWS if row.kind == "model" and row.metric == "accuracy" and row.where["setting"] != ("oracle",)
]


def test_both_tables_are_there_whole() -> None:
    assert len(ROWS) == 4 * (7 + 2 + 4 + 2)  # table 1, then of table 2: the program told, two gaps, D itself
    assert sum(SIZES) == 617
    for row in ROWS:
        [setting] = row.where["setting"]
        assert row.metric == CARD.headline.metric or (setting == "ladder" and row.metric.endswith("-gap"))
        assert resolve(CARD, "composed", setting, row.parameters)


@pytest.mark.parametrize("row", MODEL_ROWS, ids=lambda row: f"{row.name} {row.where['steps'][0]} {row.source[20:28]}")
def test_each_rate_is_a_whole_number_of_right_answers(row: object) -> None:
    value, items = getattr(row, "value"), getattr(row, "items")  # noqa: B009 - parametrized
    assert abs(round(value * items) / items - value) <= 0.0005001


def test_the_papers_gaps_follow_from_its_rates() -> None:
    """Table 2 gives Acc(C, T) and the gap to table 1: 70.8 - 51.3 = 19.5, and so on."""
    rate = {(row.name, row.where["setting"][0], row.where["steps"][0]): row.value or 0 for row in MODEL_ROWS}
    stated = {"InternVL3.5-38B-Instruct": (19.5, 38.4, 40.8, 26.7), "Qwen3-VL-8B-Instruct": (13.7, 34.0, 32.5, 21.3)}
    for name, gaps in stated.items():
        for steps, gap in enumerate(gaps, 1):
            found = 100 * (rate[name, "program", str(steps)] - rate[name, "end-to-end", str(steps)])
            assert found == pytest.approx(gap, abs=0.11)


def test_what_is_shown_of_d_itself_is_the_rate_with_the_program_and_the_gap() -> None:
    found = {
        (row.name, *row.where["steps"]): round(100 * (row.value or 0), 1)
        for row in ROWS
        if "oracle" in row.where["setting"]
    }
    stated = {"InternVL3.5-38B-Instruct": (80.5, 79.2, 77.7, 80.0), "Qwen3-VL-8B-Instruct": (73.9, 68.5, 68.2, 69.3)}
    assert found == {(name, str(steps)): rate for name, rates in stated.items() for steps, rate in enumerate(rates, 1)}
