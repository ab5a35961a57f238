"""The front page and the lists of benchmarks: what there is, with a picture, the best rows, and how to begin."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from litestar import Request, Response, get
from litestar.concurrency import sync_to_thread
from litestar.di import NamedDependency
from markupsafe import Markup

from api.context import AppContext
from api.errors import DomainError, SourceUnavailableError
from api.evaluations.comparing import ranked_of
from api.http.state import HttpState
from api.pages.boards import chance_of, default_board_of, first_commands, list_overall, row_plot, wheel_line
from api.pages.frame import PAGE, Frame, at, page_response, render
from api.pages.practice import (
    NOT_SHOWN,
    ItemView,
    find_answered,
    find_page,
    item_view,
    practice_addresses,
    served_place,
)
from api.practice.items import with_addresses
from tetrad.contracts.benchmarks import BenchmarkInfo, Card
from tetrad.contracts.items import PracticeItem
from tetrad.contracts.leaderboards import Board
from tetrad.reporting.pages.charts import diamond_plot, grid
from tetrad.reporting.pages.pictures import (
    PAIR,
    SHEET,
    SQUARE,
    ShownPicture,
    about_pictures,
    shown_picture,
    usual_size,
)
from tetrad.reporting.pages.words import in_percent
from tetrad.server.problems import ProblemError

MOST_ROWS = 3
MOST_PICTURES = 5
LEAST_PICTURES = 2
SHEETS = 3  # items of which each is one picture
PARTED = {SQUARE: (2, 4), PAIR: (1,), SHEET: ()}
"""Places of a strip before which a pair has ended, by the kind of its pictures."""
STRIP_SEED = "1"
STILL_MADE = "Its pictures are still being made on this instance."
ANALOGIES = (("vasr", "full"), ("kiva", "extrapolation-only"))
"""What the front page asks, by what can be served here: the first that draws from mounted sources."""
SEEDS = ("1", "2", "3", "4", "5", "9", "12")
"""One a day, each looked at (KiVA's, on the built-in bank)."""


@dataclass(frozen=True, kw_only=True)
class SmallRow:
    """A row of a board in small: with a rank, without one, or published."""

    name: str
    team: str
    plot: Markup
    score: str


@dataclass(frozen=True, kw_only=True)
class BenchmarkRow:
    """A benchmark in a list. `lacking` says why it has no pictures; a None among them parts what is compared."""

    card: Card
    grid: Markup
    pictures: tuple[ShownPicture | None, ...]
    rows: tuple[SmallRow, ...]
    published: tuple[SmallRow, ...]
    lacking: str
    address: str
    puzzles: str
    play: str


@dataclass(frozen=True, kw_only=True)
class ListView:
    title: str
    lede: str
    benchmarks: tuple[BenchmarkRow, ...]
    away: str


@dataclass(frozen=True, kw_only=True)
class FrontView:
    """The front page. `analogy` is None where none can be made just now."""

    analogy: ItemView | None
    benchmark: str
    title: str
    action: str
    seed: str
    another: str
    play: str
    benchmarks: tuple[BenchmarkRow, ...]
    away: str
    commands: str
    wheel: str


@get("/", include_in_schema=False, opt=PAGE)
async def front_page(
    context: NamedDependency[AppContext], http_state: NamedDependency[HttpState], request: Request[Any, Any, Any]
) -> Response[Any]:
    root = context.settings.root
    benchmarks, away = await list_benchmarks(context, http_state, request)
    analogy, drawn = await find_analogy(context, http_state, request)
    name = "" if drawn is None else drawn.identity.benchmark
    title = next((row.card.short_title for row in benchmarks if row.card.name == name), "")
    place = {} if drawn is None else {"track": drawn.identity.track, "setting": drawn.identity.setting}
    seed = "" if drawn is None else drawn.seed
    view = FrontView(
        analogy=analogy,
        benchmark=name,
        title=title,
        action="" if drawn is None else at(root, "puzzles", name, drawn.id),
        seed=seed,
        another=at(root, "play", name, query=place),
        play=at(root, "play", name, query={**place, "seed": seed, "offset": 1}),
        benchmarks=benchmarks,
        away=away,
        commands=first_commands(context.settings.address, "kiva"),
        wheel=wheel_line(context.settings),
    )
    frame = Frame(root=root, title="Tetrad: visual-analogy benchmarks", tab="", scripts=("play.js",))
    return page_response(request, await sync_to_thread(render, request, "front.html", frame, view))


async def find_analogy(
    context: AppContext, http_state: HttpState, request: Request[Any, Any, Any]
) -> tuple[ItemView | None, PracticeItem | None]:
    """Return today's analogy; none while it can't be made."""
    seed = SEEDS[datetime.now(UTC).toordinal() % len(SEEDS)]
    for benchmark, setting in ANALOGIES:
        query = [("setting", setting), ("seed", seed), ("limit", "1")]
        try:
            card, page = await find_page(context, http_state, request, benchmark, query)
            drawn = page.items[0]
            _, whole, feedback = await find_answered(context, http_state, request, drawn.id, {})
        except (DomainError, ProblemError):
            continue
        api = at(context.settings.root, "v1", "items", drawn.id)
        return item_view(card, whole, feedback, {}, address=api), drawn
    return None, None


async def list_benchmarks(
    context: AppContext, http_state: HttpState, request: Request[Any, Any, Any]
) -> tuple[tuple[BenchmarkRow, ...], str]:
    """Return the newest version of each benchmark in the order of their names; or why they can't be listed."""
    try:
        every = await sync_to_thread(context.cards.all)
    except DomainError as error:
        return (), error.detail
    newest = {info.card.name: info for info in sorted(every, key=lambda info: info.card.version)}
    return tuple([await benchmark_row(context, http_state, request, newest[name]) for name in sorted(newest)]), ""


async def benchmark_row(
    context: AppContext, http_state: HttpState, request: Request[Any, Any, Any], info: BenchmarkInfo
) -> BenchmarkRow:
    card, root = info.card, context.settings.root
    puzzles, play = practice_addresses(root, info)
    board = await sync_to_thread(default_board_of, context, info)
    pictures, lacking, address = await strip_of(context, http_state, request, info)
    rows = [row for row in board.rows if row.score is not None][:MOST_ROWS]
    name, ranked = f"grid-{card.name}", {id(row) for row in ranked_of(board)}
    return BenchmarkRow(
        card=card,
        grid=grid(name, chance_of(card, board)),
        pictures=pictures,
        rows=tuple(
            SmallRow(
                name=row.model,
                team=row.team,
                plot=row_plot(name, row, solid=id(row) in ranked, radius=4.5),
                score=in_percent(row.score),
            )
            for row in rows
        ),
        published=tuple(published_small(name, board)),
        lacking=lacking,
        address=address or at(root, "puzzles", card.name),
        puzzles=puzzles,
        play=play,
    )


def published_small(name: str, board: Board) -> list[SmallRow]:
    """Return people's published figures first, then the best of models."""
    known = [row for row in list_overall(board) if row.value is not None]
    ordered = sorted(known, key=lambda row: (row.kind != "human", -(row.value or 0.0)))
    return [
        SmallRow(
            name=row.name,
            team="",
            plot=diamond_plot(name, f"{in_percent(row.value)}%, published", row.value or 0.0),
            score=in_percent(row.value),
        )
        for row in ordered[:2]
    ]


async def strip_of(
    context: AppContext, http_state: HttpState, request: Request[Any, Any, Any], info: BenchmarkInfo
) -> tuple[tuple[ShownPicture | None, ...], str, str]:
    """Return pictures of an item of a benchmark, or why there are none, and the address of the item's page."""
    card, root = info.card, context.settings.root
    if card.corpus is not None:
        return (), NOT_SHOWN, ""
    place = served_place(info)
    if place is None:
        return (), STILL_MADE, ""
    try:
        query = [*place.items(), ("seed", STRIP_SEED), ("limit", str(SHEETS))]
        _, page = await find_page(context, http_state, request, card.name, query)
    except SourceUnavailableError:
        return (), STILL_MADE, ""
    except (DomainError, ProblemError):
        return (), "Its pictures can’t be shown now.", ""
    if not page.items:
        return (), "", ""
    item = page.items[0]
    return tuple(strip_pictures(root, page.items)), "", at(root, "puzzles", card.name, item.id)


def strip_pictures(root: str, items: Sequence[PracticeItem]) -> Iterator[ShownPicture | None]:
    """Yield the pictures of the first item with None between its pairs; of items on one sheet those of a few."""
    first, *_ = questions = [with_addresses(item.questions[-1], at(root, "v1", "items", item.id)) for item in items]
    size, about = usual_size([first]), about_pictures(first)
    if size == SHEET:
        about = [picture for question in questions for picture in about_pictures(question)[:1]]
    elif len(about) <= LEAST_PICTURES:
        about += [picture for picture in first.pictures if picture not in about][:LEAST_PICTURES]
    for place, picture in enumerate(about[:MOST_PICTURES]):
        if place in PARTED[size]:
            yield None
        yield shown_picture(picture, size)


LISTS: dict[str, tuple[str, str]] = {
    "boards": (
        "Boards",
        "The board of each benchmark’s first track and setting. A rank is a range, and says how sure it is.",
    ),
    "benchmarks": ("Benchmarks", "What each asks, of whom, and how its scores come about."),
    "puzzles": ("Puzzles", "Fresh items of any seed, with nothing hidden. Look at them, or solve them yourself."),
}


async def _list_page(
    name: str, context: AppContext, http_state: HttpState, request: Request[Any, Any, Any]
) -> Response[Any]:
    root = context.settings.root
    benchmarks, away = await list_benchmarks(context, http_state, request)
    title, lede = LISTS[name]
    frame = Frame(root=root, title=f"{title} · Tetrad", tab=name)
    view = ListView(title=title, lede=lede, benchmarks=benchmarks, away=away)
    return page_response(request, await sync_to_thread(render, request, "benchmarks.html", frame, view))


@get("/boards", include_in_schema=False, opt=PAGE)
async def boards_page(
    context: NamedDependency[AppContext], http_state: NamedDependency[HttpState], request: Request[Any, Any, Any]
) -> Response[Any]:
    return await _list_page("boards", context, http_state, request)


@get("/benchmarks", include_in_schema=False, opt=PAGE)
async def benchmarks_page(
    context: NamedDependency[AppContext], http_state: NamedDependency[HttpState], request: Request[Any, Any, Any]
) -> Response[Any]:
    return await _list_page("benchmarks", context, http_state, request)


@get("/puzzles", include_in_schema=False, opt=PAGE)
async def puzzles_page(
    context: NamedDependency[AppContext], http_state: NamedDependency[HttpState], request: Request[Any, Any, Any]
) -> Response[Any]:
    return await _list_page("puzzles", context, http_state, request)


HANDLERS = [front_page, boards_page, benchmarks_page, puzzles_page]
