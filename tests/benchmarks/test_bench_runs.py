"""Every row of the bench without an instance runs, at tiny sizes: what is measured there is never asserted here.

tests/e2e/test_bench_runs.py has the others, on the instance of the e2e tests.
"""

import pytest

from bench.measuring import Scale

# Counting lines would take as long again; what the bench runs is covered by the tests of it.
pytestmark = pytest.mark.no_cover
TINY = Scale(
    rounds=1,
    trials=1,
    keys=20,
    answers=30,
    requests=8,
    scored=200,
    listeners=100,
    images=16,
    calls=8,
    many_calls=10,
    hostile=4,
)


def test_every_row_gives_lines_and_the_table_shows_them(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # At the top, every worker of pytest-xdist would import all that the bench measures for a second.
    from bench import costs, extraction  # noqa: PLC0415 -- see above
    from bench.__main__ import ROWS, measure, show  # noqa: PLC0415 -- see above

    monkeypatch.setattr(costs, "ITEMS", 3)
    monkeypatch.setattr(costs, "PICTURES", 2)
    monkeypatch.setattr(extraction, "SUSPECTS", 2)
    lines = list(measure(list(ROWS), TINY))
    assert len(lines) >= len(ROWS)
    show(lines)
    shown = capsys.readouterr().out
    assert all(
        words in shown
        for words in (
            "kiva-adults trials",
            "kiva-compositionality trials",
            "keys without",
            "MARVEL puzzles",
            "VISANALOG scenes",
            "VISANALOG composed with",
            "VASR items",
            "200 scored submissions",
            "slowest of 4 hostile replies",
            "one row on Postgres",
            "100 listeners",
            "pictures embedded by Triton",
        )
    )


def test_an_unknown_row_is_refused_with_the_rows_there_are() -> None:
    from bench.__main__ import UnknownRowError, measure  # noqa: PLC0415 -- as above

    with pytest.raises(UnknownRowError, match="rows are trials"):
        measure(["speed"], TINY)
