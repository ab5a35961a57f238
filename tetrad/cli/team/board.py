"""`tetrad leaderboard`: who stands where, and how surely."""

from tetrad.cli.credentials import connect
from tetrad.cli.output import print_json, say, table
from tetrad.cli.team.parameters import named, parse_parameters
from tetrad.contracts.benchmarks import ReferenceRow
from tetrad.contracts.leaderboards import Board, BoardRow
from tetrad.reporting.markdown import percent


def leaderboard(
    benchmark: str,
    *,
    track: str | None = None,
    setting: str | None = None,
    parameter: list[str] | None = None,
    source: list[str] | None = None,
    url: str | None = None,
    json: bool = False,
) -> None:
    """Show the board of a benchmark's track and setting.

    Args:
        benchmark: for example kiva.
        track: the track; the benchmark's first by default.
        setting: what is asked and shown; the track's first by default.
        parameter: NAME=VALUE of a ranked parameter, may be repeated.
        source: KIND:NAME of a source that its items were drawn from, may be repeated; the default ones otherwise.
        url: address of the service.
        json: print JSON.
    """
    parameters = parse_parameters(parameter or [])
    with connect(url) as client:
        names = named(track=track, setting=setting, source=",".join(source or []) or None)
        board = client.leaderboard(benchmark, **{**names, **parameters})
    if json:
        print_json(board)
        return
    _show(board)


def _show(board: Board) -> None:
    title = f"{board.benchmark} {board.version}, {board.track}, {board.setting}: {board.metric}"
    columns = ["rank", "model", "team", "score", "95% sequence", "items", "attempts", "models", "unread", "origin"]
    rows = [_row(row) for row in board.rows]
    rows += [_published(one) for one in board.reference]
    table(title, columns, rows)
    say(*(_waiting(row) for row in board.rows if row.waiting))
    if board.notice is not None:
        say(board.notice)


def _waiting(row: BoardRow) -> str:
    """Say how many scored submissions the row is short of, and why."""
    scored = "1 scored submission waits" if row.waiting == 1 else f"{row.waiting} scored submissions wait"
    unfinished = "1 has" if row.unfinished == 1 else f"{row.unfinished} have"
    return f"{row.team}/{row.model}: {scored} for those fetched earlier: {unfinished} no score yet"


def _published(row: ReferenceRow) -> list[str]:
    """Say the figure, or the source's words where there is none, and which group of questions it is of."""
    groups = [value for facet, values in row.where.items() if facet not in {"track", "setting"} for value in values]
    name = f"{row.name} ({', '.join(groups)})" if groups else row.name
    origin = f"{row.words} ({row.source})" if row.words else row.source
    return ["-", name, "published", percent(row.value), "-", str(row.items or "-"), "", "", "", origin]


def _row(row: BoardRow) -> list[str]:
    rank = "-" if row.rank_best is None else f"{row.rank_best}-{row.rank_worst}"
    interval = "-" if row.interval is None else f"{percent(row.interval.lower)} to {percent(row.interval.upper)}"
    return [
        rank if row.rank_best != row.rank_worst or row.rank_best is None else str(row.rank_best),
        row.model,
        row.team,
        percent(row.score),
        interval,
        str(row.items),
        str(row.attempts),
        str(row.team_models),
        percent(row.unread_share),
        row.origin,
    ]
