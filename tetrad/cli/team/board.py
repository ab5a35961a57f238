"""`tetrad leaderboard`: ranks, scores and their confidence sequences."""

from collections.abc import Sequence

from tetrad.cli.credentials import UrlOption, connect
from tetrad.cli.output import JsonOption, fitted_table, note, print_json, say
from tetrad.cli.team.parameters import keep_given, parse_parameters
from tetrad.contracts.benchmarks import ConversationChoice, ReferenceRow
from tetrad.contracts.leaderboards import Board, BoardRow
from tetrad.contracts.reports import DIFFERENCE
from tetrad.reporting.markdown import ASKED
from tetrad.reporting.units import in_unit, percent

COLUMNS = ["rank", "model", "team", "score", "95% sequence", "items", "unread", "attempts", "models"]
LEAST_NEEDED = ["origin", "models", "attempts"]
"""Columns that are left out of a narrow table, these first; then differences, from the last one on."""
PLACES = ("track", "setting")
MOST_OF_GROUPS = 20  # published results of groups alone, where a board has no others


def leaderboard(
    benchmark: str,
    *,
    track: str | None = None,
    setting: str | None = None,
    parameter: list[str] | None = None,
    source: list[str] | None = None,
    conversation: ConversationChoice = "as-card",
    url: UrlOption = None,
    json: JsonOption = False,
) -> None:
    """Show the board of a benchmark's track and setting.

    Args:
        benchmark: for example kiva.
        track: the track; the benchmark's first by default.
        setting: what is asked and shown; the track's first by default.
        parameter: NAME=VALUE of a ranked parameter, may be repeated.
        source: KIND:NAME of a source that its items were drawn from, may be repeated; the default ones otherwise.
        conversation: how an item's questions were asked: joined in one conversation, each in a fresh context, or as the
            card says of the setting.
    """
    parameters = parse_parameters(parameter or [])
    chosen = None if conversation == "as-card" else conversation
    place = keep_given(track=track, setting=setting, conversation=chosen, source=",".join(source or []) or None)
    with connect(url) as client:
        board = client.leaderboard(benchmark, **{**place, **parameters})
    if json:
        print_json(board)
        return
    _show(board)


def _show(board: Board) -> None:
    place = f"{board.benchmark} {board.version}, {board.track}, {board.setting}, {ASKED[board.conversation]}"
    names = list(dict.fromkeys(difference.name for row in board.rows for difference in row.differences))
    if board.rows:
        rows = [[*_row(row, board.unit), *_differences(row, names), row.origin] for row in board.rows]
        fitted_table(f"{place}: {board.metric}", [*COLUMNS, *names, "origin"], rows, LEAST_NEEDED)
    else:
        say(f"{place}: {board.metric}", "No model has a score here yet.")
    note(*_not_ranked(board))
    note(*(_waiting(row) for row in board.rows if row.waiting))
    if board.reference:
        say("Published results and baselines, which are never ranked:")
        note(*_list_published(board.reference, board.metric, board.unit), indent=2)
    if board.notice is not None:
        note(board.notice)


def _not_ranked(board: Board) -> list[str]:
    """Return from how many items on rows are ranked, and which rows have fewer. Baselines are never ranked."""
    fewer = [
        f"{row.team}/{row.model} has {row.items}"
        for row in board.rows
        if 0 < row.items < board.least_items and not row.origin.startswith("baseline")
    ]
    if not fewer:
        return []
    rule = f"Ranks begin at {board.least_items} counted items; items that share a puzzle, object or picture count once"
    return [f"{rule}: {', '.join(fewer)}."]


def _waiting(row: BoardRow) -> str:
    """Return the number of scored submissions that the row does not count yet, and the reason."""
    scored = "1 scored submission waits" if row.waiting == 1 else f"{row.waiting} scored submissions wait"
    unfinished = "1 has" if row.unfinished == 1 else f"{row.unfinished} have"
    return f"{row.team}/{row.model}: {scored} for those fetched earlier: {unfinished} no score yet"


def _differences(row: BoardRow, names: Sequence[str]) -> list[str]:
    """Return each difference with its interval and its number of items, which may be smaller than the row's."""
    shown = {}
    for difference in row.differences:
        lower, upper = in_unit(difference.interval.lower, DIFFERENCE), in_unit(difference.interval.upper, DIFFERENCE)
        shown[difference.name] = f"{in_unit(difference.value, DIFFERENCE)} ({lower} to {upper}, n={difference.items})"
    return [shown.get(name, "-") for name in names]


def _list_published(rows: Sequence[ReferenceRow], metric: str, unit: str) -> list[str]:
    """Return published results: of each name, metric and source one text, its groups of questions in brackets.

    Results of groups alone are only counted, because a paper may have a hundred of them; where there are no others, the
    first ones are shown.
    """
    together: dict[tuple[str, str, str, str], list[ReferenceRow]] = {}
    for row in rows:
        together.setdefault((row.name, row.kind, row.metric, row.source), []).append(row)
    whole = [found for found in together.values() if any(not _group(row) for row in found)]
    shown = whole or list(together.values())[:MOST_OF_GROUPS]
    left_out = len(rows) - sum(map(len, shown))
    note_of_rest = [f"and {left_out} results of groups of questions: --json has all"] if left_out else []
    return [*(_of_one_source(found, metric, unit) for found in shown), *note_of_rest]


def _of_one_source(rows: Sequence[ReferenceRow], metric: str, unit: str) -> str:
    """Return one text; results of another metric than the board's are differences, such as the gap of two settings."""
    if rows[0].metric != metric:
        unit = DIFFERENCE
    whole = "; ".join(_result(row, unit) for row in rows if not _group(row))
    groups = ", ".join(f"{_group(row)} {_number(row, unit) or row.words or '-'}" for row in rows if _group(row))
    first = rows[0]
    origin = "baseline" if first.kind == "baseline" else "published"
    figures = f"{whole} ({groups})" if whole and groups else whole or groups
    name = first.name if first.metric == metric else f"{first.name}, {first.metric}"
    return f"{name}: {figures}  [{origin}: {first.source}; pictures: {first.pictures}; prompt: {first.prompt}]"


def _group(row: ReferenceRow) -> str:
    """Return the group of questions that a result is of; "" for all questions."""
    return ", ".join(
        f"{facet} {value}" for facet, values in row.where.items() if facet not in PLACES for value in values
    )


def _number(row: ReferenceRow, unit: str) -> str:
    return "" if row.value is None else in_unit(row.value, unit)


def _result(row: ReferenceRow, unit: str) -> str:
    items = f"{row.items} items" if row.items else ""
    return ", ".join(part for part in (_number(row, unit), row.words, items) if part) or "-"


def _row(row: BoardRow, unit: str) -> list[str]:
    rank = "-" if row.rank_best is None else f"{row.rank_best}-{row.rank_worst}"
    bounds = row.interval
    interval = "-" if bounds is None else f"{in_unit(bounds.lower, unit)} to {in_unit(bounds.upper, unit)}"
    return [
        rank if row.rank_best != row.rank_worst or row.rank_best is None else str(row.rank_best),
        row.model,
        row.team,
        in_unit(row.score, unit),
        interval,
        str(row.items),
        percent(row.unread_share),
        str(row.attempts),
        str(row.team_models),
    ]
