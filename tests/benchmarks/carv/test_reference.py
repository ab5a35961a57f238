"""The card's reference rows against the figures of the paper's tables 2 and 4, written down here once more."""

from generator_service.benchmarks.carv import BENCHMARK
from generator_service.benchmarks.carv.metrics import LENIENT
from generator_service.benchmarks.carv.spec import (
    APPLY,
    DIAGNOSIS,
    DIFFERENCE,
    DIFFERENT,
    DIRECT,
    FREE_FORM,
    INTERSECTION,
    ORACLE,
    PUBLISHED,
    SHARED,
    SINGLE,
    TRACKS,
    UNION,
)
from tetrad.contracts.benchmarks import ReferenceRow, Setting

CARD = BENCHMARK.card
# Single, then union, intersection and difference, each with a shared source and with different ones; percent.
TABLE_2 = """
Gemini-2.5 Flash | 75.0 | 49.4 37.4 | 60.2 64.2 | 41.4 33.2
Gemini-2.5 Pro | 79.2 | 51.6 40.4 | 62.8 67.2 | 59.4 55.6
GPT-5.1 | 81.2 | 64.6 51.0 | 75.0 73.0 | 59.0 62.4
GPT-4o | 44.8 | 27.2 9.0 | 34.0 36.0 | 25.6 21.2
Qwen3VL-8B-Thinking | 66.7 | 33.6 20.8 | 56.8 59.2 | 33.3 25.0
Qwen2.5VL-7B | 2.4 | 9.0 2.2 | 10.0 8.6 | 3.0 4.2
Qwen3VL-8B | 4.8 | 5.0 0.6 | 13.8 8.2 | 3.2 5.4
InternVL3-8B | 1.8 | 0.6 0.2 | 5.6 4.2 | 3.0 3.6
InternVL3.5-8B | 3.2 | 3.2 1.6 | 7.2 2.4 | 2.8 0.8
Llama-3.2-11B-Vision | 1.0 | 0.6 0.2 | 0.8 1.4 | 0.8 0.8
InternVL3-14B | 4.6 | 1.4 0.0 | 7.8 5.4 | 4.0 2.0
Qwen2.5VL-32B | 39.0 | 18.6 6.2 | 30.4 32.8 | 25.4 15.0
Qwen3VL-30B-A3B | 33.4 | 21.7 4.2 | 18.4 17.6 | 10.82 9.88
Human | - | 100.0 100.0 | 100.0 100.0 | 100.0 100.0
"""
OF_TABLE_2 = tuple(
    (track, operation) for operation in (UNION, INTERSECTION, DIFFERENCE) for track in (SHARED, DIFFERENT)
)
# With format, without, and with the changes given.
TABLE_4 = {
    "GPT-4o": (42, 51, 86),
    "GPT-5.1": (60, 78, 94),
    "Gemini-2.5 Flash": (77, 90, 99),
    "Gemini-2.5 Pro": (86, 86, 97),
}


def of_table(number: int) -> list[ReferenceRow]:
    return [row for row in CARD.reference if f"table {number}" in row.source]


def percent(row: ReferenceRow) -> float:
    assert row.value is not None
    return round(100 * row.value, 4)


def test_every_row_is_of_one_of_the_two_tables_and_fits_the_card() -> None:
    assert sum(len(of_table(number)) for number in (2, 4)) == len(CARD.reference)
    facets = {name for cell in BENCHMARK.strata(SHARED, DIRECT, {}) for name in cell.facets}
    for row in CARD.reference:
        assert row.metric == LENIENT
        assert "GPT-4o judged" in row.source
        assert row.where.keys() <= {"track", "setting", *facets}
        assert set(row.where["track"]) <= set(TRACKS)
        assert "Du et al. 2026" in row.source
        for track in row.where["track"]:
            assert set(row.where["operation"]) <= set(TRACKS[track].operations)


def test_figures_stand_on_the_boards_whose_prompt_and_metric_are_the_paper_s() -> None:
    shown = {
        setting.name: {row.source for row in CARD.reference if on_board(row, setting)} for setting in CARD.settings
    }
    assert {name for name, sources in shown.items() if sources} == {PUBLISHED}
    assert CARD.metric_of(PUBLISHED) == LENIENT
    assert CARD.metric_of(DIRECT) == CARD.headline.metric == "accuracy"


def on_board(row: ReferenceRow, setting: Setting) -> bool:
    return setting.name in row.where["setting"] and row.metric == CARD.metric_of(setting.name)


def test_table_2_has_every_model_by_track_and_operation() -> None:
    found = {(row.name, *row.where["track"], *row.where["operation"]): percent(row) for row in of_table(2)}
    expected: dict[tuple[str, ...], float] = {}
    for line in TABLE_2.strip().splitlines():
        name, single, *rest = (part.strip() for part in line.split("|"))
        if single != "-":
            expected[name, SINGLE, APPLY] = float(single)
        for (track, operation), value in zip(OF_TABLE_2, " ".join(rest).split(), strict=True):
            expected[name, track, operation] = float(value)
    assert found == expected
    assert {row.where["setting"] for row in of_table(2)} == {(PUBLISHED,)}
    assert {row.kind for row in of_table(2) if row.name == "Human"} == {"human"}


def test_numbers_of_items_are_stated_where_figures_agree_with_them() -> None:
    for row in of_table(2):
        assert row.items in {500, None}
        if row.items is not None:
            assert abs(percent(row) * 5 - round(percent(row) * 5)) < 1e-6
    unknown = {row.name for row in of_table(2) if row.items is None}
    assert unknown == {"Qwen3VL-8B-Thinking", "Qwen3VL-30B-A3B", "Human"}


def test_table_4_is_of_unions_with_two_changes_a_pair_by_setting() -> None:
    found = {(row.name, *row.where["setting"]): percent(row) for row in of_table(4)}
    assert found == {
        (name, setting): value
        for name, values in TABLE_4.items()
        for setting, value in zip((DIAGNOSIS, FREE_FORM, ORACLE), values, strict=True)
    }
    # The paper does not say which sources its hundred unions have; scaling and single they are not.
    assert {(row.where["track"], row.where["operation"]) for row in of_table(4)} == {((SHARED, DIFFERENT), (UNION,))}
    assert all(row.items == 100 and "source not stated" in row.source for row in of_table(4))
