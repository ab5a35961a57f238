"""The page of a board: its rows as a forest plot, what would change a rank, and the board as files."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain, pairwise
from typing import Any

import msgspec
from litestar import Request, Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath
from markupsafe import Markup

from api.boards.finished_boards import FinishedBoard
from api.boards.leaderboards import BASELINE
from api.boards.queries import BoardQuery, board_query, parameter_values, value_text
from api.boards.source_names import SOURCE, sources_digest, split_sources
from api.client_wheel import client_wheel
from api.context import AppContext
from api.evaluations.comparing import compare_rows, ranked_of
from api.http.guards import CARD_NAMES
from api.pages.board_costs import CostsView, costs_of, write_dollars
from api.pages.board_facets import FacetTable, facets_of
from api.pages.board_picture import BoardPicture, write_picture
from api.pages.frame import HEADERS, PAGE, Frame, Page, PageCache, at, page_response, render, tag_page
from api.practice.queries import version_of
from api.settings import ApiSettings
from tetrad.contracts.benchmarks import BenchmarkInfo, Card, ReferenceRow
from tetrad.contracts.evaluations import Comparison
from tetrad.contracts.leaderboards import Board, BoardRow
from tetrad.contracts.submissions import DEFAULT_SIZE
from tetrad.reporting.csv_table import harmless, write_table
from tetrad.reporting.pages.charts import diamond_plot, grid, interval_plot, rank_cells, scale
from tetrad.reporting.pages.words import (
    UNKNOWN,
    capitalise,
    group_digits,
    in_percent,
    in_points,
    in_words,
    interval_words,
)

FEW = 50  # items: rows with fewer stand behind a link
MOST_NEIGHBOURS = 6
MOST_WORTH_DRAWING = 20_000  # items
ALL = "all"
PAGES = PageCache[Page](64)
Query = Sequence[tuple[str, str]]
Chip = tuple[str, str, bool]
PLACES = frozenset({"track", "setting", "stage"})


class ForestRow(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One row of the forest. A struct is made in a fifth of the time of a dataclass, and a board has thousands."""

    model: str
    team: str
    address: str
    origin: str
    rank: str
    cells: Markup
    plot: Markup
    score: str
    bounds: str
    items: str
    attempts: str
    unread: str
    cost: str
    note: str


@dataclass(frozen=True, kw_only=True)
class PublishedRow:
    name: str
    score: str
    plot: Markup | None
    words: str
    source: str


@dataclass(frozen=True, kw_only=True)
class ParameterForm:
    """A ranked parameter: its values, and the one that is shown."""

    name: str
    help: str
    values: tuple[str, ...]
    shown: str
    is_default: bool


@dataclass(frozen=True, kw_only=True)
class BoardView:
    """All that the template shows."""

    card: Card
    board: Board
    title: str
    lede: Markup
    filters: tuple[tuple[str, tuple[Chip, ...]], ...]
    parameters: tuple[ParameterForm, ...]
    hidden_inputs: tuple[tuple[str, str], ...]
    metric_help: str
    source: str
    grid: Markup
    scale: Markup
    has_people: bool
    ranked: tuple[ForestRow, ...]
    unranked: tuple[ForestRow, ...]
    few: int
    few_address: str
    baselines: tuple[ForestRow, ...]
    published: tuple[PublishedRow, ...]
    published_parts: tuple[PublishedRow, ...]
    published_note: str
    by_facet: FacetTable | None
    costs: CostsView | None
    changes: tuple[Markup, ...]
    rest: str
    commands: str
    wheel: str
    addresses: Mapping[str, str]
    moment: datetime


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The wish of a request: a board, and the query that names it."""

    info: BenchmarkInfo
    where: BoardQuery
    sources: tuple[str, ...]
    board: FinishedBoard
    query: Query
    shows_all: bool

    @property
    def card(self) -> Card:
        return self.info.card


def find_board(context: AppContext, benchmark: str, query: Query) -> Asked:
    """Return the board that a query names, as `GET /v1/leaderboards/{benchmark}` finds it."""
    shows_all = (ALL, "1") in query
    sources, named = split_sources([pair for pair in query if pair[0] != ALL and pair[1] != ""])
    info = context.cards.get(benchmark, version_of(named))
    where = board_query(info.card, named)
    board = context.boards.get(info.card, where, sources_digest(info, where.track, sources))
    return Asked(info=info, where=where, sources=tuple(sources), board=board, query=tuple(named), shows_all=shows_all)


@get("/boards/{benchmark:str}", include_in_schema=False, opt=PAGE | CARD_NAMES, sync_to_thread=True)
def board_page(
    context: NamedDependency[AppContext], request: Request[Any, Any, Any], benchmark: FromPath[str]
) -> Response[Any]:
    asked = find_board(context, benchmark, list(request.query_params.multi_items()))
    root, address = context.settings.root, context.settings.address

    def make() -> Page:
        frame = Frame(root=root, title=f"{asked.card.short_title} board · Tetrad", tab="boards")
        return tag_page(render(request, "board.html", frame, board_view(asked, root, context.settings)))

    shown = (asked.board.digest, msgspec.json.encode(asked.info), asked.query, asked.sources, asked.shows_all)
    return page_response(request, PAGES.get((*shown, root, address), make))


@get("/boards/{benchmark:str}/csv", include_in_schema=False, opt=PAGE | CARD_NAMES, sync_to_thread=True)
def board_csv(
    context: NamedDependency[AppContext], request: Request[Any, Any, Any], benchmark: FromPath[str]
) -> Response[str]:
    """Give all rows of a board as CSV. A cell that a spreadsheet would run as a formula begins with an apostrophe."""
    asked = find_board(context, benchmark, list(request.query_params.multi_items()))
    headers = {**HEADERS, "Content-Disposition": f'attachment; filename="{asked.card.name}-board.csv"'}
    return Response(write_csv(asked.board.whole), media_type="text/csv", headers=headers)


@get("/boards/{benchmark:str}/json", include_in_schema=False, opt=PAGE | CARD_NAMES, sync_to_thread=True)
def board_json(
    context: NamedDependency[AppContext], request: Request[Any, Any, Any], benchmark: FromPath[str]
) -> Response[Board]:
    """Give the whole board, which `GET /v1/leaderboards/{benchmark}` gives in pages."""
    asked = find_board(context, benchmark, list(request.query_params.multi_items()))
    return Response(asked.board.whole, media_type="application/json", headers=HEADERS)


@get("/boards/{benchmark:str}/svg", include_in_schema=False, opt=PAGE | CARD_NAMES, sync_to_thread=True)
def board_svg(
    context: NamedDependency[AppContext], request: Request[Any, Any, Any], benchmark: FromPath[str]
) -> Response[str]:
    """Give the forest of a board as a picture of its own: the rows that its page shows."""
    asked = find_board(context, benchmark, list(request.query_params.multi_items()))
    headers = {**HEADERS, "Content-Disposition": f'inline; filename="{asked.card.name}-board.svg"'}
    address = context.settings.address + at("", "boards", asked.card.name, query=query_of(asked))
    return Response(write_picture(picture_of(asked, address)), media_type="image/svg+xml", headers=headers)


def picture_of(asked: Asked, address: str) -> BoardPicture:
    board, published = asked.board.whole, list_overall(asked.board.whole)
    shown = [row for row in board.rows if row.rank_best is not None or asked.shows_all or row.items >= FEW]
    return BoardPicture(
        title=f"{asked.card.short_title}: {board.track}, {board.setting}",
        address=address,
        chance=chance_of(asked.card, board),
        people=people_of(published),
        rows=[("" if row.rank_best is None else rank_words(row), row) for row in shown],
        published=[(row.name, row.value) for row in published if row.value is not None],
    )


COLUMNS = (
    *("kind", "rank_best", "rank_worst", "model", "team", "score", "lower", "upper", "level", "items", "attempts"),
    *("unread_share", "cost", "origin", "waiting", "unfinished", "flips_to_swap", "first_scored_at", "source"),
)


def write_csv(board: Board) -> str:
    """Return the rows of a board, measured and published, one a line."""
    published = (
        {"kind": "published", "model": reference.name, "score": reference.value, "source": reference.source}
        for reference in list_overall(board)
    )
    return write_table(COLUMNS, chain(map(_cells_of, board.rows), published))


def _cells_of(row: BoardRow) -> dict[str, object]:
    cells = msgspec.to_builtins(row)
    interval = cells.get("interval") or {}
    cells |= {name: interval.get(name) for name in ("lower", "upper", "level")}
    cells |= {name: harmless(cells[name]) for name in ("model", "team")}
    return {"kind": "measured", **{name: cells[name] for name in COLUMNS if name in cells}}


def list_overall(board: Board) -> list[ReferenceRow]:
    """Return the published figures of the board's own metric that are about all of its questions."""
    return [row for row in board.reference if row.metric == board.metric and row.where.keys() <= PLACES]


def default_board_of(context: AppContext, info: BenchmarkInfo) -> Board:
    """Return the board of a benchmark's first track and setting."""
    where = board_query(info.card, [])
    return context.boards.get(info.card, where, sources_digest(info, where.track, [])).whole


def board_view(asked: Asked, root: str, settings: ApiSettings) -> BoardView:
    card, board = asked.card, asked.board.whole
    chance = chance_of(card, board)
    published = list_overall(board)
    people = people_of(published)
    ranked = ranked_of(board)
    forest = tuple([forest_row(root, row, len(ranked), board.least_items) for row in ranked])
    unranked = [row for row in board.rows if row.rank_best is None and row.origin != BASELINE]
    shown = [row for row in unranked if asked.shows_all or row.items >= FEW]
    metric = card.find_metric(board.metric)
    parts = [row for row in board.reference if row.metric == board.metric and row not in published]
    changes, rest = changes_of(board, ranked)
    shown_published, note = published_rows(published)
    shown_parts, parts_note = published_rows(parts)
    return BoardView(
        card=card,
        board=board,
        title=f"{card.short_title}: {lower_first(card.question)}" if card.question else card.title,
        lede=lede_of(board, ranked, chance),
        filters=tuple(filters_of(asked, root)),
        parameters=tuple(parameter_forms(asked)),
        hidden_inputs=tuple((name, value) for name, value in query_of(asked) if name not in asked.where.parameters),
        metric_help="" if metric is None else metric.help,
        source=", ".join(asked.sources) or asked.info.bank_name,
        grid=grid("grid", chance, people),
        scale=scale(chance, people),
        has_people=people is not None,
        ranked=forest,
        unranked=tuple(forest_row(root, row, len(ranked), board.least_items) for row in shown),
        few=len(unranked) - len(shown),
        few_address=at(root, "boards", card.name, query=[*query_of(asked), (ALL, "1")]),
        baselines=tuple(forest_row(root, row, 0, 0) for row in board.rows if row.origin == BASELINE),
        published=shown_published,
        published_parts=shown_parts,
        published_note=note or parts_note,
        by_facet=facets_of(card, ranked, [row.address for row in forest]),
        costs=costs_of(board.rows),
        changes=tuple(changes),
        rest=rest,
        commands=commands_of(asked, settings.address),
        wheel=wheel_line(settings),
        addresses=addresses_of(asked, root),
        moment=datetime.now(UTC),
    )


def lower_first(text: str) -> str:
    return f"{text[:1].lower()}{text[1:]}"


def query_of(asked: Asked, **other: str) -> list[tuple[str, str]]:
    """Return the query of this view with other values of some names; "" leaves a name out."""
    kept = {name: value for name, value in asked.query if name not in other}
    sources = [] if SOURCE in other else [(SOURCE, name) for name in asked.sources]
    return [*kept.items(), *sources, *((name, value) for name, value in other.items() if value)]


def filters_of(asked: Asked, root: str) -> Iterator[tuple[str, tuple[Chip, ...]]]:
    """Yield the rows of chips: each a label and its choices, as links to other views."""
    card, where = asked.card, asked.where

    def chip(words: str, *, is_shown: bool, **other: str) -> Chip:
        return words, at(root, "boards", card.name, query=query_of(asked, **other)), is_shown

    settings = next(track.settings for track in card.tracks if track.name == where.track)
    if len(card.tracks) > 1:
        shown = {track.name: "" if where.setting in track.settings else track.settings[0] for track in card.tracks}
        yield (
            "Track",
            tuple(
                chip(
                    name, is_shown=name == where.track, track=name, setting=shown[name] or where.setting, **reset(asked)
                )
                for name in shown
            ),
        )
    if len(settings) > 1:
        yield (
            "Setting",
            tuple(chip(name, is_shown=name == where.setting, setting=name, conversation="") for name in settings),
        )
    setting = next(setting for setting in card.settings if setting.name == where.setting)
    if setting.can_join:
        ways = (("joined", "in one conversation"), ("fresh", "each question afresh"))
        yield (
            "Asked",
            tuple(chip(words, is_shown=name == where.conversation, conversation=name) for name, words in ways),
        )
    sources = [source.title for source in asked.info.sources if where.track in source.tracks]
    if len(sources) > 1:
        chosen = set(asked.sources) or {source.title for source in asked.info.sources if source.default}
        yield "Source", tuple(chip(name, is_shown=name in chosen, source=name) for name in sources)


def reset(asked: Asked) -> dict[str, str]:
    """Return what another track can't keep: its sources, and the way to put questions."""
    return {SOURCE: "", "conversation": ""} if asked.sources else {"conversation": ""}


def parameter_forms(asked: Asked) -> Iterator[ParameterForm]:
    for parameter in asked.card.parameters:
        if parameter.ranked:
            shown = asked.where.parameters[parameter.name]
            yield ParameterForm(
                name=parameter.name,
                help=parameter.help,
                values=tuple(parameter_values(parameter)),
                shown=value_text(shown),
                is_default=shown == parameter.default_on(asked.where.track),
            )


def chance_of(card: Card, board: Board) -> float | None:
    """Return the score of guessing on this board: of its draws, else by the card; None where questions differ."""
    if board.chance is not None:
        return board.chance
    places = {name: value_text(value) for name, value in board.parameters.items()}
    places |= {"track": board.track, "setting": board.setting}
    metric = card.find_metric(board.metric)
    known = places | {name: values[0] for name, values in getattr(metric, "where", {}).items() if len(values) == 1}
    levels = {
        level.uniform
        for level in card.chance
        if all(name not in known or known[name] in values for name, values in level.where.items())
    }
    return levels.pop() if len(levels) == 1 else None


def people_of(published: Sequence[ReferenceRow]) -> tuple[float, float] | None:
    """Return the band of people: one standard deviation around their mean, where a source gives it."""
    for row in published:
        if row.kind == "human" and row.value is not None and row.spread is not None:
            return max(0.0, row.value - row.spread), min(1.0, row.value + row.spread)
    return None


def lede_of(board: Board, ranked: Sequence[BoardRow], chance: float | None) -> Markup:
    """Return the finding in a few sentences, made from the rows alone."""
    if board.notice is not None:
        return Markup("{}").format(board.notice)
    models = [row for row in board.rows if row.origin != BASELINE]
    if not models:
        return Markup("Nobody has a score here yet. {} items make a rank.").format(DEFAULT_SIZE)
    have = f"{capitalise(in_words(len(ranked))) if ranked else 'None'} of {in_words(len(models))} models"
    have = have if len(models) > 1 else "The only model" if ranked else "No model"
    verb = "has" if len(ranked) == 1 or len(models) == 1 else "have"
    said = Markup("{} {} the {} items that a rank needs.").format(have, verb, board.least_items)
    if not ranked:
        return said
    first = ranked[0]
    if first.rank_worst == 1 and len(ranked) > 1:
        second = max(row.score or 0.0 for row in ranked[1:])
        ahead = in_points((first.score or 0.0) - second, 0).removeprefix("+")
        said += Markup(" <b><bdi>{}</bdi></b> leads alone, {} points ahead.").format(first.model, ahead)
    elif len(ranked) == 1:
        said += Markup(" It is <b><bdi>{}</bdi></b>, at {}%").format(first.model, in_percent(first.score))
        near = first.interval is not None and chance is not None and first.interval.lower <= chance
        said += ", which can’t be told from chance." if near else "."
    unsure = sum(row.rank_best != row.rank_worst for row in ranked)
    if unsure:
        those = capitalise(in_words(unsure))
        said += Markup(" {} of them can’t be told apart from a neighbour.").format(those)
    return said


def forest_row(root: str, row: BoardRow, ranked: int, least: int) -> ForestRow:
    best, worst = row.rank_best, row.rank_worst
    score, bounds = in_percent(row.score), interval_words(row.interval)
    return ForestRow(
        model=row.model,
        team=row.team,
        address=at(root, "models", row.team, row.model),
        origin=row.origin,
        rank=rank_words(row),
        cells=rank_cells(best, worst, ranked) if best is not None and worst is not None else Markup(),
        plot=interval_plot("grid", label_of_row(score, bounds), row.score, row.interval, solid=best is not None),
        score=score,
        bounds=bounds,
        items=group_digits(row.items),
        attempts=group_digits(row.attempts),
        unread=f"{in_percent(row.unread_share)}%",
        cost=UNKNOWN if row.cost is None else write_dollars(row.cost),
        note=note_of(row, least),
    )


def rank_words(row: BoardRow) -> str:
    """Return the ranks that a row may have: 4 or 4–5."""
    best, worst = row.rank_best, row.rank_worst
    return UNKNOWN if best is None else str(best) if best == worst else f"{best}–{worst}"


def row_plot(name: str, row: BoardRow, *, solid: bool, radius: float = 6) -> Markup:
    """Return a row's score with its interval over the grid of this name."""
    label = label_of_row(in_percent(row.score), interval_words(row.interval))
    return interval_plot(name, label, row.score, row.interval, solid=solid, radius=radius)


def label_of_row(score: str, bounds: str) -> str:
    """Return what the plot of a row says to who can't see it."""
    return f"{score}%, interval {bounds}"


def note_of(row: BoardRow, least: int) -> str:
    """Return what holds a row up, in words."""
    notes = []
    if row.rank_best is None and row.origin != BASELINE and least:
        notes.append(f"{group_digits(least - row.items)} more items give it a rank")
    if row.unfinished:
        notes.append(
            f"{group_digits(row.unfinished)} fetched and not finished, {group_digits(row.waiting)} behind them"
        )
    return "; ".join(notes)


def published_rows(rows: Sequence[ReferenceRow]) -> tuple[tuple[PublishedRow, ...], str]:
    """Return the rows of published figures, and what holds of most: the pictures and the prompt that they are of."""
    usual = Counter((row.pictures, row.prompt) for row in rows).most_common(1)
    pictures, prompt = usual[0][0] if usual else ("", "")
    note = f"pictures: {pictures}; prompt: {prompt}; no rank, and no interval here" if usual else ""
    return tuple(published_row(row, pictures, prompt) for row in rows), note


def published_row(row: ReferenceRow, pictures: str, prompt: str) -> PublishedRow:
    facets = ", ".join(f"{name} {' or '.join(values)}" for name, values in row.where.items() if name not in PLACES)
    source = row.source if row.pictures == pictures else f"{row.source}; pictures: {row.pictures}"
    return PublishedRow(
        name=f"{row.name}, {facets}" if facets else row.name,
        score=in_percent(row.value),
        plot=None if row.value is None else diamond_plot("grid", f"{in_percent(row.value)}%, published", row.value),
        words=row.words,
        source=source if row.prompt == prompt else f"{source}; prompt: {row.prompt}",
    )


def changes_of(board: Board, ranked: Sequence[BoardRow]) -> tuple[list[Markup], str]:
    """Return a sentence for each of the first neighbours that can't be told apart, and what holds of the others."""
    overlapping = [
        (above, below) for above, below in pairwise(ranked) if (above.rank_worst or 0) >= (below.rank_best or 0)
    ]
    shown = overlapping[:MOST_NEIGHBOURS]
    said = [change_words(above, compare_rows(board, above, below), below) for above, below in shown]
    left = len(overlapping) - len(said)
    if left > 0:
        return said, f"{group_digits(left)} more neighbours can’t be told apart."
    if len(ranked) == 1:
        return said, f"It is alone on the board: any model with {group_digits(board.least_items)} items joins it."
    which = "All other neighbours" if said else "All neighbours"
    return said, f"{which} are apart at 95%, at all times together." if len(ranked) > 1 else ""


def change_words(above: BoardRow, pair: Comparison, below: BoardRow) -> Markup:
    names = Markup("<b><bdi>{}</bdi></b> and <b><bdi>{}</bdi></b>").format(above.model, below.model)
    gap, needed, flips = in_percent(abs(pair.difference)), pair.items_to_part, above.flips_to_swap
    if needed is None or needed > MOST_WORTH_DRAWING:
        apart = "too close for any number of items worth drawing"
    else:
        apart = f"about {group_digits(round_up(needed))} items each would part them, if the gap is real"
    swap = ""
    if flips is not None:
        others = "answer the other way swaps" if flips == 1 else "answers the other way swap"
        swap = f" {capitalise(in_words(flips))} {others} their order."
    return Markup("{}: {} points apart; {}.{}").format(names, gap, apart, swap)


def round_up(count: int) -> int:
    """Return a count to two digits, upwards: more would say what nobody knows."""
    step: int = max(1, 10 ** (len(str(count)) - 2))
    return -(-count // step) * step


def commands_of(asked: Asked, address: str) -> str:
    """Return the commands that open a submission of this very view."""
    card, where = asked.card, asked.where
    track, setting = card.place(None, None)
    options = [f"--track {where.track}"] if where.track != track else []
    options += [f"--setting {where.setting}"] if where.setting != setting else []
    options += [
        f"--parameter {parameter.name}={value_text(where.parameters[parameter.name])}"
        for parameter in card.parameters
        if parameter.ranked and where.parameters[parameter.name] != parameter.default_on(where.track)
    ]
    options += [f"--source {name}" for name in asked.sources]
    if where.conversation != card.conversation(where.setting):
        options.append(f"--conversation {where.conversation}")
    return first_commands(address, card.name, *options)


def first_commands(address: str, benchmark: str, *options: str) -> str:
    """Return the commands that take a team without a key to its first submission."""
    lines = [f"tetrad submit --benchmark {benchmark}", *options, "--model my-model", '--command "python my_model.py"']
    return "\n".join([f"export TETRAD_URL={address}", "tetrad keys new --team my-team", " \\\n  ".join(lines)])


def wheel_line(settings: ApiSettings) -> str:
    """Return the line that installs the client of this instance; pip checks the wheel's SHA-256."""
    wheel = client_wheel().locate(settings)
    return f'pip install "tetrad @ {wheel.url}#sha256={wheel.sha256}"'


def addresses_of(asked: Asked, root: str) -> dict[str, str]:
    query, name = query_of(asked), asked.card.name
    return {
        "self": at(root, "boards", name, query=query),
        "csv": at(root, "boards", name, "csv", query=query),
        "json": at(root, "boards", name, "json", query=query),
        "svg": at(root, "boards", name, "svg", query=[*query, (ALL, "1")] if asked.shows_all else query),
        "pairs": at(root, "v1", "comparisons", name, query=query),
        "api": at(root, "v1", "leaderboards", name, query=query),
    }


HANDLERS = [board_page, board_csv, board_json, board_svg]
