"""What `tetrad leaderboard` says below its table."""

import pytest
from msgspec.structs import replace

from tetrad.cli.team import board
from tetrad.contracts.benchmarks import Conversation, ReferenceRow
from tetrad.contracts.leaderboards import Board, BoardRow, PooledDifference
from tetrad.contracts.reports import IntervalValue


def row(model: str, waiting: int, unfinished: int) -> BoardRow:
    return BoardRow(
        model=model,
        team="north",
        score=None,
        interval=None,
        rank_best=None,
        rank_worst=None,
        group=None,
        items=0,
        attempts=0,
        team_models=2,
        unread_share=0.0,
        cost=None,
        origin="reported by the team",
        first_scored_at="2026-01-01T00:00:00.000Z",
        waiting=waiting,
        unfinished=unfinished,
    )


def test_scored_submissions_that_wait_are_said_with_what_they_wait_for(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [row("one", 1, 2), row("two", 3, 1), row("three", 0, 4)]
    shown = Board(
        benchmark="toy",
        version=1,
        track="toy",
        setting="full",
        parameters={},
        metric="shade",
        least_items=20,
        rows=rows,
        reference=[],
    )
    board._show(shown)
    *_, first, second = capsys.readouterr().out.splitlines()
    assert first == "north/one: 1 scored submission waits for those fetched earlier: 2 have no score yet"
    assert second == "north/two: 3 scored submissions wait for those fetched earlier: 1 has no score yet"


def test_a_row_below_the_least_number_is_told_what_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    shown = Board(
        benchmark="toy",
        version=1,
        track="toy",
        setting="full",
        parameters={},
        metric="shade",
        least_items=20,
        rows=[replace(row("one", 0, 0), items=12)],
        reference=[],
    )
    board._show(shown)
    *_, last = capsys.readouterr().out.splitlines()
    assert last == (
        "north/one: no rank before 20 items, and it has 12; items that share a puzzle, object or picture (a cluster) "
        "count once"
    )


@pytest.mark.parametrize(
    ("conversation", "words"),
    [("joined", "one conversation for each item"), ("fresh", "a fresh context for each question")],
)
def test_the_board_says_how_its_questions_are_put(
    conversation: Conversation, words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    shown = Board(
        benchmark="toy",
        version=1,
        track="toy",
        setting="full",
        parameters={},
        metric="shade",
        least_items=20,
        rows=[row("one", 0, 0)],
        reference=[],
        conversation=conversation,
    )
    board._show(shown)
    assert f"toy 1, toy, full, {words}: shade" in capsys.readouterr().out


def test_differences_stand_in_columns_of_their_own_with_their_intervals(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    bounds = IntervalValue(lower=-0.05, upper=0.25, level=0.95, method="cluster-t")
    told = PooledDifference(name="told-less-untold", value=0.1, interval=bounds, items=80)
    shown = Board(
        benchmark="toy",
        version=1,
        track="toy",
        setting="full",
        parameters={},
        metric="shade",
        least_items=20,
        rows=[replace(row("one", 0, 0), differences=[told]), row("two", 0, 0)],
        reference=[ReferenceRow(name="adults", kind="human", metric="shade", value=0.9, items=50, source="a paper")],
    )
    board._show(shown)
    cells = [[cell.strip() for cell in line.split("│")] for line in capsys.readouterr().out.splitlines() if "│" in line]
    differences = {line[2]: line[-3:-1] for line in cells}
    assert differences["one"] == ["+10.0 pp (-5.0 pp to +25.0 pp, n=80)", "reported by the team"]
    assert differences["two"] == ["-", "reported by the team"]
    assert differences["adults"] == ["", "a paper"]
