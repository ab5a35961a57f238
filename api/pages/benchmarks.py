"""The page of a benchmark: what it asks, with an item of each track, what chance and ceilings are, and its paper."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from litestar import Request, Response, get
from litestar.concurrency import sync_to_thread
from litestar.di import NamedDependency
from litestar.params import FromPath
from markupsafe import Markup

from api.context import AppContext
from api.errors import DomainError
from api.http.state import HttpState
from api.pages.boards import chance_of, default_board_of, list_overall, wheel_line
from api.pages.frame import PAGE, Frame, at, page_response, render
from api.pages.practice import (
    NOT_SHOWN,
    ShownOption,
    find_page,
    find_solved,
    practice_addresses,
)
from api.practice.items import with_addresses
from tetrad.contracts.benchmarks import BenchmarkInfo, Card, Ceiling, Credit, ReferenceRow, Track
from tetrad.contracts.items import ChoiceKey
from tetrad.contracts.metrics import Metric
from tetrad.reporting.pages.charts import ceiling_plot, grid, scale, stacked_bar
from tetrad.reporting.pages.pictures import ShownPicture, about_pictures, shown_picture, usual_size
from tetrad.reporting.pages.words import in_percent
from tetrad.server.problems import ProblemError

SEED = "1"
OPTIONS_ONLY = "options-only"
YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, kw_only=True)
class TrackView:
    """A track with one of its items: what it is about, and each option under what it stands for."""

    track: Track
    pictures: tuple[ShownPicture, ...]
    options: tuple[ShownOption, ...]
    address: str
    lacking: str


@dataclass(frozen=True, kw_only=True)
class CeilingRow:
    solver: str
    where: str
    bar: Markup
    value: str
    why: str


@dataclass(frozen=True, kw_only=True)
class FacetRow:
    """A value of the headline's first facet: the ceiling of who sees the options alone, and the best published model.

    Figures are in percent, "–" where there is none.
    """

    label: str
    plot: Markup
    ceiling: str
    published: str
    name: str


@dataclass(frozen=True, kw_only=True)
class BenchmarkView:
    info: BenchmarkInfo
    card: Card
    tracks: tuple[TrackView, ...]
    chance: tuple[tuple[str, str, str, str], ...]
    facet: str
    by_facet: tuple[FacetRow, ...]
    grid: Markup
    scale: Markup
    ceilings: tuple[CeilingRow, ...]
    people: tuple[ReferenceRow, ...]
    published: str
    metrics: tuple[tuple[Metric, bool], ...]
    bibtex: str
    commands: str
    wheel: str
    json_address: str
    puzzles: str
    play: str


@get("/benchmarks/{benchmark:str}", include_in_schema=False, opt=PAGE)
async def benchmark_page(
    context: NamedDependency[AppContext],
    http_state: NamedDependency[HttpState],
    request: Request[Any, Any, Any],
    benchmark: FromPath[str],
) -> Response[Any]:
    info = await sync_to_thread(context.cards.get, benchmark)
    card, root = info.card, context.settings.root
    puzzles, play = practice_addresses(root, info)
    tracks = [await track_view(context, http_state, request, info, track) for track in card.tracks]
    board = await sync_to_thread(default_board_of, context, info)
    chance = chance_of(card, board)
    view = BenchmarkView(
        info=info,
        card=card,
        tracks=tuple(tracks),
        chance=tuple(chance_rows(card)),
        facet=first_facet(card),
        by_facet=tuple(facet_rows(card)),
        grid=grid("grid", chance),
        scale=scale(chance),
        ceilings=tuple(ceiling_rows(card)),
        people=tuple(row for row in list_overall(board) if row.kind == "human"),
        published=published_words(list_overall(board)),
        metrics=tuple((metric, metric.name == card.headline.metric) for metric in card.metrics),
        bibtex=write_bibtex(card.name, card.credit),
        commands=f"tetrad items {card.name} --seed 1 --count 100 --out puzzles",
        wheel=wheel_line(context.settings),
        json_address=at(root, "v1", "benchmarks", card.name),
        puzzles=puzzles,
        play=play,
    )
    frame = Frame(root=root, title=f"{card.title} · Tetrad", tab="benchmarks")
    return page_response(request, await sync_to_thread(render, request, "benchmark.html", frame, view))


async def track_view(
    context: AppContext, http_state: HttpState, request: Request[Any, Any, Any], info: BenchmarkInfo, track: Track
) -> TrackView:
    """Return a track with an item of it; without one where it can't be made just now, or may not be shown."""
    nothing: dict[str, Any] = {"track": track, "pictures": (), "options": (), "address": ""}
    if info.card.corpus is not None:
        return TrackView(**nothing, lacking=NOT_SHOWN)
    query = [("track", track.name), ("seed", SEED), ("limit", "1")]
    try:
        _, page = await find_page(context, http_state, request, info.card.name, query)
        drawn = page.items[0]
        whole = await find_solved(context, http_state, request, drawn.id)
    except (DomainError, ProblemError) as error:
        return TrackView(**nothing, lacking=info.lacking.get(track.name) or str(error))
    root = context.settings.root
    question = with_addresses(whole.questions[-1], at(root, "v1", "items", drawn.id))
    key = whole.keys[question.id]
    pictures = {picture.name: picture for picture in question.pictures}
    size = usual_size([question])
    outcomes: Mapping[str, str] = key.outcomes if isinstance(key, ChoiceKey) else {}
    options = tuple(
        ShownOption(
            label=option.label,
            text=option.text or "",
            picture=shown_picture(pictures[option.picture], size),
            state="right" if option.label == key.label else "",
            words="the right one" if option.label == key.label else outcomes.get(option.label, ""),
        )
        for option in question.options
        if option.picture in pictures
    )
    shown = tuple(shown_picture(picture, size) for picture in about_pictures(question))
    return TrackView(
        track=track, pictures=shown, options=options, address=at(root, "puzzles", info.card.name, drawn.id), lacking=""
    )


def published_words(rows: Sequence[ReferenceRow]) -> str:
    """Return what people and the best model reached, as published; "" where no figure is about all questions."""
    known = sorted((row for row in rows if row.value is not None), key=lambda row: -(row.value or 0.0))
    words = {"human": "people", "model": "the best model"}
    best = {kind: next((row for row in known if row.kind == kind), None) for kind in words}
    said = [f"{words[kind]} ({row.name}) {in_percent(row.value)}%" for kind, row in best.items() if row is not None]
    return f"Published, on other pictures: {', '.join(said)}." if said else ""


def chance_rows(card: Card) -> Iterator[tuple[str, str, str, str]]:
    """Yield each level of chance: where it holds, what guessing gives, what the paper states, and its source."""
    for level in card.chance:
        yield where_words(level.where), in_percent(level.uniform), in_percent(level.stated), level.source


def where_words(where: Mapping[str, tuple[str, ...]]) -> str:
    return "; ".join(f"{name} {', '.join(values)}" for name, values in where.items()) or "everywhere"


def first_facet(card: Card) -> str:
    """Return the facet by which the headline is split first; "" without one."""
    metric = card.find_metric(card.headline.metric)
    return "" if metric is None or not metric.by else metric.by[0]


def facet_rows(card: Card) -> Iterator[FacetRow]:
    """Yield each value of the headline's first facet that a ceiling or a published figure of a model is about.

    They are those of the board that opens first: of its track and setting, under the defaults of parameters.
    """
    facet = first_facet(card)
    if not facet:
        return
    track, setting = card.place(None, None)
    metric = card.find_metric(card.headline.metric)
    wanted = {"track": track, "setting": setting, "told": "nothing"}
    wanted |= {name: values[0] for name, values in getattr(metric, "where", {}).items()}
    defaults = {parameter.name: parameter.default for parameter in card.parameters}
    ceilings = [
        ceiling
        for ceiling in card.ceilings
        if ceiling.solver == OPTIONS_ONLY
        and ceiling.track in {None, track}
        and all(defaults.get(name) == value for name, value in ceiling.parameters.items())
    ]
    published = [
        row for row in card.reference if row.kind == "model" and row.metric == card.headline.metric and row.value
    ]
    places = [row.where for row in published] + [ceiling.where for ceiling in ceilings]
    for value in dict.fromkeys(value for where in places for value in where.get(facet, ())):
        known = wanted | {facet: value}
        limits = [ceiling.value for ceiling in ceilings if facet in ceiling.where and is_about(ceiling.where, known)]
        best = max(
            (row for row in published if facet in row.where and is_about(row.where, known)),
            key=lambda row: row.value or 0.0,
            default=None,
        )
        if limits or best:
            yield facet_row(card.value_words.get(value, value), max(limits, default=None), best)


def is_about(where: Mapping[str, tuple[str, ...]], known: Mapping[str, str]) -> bool:
    """Tell whether a figure is about questions with these facets, as far as both name them."""
    return all(known.get(name, values[0]) in values for name, values in where.items())


def facet_row(label: str, ceiling: float | None, best: ReferenceRow | None) -> FacetRow:
    figure = None if best is None else best.value
    limit, published = in_percent(ceiling), in_percent(figure)
    also = [] if best is None or figure is None else [(figure, f"{best.name}: {published}%")]
    said = f"ceiling of the options alone {limit}%, published {published}%"
    plot = ceiling_plot("grid", said, ceiling, also)
    return FacetRow(label=label, plot=plot, ceiling=limit, published=published, name="" if best is None else best.name)


def ceiling_rows(card: Card) -> Iterator[CeilingRow]:
    """Yield the ceilings under the defaults of parameters."""
    defaults = {parameter.name: parameter.default for parameter in card.parameters}
    for ceiling in card.ceilings:
        if all(defaults.get(name) == value for name, value in ceiling.parameters.items()):
            yield ceiling_row(ceiling)


def ceiling_row(ceiling: Ceiling) -> CeilingRow:
    value = in_percent(ceiling.value)
    place = where_words(ceiling.where)
    return CeilingRow(
        solver=ceiling.solver,
        where=place
        if ceiling.track is None
        else f"track {ceiling.track}" + ("" if place == "everywhere" else f"; {place}"),
        bar=stacked_bar(f"{value}%", (("b-c", ceiling.value),)),
        value=value,
        why=ceiling.why,
    )


def write_bibtex(name: str, credit: Credit) -> str:
    """Return an entry for the paper, from what the card says of it."""
    found = YEAR.search(credit.venue)
    year = "" if found is None else found[0]
    authors = credit.authors.replace(" et al.", ", others")
    listed = " and ".join(author.strip() for author in authors.split(",") if author.strip())
    surname = re.sub(r"\W", "", credit.authors.split(",")[0].removesuffix(" et al.").split()[-1]).lower()
    venue = YEAR.sub("", credit.venue).strip(" ,")
    fields = {"title": credit.title, "author": listed, "booktitle": venue, "year": year, "url": credit.url}
    lines = [f"  {field} = {{{value}}}," for field, value in fields.items() if value]
    return "\n".join([f"@inproceedings{{{surname}{year}{name},", *lines, "}"])


HANDLERS = [benchmark_page]
