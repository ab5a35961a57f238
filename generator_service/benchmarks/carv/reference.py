"""Hold the paper's figures, tables 2 and 4. Our copy of the paper lost some decimal points: its 494 is 49.4.

Table 2 has shares of 500 items each, table 4 of 100. Two Qwen3VL models have figures, such as 10.82, that fit no number
of items we know of. Table 4 does not name the sources of its unions. Tables 3 and 5 stand on no board: table 3 names no
prompt, and its figures contradict the direct ones of table 2; table 5 is of neuro-symbolic prompting.
"""

from collections.abc import Iterator

from generator_service.benchmarks.carv.metrics import LENIENT
from generator_service.benchmarks.carv.spec import (
    APPLY,
    DIAGNOSIS,
    DIFFERENCE,
    DIFFERENT,
    FREE_FORM,
    INTERSECTION,
    ORACLE,
    PUBLISHED,
    SHARED,
    SINGLE,
    UNION,
)
from tetrad.contracts.benchmarks import ReferenceRow

PAPER = "Du et al. 2026 (CARV)"

_COLUMNS = (
    (SINGLE, APPLY),
    (SHARED, UNION),
    (DIFFERENT, UNION),
    (SHARED, INTERSECTION),
    (DIFFERENT, INTERSECTION),
    (SHARED, DIFFERENCE),
    (DIFFERENT, DIFFERENCE),
)
_TABLE_2: dict[str, tuple[float | None, ...]] = {
    "Gemini-2.5 Flash": (75.0, 49.4, 37.4, 60.2, 64.2, 41.4, 33.2),
    "Gemini-2.5 Pro": (79.2, 51.6, 40.4, 62.8, 67.2, 59.4, 55.6),
    "GPT-5.1": (81.2, 64.6, 51.0, 75.0, 73.0, 59.0, 62.4),
    "GPT-4o": (44.8, 27.2, 9.0, 34.0, 36.0, 25.6, 21.2),
    "Qwen3VL-8B-Thinking": (66.7, 33.6, 20.8, 56.8, 59.2, 33.3, 25.0),
    "Qwen2.5VL-7B": (2.4, 9.0, 2.2, 10.0, 8.6, 3.0, 4.2),
    "Qwen3VL-8B": (4.8, 5.0, 0.6, 13.8, 8.2, 3.2, 5.4),
    "InternVL3-8B": (1.8, 0.6, 0.2, 5.6, 4.2, 3.0, 3.6),
    "InternVL3.5-8B": (3.2, 3.2, 1.6, 7.2, 2.4, 2.8, 0.8),
    "Llama-3.2-11B-Vision": (1.0, 0.6, 0.2, 0.8, 1.4, 0.8, 0.8),
    "InternVL3-14B": (4.6, 1.4, 0.0, 7.8, 5.4, 4.0, 2.0),
    "Qwen2.5VL-32B": (39.0, 18.6, 6.2, 30.4, 32.8, 25.4, 15.0),
    "Qwen3VL-30B-A3B": (33.4, 21.7, 4.2, 18.4, 17.6, 10.82, 9.88),
    "Human": (None, 100.0, 100.0, 100.0, 100.0, 100.0, 100.0),
}
_UNKNOWN_ITEMS = frozenset({"Qwen3VL-8B-Thinking", "Qwen3VL-30B-A3B", "Human"})
_TABLE_4 = {
    "GPT-4o": (42.0, 51.0, 86.0),
    "GPT-5.1": (60.0, 78.0, 94.0),
    "Gemini-2.5 Flash": (77.0, 90.0, 99.0),
    "Gemini-2.5 Pro": (86.0, 86.0, 97.0),
}

_JUDGED = (
    "GPT-4o judged: it saw the right picture, and only a conflict was wrong; ours compares five properties in words"
)
_DIRECT_PROMPT, _DIAGNOSIS_PROMPT = "the paper's direct prompt", "the paper's diagnosis prompt"


def _rows() -> Iterator[ReferenceRow]:
    """Yield all figures. Those of table 4 are of settings whose prompts are not the paper's."""
    for name, values in _TABLE_2.items():
        items = None if name in _UNKNOWN_ITEMS else 500
        for (track, operation), value in zip(_COLUMNS, values, strict=True):
            if value is not None:
                yield _row(name, value, items, "2", _DIRECT_PROMPT, (track,), PUBLISHED, operation)
    for name, settings in _TABLE_4.items():
        for setting, value in zip((DIAGNOSIS, FREE_FORM, ORACLE), settings, strict=True):
            both = (SHARED, DIFFERENT)
            yield _row(name, value, 100, "4 (source not stated)", _DIAGNOSIS_PROMPT, both, setting, UNION)


def _row(  # noqa: PLR0917 - the columns of a row
    name: str,
    percent: float,
    items: int | None,
    table: str,
    prompt: str,
    tracks: tuple[str, ...],
    setting: str,
    operation: str,
) -> ReferenceRow:
    return ReferenceRow(
        name=name,
        kind="human" if name == "Human" else "model",
        metric=LENIENT,
        value=round(percent / 100, 6),
        items=items,
        source=f"{PAPER}, table {table}; {_JUDGED}",
        pictures="the paper's, not these",
        prompt=prompt,
        where={"track": tracks, "setting": (setting,), "operation": (operation,)},
    )


REFERENCE = tuple(_rows())
