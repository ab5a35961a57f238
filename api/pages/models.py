"""The page of a model: its rows on all boards, and its public attempts as intervals in time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from litestar import Request, Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath
from markupsafe import Markup

from api.context import AppContext
from api.database.schema import submissions
from api.errors import not_found
from api.inputs import storable
from api.pages.boards import ForestRow, forest_row
from api.pages.frame import PAGE, Frame, at, page_response, render
from api.pages.reports import board_address, card_of, find_own_board
from api.submissions.finding import list_scored, show
from api.teams.access import Caller
from api.teams.models import find_named
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.leaderboards import Board, BoardRow, FacetScore
from tetrad.contracts.submissions import Submission
from tetrad.reporting.pages.charts import grid, interval_plot, scale
from tetrad.reporting.pages.report import label_of
from tetrad.reporting.pages.words import UNKNOWN, count_noun, group_digits, in_percent, interval_words

MOST_ATTEMPTS = 200


@dataclass(frozen=True, kw_only=True)
class OwnRow:
    """The model's row on a board, with the board's words and address. `ends` are its best and its worst facet."""

    row: ForestRow
    board: str
    address: str
    least: int
    ends: str


@dataclass(frozen=True, kw_only=True)
class Attempt:
    address: str
    place: str
    plot: Markup
    score: str
    interval: str
    items: str
    opened_at: str
    state: str


@dataclass(frozen=True, kw_only=True)
class ModelView:
    model: str
    team: str
    rows: tuple[OwnRow, ...]
    attempts: tuple[Attempt, ...]
    most: int
    grid: Markup
    scale: Markup


@get("/models/{team:str}/{model:str}", include_in_schema=False, opt=PAGE, sync_to_thread=True)
def model_page(
    *,
    context: NamedDependency[AppContext],
    caller: NamedDependency[Caller | None],
    request: Request[Any, Any, Any],
    team: FromPath[str],
    model: FromPath[str],
) -> Response[Any]:
    """Show what of a model the caller may read, one by one, in the API.

    Raises:
        NotFoundError: nothing.
    """
    named = find_named(context.engine, storable("team", team) or "", storable("model", model) or "")
    is_of = () if named is None else (submissions.c.team_id == named[0], submissions.c.model_id == named[1])
    found = list_scored(context.engine, caller, *is_of, most=MOST_ATTEMPTS) if named else []
    if not found:
        raise not_found("model", f"{team}/{model}")
    root = context.settings.root
    attempts: list[Attempt] = []
    rows: list[OwnRow] = []
    known: set[str] = set()
    for row in found:
        shown = show(context.settings, row)
        card = card_of(context, shown.identity)
        attempts.append(attempt_of(root, shown, card))
        board = None if card is None else find_own_board(context, row, card)
        if card is not None and board is not None and row.board not in known:
            known.add(row.board)
            rows += own_rows(root, shown, card, board)
    view = ModelView(
        model=model,
        team=team,
        rows=tuple(rows),
        attempts=tuple(attempts),
        most=MOST_ATTEMPTS,
        grid=grid("grid", None),
        scale=scale(None),
    )
    frame = Frame(root=root, title=f"{model} · Tetrad", tab="boards")
    return page_response(request, render(request, "model.html", frame, view))


def own_rows(root: str, submission: Submission, card: Card, board: Board) -> Sequence[OwnRow]:
    """Return the model's row on a board; none where the operator took it off."""
    ranked = sum(row.rank_best is not None for row in board.rows)
    place = f"{card.short_title}: {submission.identity.track}, {submission.identity.setting}"
    return [
        OwnRow(
            row=forest_row(root, row, ranked, board.least_items),
            board=place,
            address=board_address(root, submission, card),
            least=board.least_items,
            ends=best_and_worst(card, row),
        )
        for row in board.rows
        if (row.team, row.model) == (submission.team, submission.model)
    ]


def best_and_worst(card: Card, row: BoardRow) -> str:
    """Return the facet values with the highest and the lowest score; "" where they don't differ."""
    scored = sorted((score for score in row.by_facet if score.score is not None), key=lambda score: score.score or 0.0)
    if not scored or scored[0].score == scored[-1].score:
        return ""

    def words(score: FacetScore) -> str:
        of = count_noun(score.items, "item")
        return f"{card.value_words.get(score.value, score.value)}, {in_percent(score.score, 0)}% of {of}"

    return f"best {scored[-1].facet}: {words(scored[-1])}; worst: {words(scored[0])}"


def attempt_of(root: str, submission: Submission, card: Card | None) -> Attempt:
    value = submission.headline
    score = None if value is None else value.value
    label = f"{UNKNOWN}, interval {UNKNOWN}" if value is None else label_of(value)
    name = submission.identity.benchmark if card is None else card.short_title
    return Attempt(
        address=at(root, "submissions", submission.id),
        place=f"{name}: {submission.identity.track}, {submission.identity.setting}",
        plot=interval_plot("grid", label, score, None if value is None else value.interval, radius=4.5),
        score=in_percent(score),
        interval=interval_words(None if value is None else value.interval),
        items=UNKNOWN if value is None else group_digits(value.items),
        opened_at=submission.opened_at,
        state="private" if submission.visibility == "private" else submission.unranked,
    )


HANDLERS = [model_page]
