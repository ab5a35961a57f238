"""Give the paper's figures: table 1 (end to end), table 2 (with the program told, its gaps, and D itself).

The paper states rates by steps, and no numbers of questions by steps. 226, 159, 157 and 75 are the only sizes that sum
to its 617 questions and fit all rates of both tables to the digit.
"""

from collections.abc import Mapping

from generator_service.benchmarks.visanalog.spec import END_TO_END, LADDER, ORACLE, PROGRAM
from tetrad.contracts.benchmarks import ReferenceRow

SIZES = (226, 159, 157, 75)
_PEOPLE = 10  # questions of each number of steps
_TABLE_1: Mapping[str, tuple[float, float, float, float]] = {
    "GPT-o3": (77.4, 66.0, 49.0, 30.7),
    "Gemini-2.5-Flash": (67.3, 59.7, 51.6, 24.0),
    "Gemini-2.5-Pro": (71.2, 49.7, 48.4, 29.3),
    "Qwen2.5-VL-72B": (51.8, 39.6, 43.3, 52.0),
    "InternVL3.5-38B-Instruct": (51.3, 32.1, 21.7, 26.7),
    "Qwen3-VL-8B-Instruct": (58.4, 34.0, 29.3, 30.7),
}
_HUMAN = (100.0, 90.0, 90.0, 90.0)
_TABLE_2: Mapping[str, tuple[float, float, float, float]] = {
    "InternVL3.5-38B-Instruct": (70.8, 70.4, 62.4, 53.3),
    "Qwen3-VL-8B-Instruct": (72.1, 67.9, 61.8, 52.0),
}
_GAPS: Mapping[str, Mapping[str, tuple[float, float, float, float]]] = {
    "inference-gap": {
        "InternVL3.5-38B-Instruct": (19.5, 38.4, 40.8, 26.7),
        "Qwen3-VL-8B-Instruct": (13.7, 34.0, 32.5, 21.3),
    },
    "application-gap": {
        "InternVL3.5-38B-Instruct": (9.7, 8.8, 15.3, 26.7),
        "Qwen3-VL-8B-Instruct": (1.8, 0.6, 6.4, 17.3),
    },
}


def _rows(
    name: str,
    kind: str,
    rates: tuple[float, ...],
    sizes: tuple[int, ...],
    *,
    setting: str,
    table: str,
    metric: str = "accuracy",
) -> tuple[ReferenceRow, ...]:
    return tuple(
        ReferenceRow(
            name=name,
            kind=kind,
            metric=metric,
            value=round(rate / 100, 3),
            items=size,
            source=f"Li et al. 2026, {table}",
            pictures="natural photographs, not these pictures",
            prompt="the paper's questions, asked of people" if kind == "human" else "the paper's (appendix A)",
            where={"setting": (setting,), "steps": (str(steps),)},
        )
        for steps, (rate, size) in enumerate(zip(rates, sizes, strict=True), 1)
    )


def _with_the_target() -> dict[str, tuple[float, ...]]:
    """Return Acc(D) by model and steps, which the paper does not print: Acc(C, T) and the application gap together."""
    gaps = _GAPS["application-gap"]
    return {name: tuple(a + b for a, b in zip(rates, gaps[name], strict=True)) for name, rates in _TABLE_2.items()}


REFERENCE: tuple[ReferenceRow, ...] = (
    *_rows(
        "people (10 questions a step, two together)",
        "human",
        _HUMAN,
        (_PEOPLE,) * 4,
        setting=END_TO_END,
        table="table 1",
    ),
    *(
        row
        for setting, table, figures in ((END_TO_END, "table 1", _TABLE_1), (PROGRAM, "table 2", _TABLE_2))
        for name, rates in figures.items()
        for row in _rows(name, "model", rates, SIZES, setting=setting, table=table)
    ),
    *(
        row
        for metric, figures in _GAPS.items()
        for name, gaps in figures.items()
        for row in _rows(name, "model", gaps, SIZES, setting=LADDER, table="table 2", metric=metric)
    ),
    *(
        row
        for name, rates in _with_the_target().items()
        for row in _rows(
            name, "model", rates, SIZES, setting=ORACLE, table="table 2: Acc(C, T) and the application gap"
        )
    ),
)
