"""What `tetrad leaderboard` says below its table."""

import io
from collections.abc import Sequence

import pytest
from msgspec.structs import replace
from rich.console import Console

from tetrad.cli import output
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


def show(rows: list[BoardRow], reference: Sequence[ReferenceRow] = (), conversation: Conversation = "joined") -> None:
    board._show(
        Board(
            benchmark="toy",
            version=1,
            track="toy",
            setting="full",
            parameters={},
            metric="shade",
            least_items=20,
            rows=rows,
            reference=list(reference),
            conversation=conversation,
        )
    )


def test_scored_submissions_that_wait_are_said_with_what_they_wait_for(capsys: pytest.CaptureFixture[str]) -> None:
    show([row("one", 1, 2), row("two", 3, 1), row("three", 0, 4)])
    *_, first, second = capsys.readouterr().out.splitlines()
    assert first == "north/one: 1 scored submission waits for those fetched earlier: 2 have no score yet"
    assert second == "north/two: 3 scored submissions wait for those fetched earlier: 1 has no score yet"


def test_a_row_below_the_least_number_is_told_what_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    baseline = replace(row("random@service", 0, 0), items=12, origin="baseline, run by the service")
    show([replace(row("one", 0, 0), items=12), baseline])
    *_, last = capsys.readouterr().out.splitlines()
    assert last == (
        "Ranks begin at 20 counted items; items that share a puzzle, object or picture count once: north/one has 12."
    )


LONG = ("qwen2.5-vl-72b-instruct-awq-int4-preview", "the-visual-reasoning-group-of-north")


def test_at_80_columns_names_and_scores_are_whole_and_no_line_is_longer(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bounds = IntervalValue(lower=0.5512, upper=0.7211, level=0.95, method="sequence")
    rows = [
        replace(row(name, 0, 0), team=LONG[1], score=0.6342, interval=bounds, items=412, rank_best=1, rank_worst=3)
        for name in (LONG[0], "small")
    ]
    reference = ReferenceRow(
        name="adults", kind="human", metric="shade", value=None, items=None, words="near perfect " * 9,
        source="a paper", pictures="its own", prompt="not said",
    )  # fmt: skip
    screen = io.StringIO()
    monkeypatch.setattr(output, "console", Console(file=screen, force_terminal=True, width=80, color_system=None))
    show(rows, [reference])
    lines = screen.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert "…" not in screen.getvalue()
    cells = [[cell.strip() for cell in line.split("│")] for line in lines if "│" in line]
    model, team = ("".join(line[place] for line in cells if line[place] != "small") for place in (2, 3))
    assert (model, team) == (LONG[0], 2 * LONG[1])
    assert {"63.4%", "55.1% to 72.1%", "412"} <= {cell for line in cells for cell in line}
    assert "Left out at this width: origin, models, attempts, unread; --json has all." in lines
    assert "near perfect" in screen.getvalue()


def test_published_results_of_one_source_are_one_text_and_those_of_groups_alone_are_counted() -> None:
    rows = [
        ReferenceRow(
            name=name, kind="model", metric=metric, value=value, items=None, source=source, words=words,
            pictures="its own", prompt="not said",
            where={"setting": ("full",), **({"domain": (group,)} if group else {})},
        )
        for name, metric, source, group, value, words in (
            ("near", "shade", "a table", "", 0.5, "on other items"),
            ("near", "shade", "a table", "red", 0.75, "on other items"),
            ("near", "shade", "a table", "blue", 0.25, "on other items"),
            ("far", "loss", "a table", "red", 0.1, ""),
            ("far", "loss", "a table", "blue", 0.2, ""),
        )
    ]  # fmt: skip
    asked = "; pictures: its own; prompt: not said"
    assert board._list_published(rows, "shade", "share") == [
        f"near: 50.0%, on other items (domain red 75.0%, domain blue 25.0%)  [published: a table{asked}]",
        "and 2 results of groups of questions: --json has all",
    ]
    assert board._list_published(rows[3:], "shade", "share") == [
        f"far, loss: domain red +10.0 pp, domain blue +20.0 pp  [published: a table{asked}]"
    ]
    many = [replace(row, name=f"{row.name} {number}") for number in range(25) for row in rows[3:]]
    assert len(board._list_published(many, "shade", "share")) == board.MOST_OF_GROUPS + 1
    assert board._list_published(many, "shade", "share")[-1] == "and 10 results of groups of questions: --json has all"


@pytest.mark.parametrize(
    ("conversation", "words"),
    [("joined", "one conversation for each item"), ("fresh", "a fresh context for each question")],
)
def test_the_board_says_how_its_questions_are_put(
    conversation: Conversation, words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    show([row("one", 0, 0)], conversation=conversation)
    assert f"toy 1, toy, full, {words}: shade" in capsys.readouterr().out


def test_differences_stand_in_columns_of_their_own_with_their_intervals(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    bounds = IntervalValue(lower=-0.05, upper=0.25, level=0.95, method="cluster-t")
    told = PooledDifference(name="told-less-untold", value=0.1, interval=bounds, items=80)
    adults = ReferenceRow(
        name="adults",
        kind="human",
        metric="shade",
        value=0.9,
        items=50,
        source="a paper",
        pictures="its own",
        prompt="a",
    )
    show([replace(row("one", 0, 0), differences=[told]), row("two", 0, 0)], [adults])
    said = capsys.readouterr().out
    cells = [[cell.strip() for cell in line.split("│")] for line in said.splitlines() if "│" in line]
    differences = {line[2]: line[-3:-1] for line in cells}
    assert differences["one"] == ["+10.0 pp (-5.0 pp to +25.0 pp, n=80)", "reported by the team"]
    assert differences["two"] == ["-", "reported by the team"]
    assert said.splitlines()[-1] == "  adults: 90.0%, 50 items  [published: a paper; pictures: its own; prompt: a]"


def test_groups_of_published_results_name_their_dimension() -> None:
    def published(value: float, **where: tuple[str, ...]) -> ReferenceRow:
        return ReferenceRow(
            name="people", kind="human", metric="m", value=value, items=None, source="paper", where=where,
            pictures="its own", prompt="a",
        )  # fmt: skip

    line = board._of_one_source([published(1.0, steps=("1",)), published(0.9, steps=("2",))], "m", "share")
    assert line == "people: steps 1 100.0%, steps 2 90.0%  [published: paper; pictures: its own; prompt: a]"
