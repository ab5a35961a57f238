"""The puzzles of a benchmark: the explorer of a seed, one item by its address, and play, which keeps nothing."""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from litestar import Request, Response, get
from litestar.concurrency import sync_to_thread
from litestar.di import NamedDependency
from litestar.params import FromPath
from litestar.response import Redirect

from api.boards.queries import value_text
from api.context import AppContext
from api.errors import DomainError, InvalidInputError, NotFoundError
from api.http.guards import CARD_NAMES
from api.http.state import HttpState
from api.inputs import PICTURES_AT_ONCE
from api.pages.boards import Chip
from api.pages.frame import PAGE, Frame, at, page_response, render
from api.pages.practice import (
    TETRAD,
    ItemView,
    Pairs,
    find_answered,
    find_page,
    first_pictures,
    item_view,
    label_of_facet,
    neighbour,
    practice_addresses,
    split_answers,
)
from api.practice.items import read_item_id
from api.practice.queries import whole as whole_number
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.items import DrawIdentity, PracticeItem, PracticePage
from tetrad.internal.practice import ItemSolution, PracticeItemRequest
from tetrad.reporting.pages.pictures import ShownPicture
from tetrad.reporting.pages.words import group_digits
from tetrad.server.problems import ProblemError

CARDS = 12
MORE = 4  # cards below an item
FIRST_SEED = "1"
RANDOM_SEEDS = 10**6
COUNTS = ("right", "of")
MOST_COUNTED = 10**6
MOST_CHIPS = 8  # values of a facet; more stand in a menu
Counts = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, kw_only=True)
class ItemCard:
    """An item of the explorer: the address of its page, its pictures, and its words."""

    address: str
    pictures: tuple[ShownPicture, ...]
    is_tetrad: bool
    words: str


@dataclass(frozen=True, kw_only=True)
class ExplorerView:
    card: Card
    seed: str
    offset: int
    cards: tuple[ItemCard, ...]
    filters: tuple[tuple[str, tuple[Chip, ...]], ...]
    counted: int
    menus: tuple[tuple[str, tuple[tuple[str, str], ...], str], ...]
    kept: tuple[tuple[str, str], ...]
    random_address: str
    play_address: str
    next_address: str
    json_address: str
    command: str


@dataclass(frozen=True, kw_only=True)
class PuzzlePage:
    """An item with what stands around it. `right` of `of` were right so far, in play."""

    card: Card
    item: ItemView
    identity: DrawIdentity
    seed: str
    index: int
    action: str
    kept: tuple[tuple[str, str], ...]
    again_address: str
    next_address: str
    previous_address: str
    link: str
    seed_address: str
    json_address: str
    pictures_address: str
    solution_address: str
    command: str
    more: tuple[ItemCard, ...]
    is_play: bool
    right: int
    of: int


@get("/puzzles/{benchmark:str}", include_in_schema=False, opt=PAGE | CARD_NAMES)
async def explorer_page(
    context: NamedDependency[AppContext],
    http_state: NamedDependency[HttpState],
    request: Request[Any, Any, Any],
    benchmark: FromPath[str],
) -> Response[Any]:
    query = [(name, value) for name, value in request.query_params.multi_items() if value]
    given = dict(query)
    seeded = query if "seed" in given else [*query, ("seed", FIRST_SEED)]
    card, page = await find_page(context, http_state, request, benchmark, [*seeded, ("limit", str(CARDS))])
    root = context.settings.root
    view = explorer_view(root, card, seeded, page)
    others = await sync_to_thread(benchmark_chips, context, benchmark, page.seed)
    view = replace(view, filters=(("Benchmark", others), *view.filters)) if len(others) > 1 else view
    frame = Frame(root=root, title=f"Puzzles of {card.short_title} · Tetrad", tab="puzzles")
    return page_response(request, await sync_to_thread(render, request, "explorer.html", frame, view))


def benchmark_chips(context: AppContext, shown: str, seed: str) -> tuple[Chip, ...]:
    """Return a chip for each benchmark whose items can be shown now, with the same seed."""
    root = context.settings.root
    newest = {info.card.name: info for info in sorted(context.cards.all(), key=lambda info: info.card.version)}
    found = ((info, practice_addresses(root, info, seed=seed)[0]) for _, info in sorted(newest.items()))
    return tuple((info.card.short_title, address, info.card.name == shown) for info, address in found if address)


def explorer_view(root: str, card: Card, query: Pairs, page: PracticePage) -> ExplorerView:
    given, seed, items = dict(query), page.seed, page.items
    offset = int(given.get("offset", "0"))
    kept = [(name, value) for name, value in query if name not in {"seed", "offset", "limit"}]
    at_seed = [*kept, ("seed", seed)]
    following = items[-1].index + 1 if items else offset
    filtered = [name for name in card.filters if name in given]
    return ExplorerView(
        card=card,
        seed=seed,
        offset=offset,
        cards=tuple(item_card(root, card, item, {name: given[name] for name in filtered}) for item in items),
        filters=explorer_filters(root, card, query, page.counts),
        counted=page.counted if page.counts else 0,
        menus=tuple(
            (name, tuple(counted_values(card, name, values, page.counts, given.get(name))), given.get(name, ""))
            for name, values in card.filters.items()
            if len(values) > MOST_CHIPS
        ),
        kept=tuple((name, value) for name, value in kept if len(card.filters.get(name, ())) <= MOST_CHIPS),
        random_address=at(root, "puzzles", card.name, query=[*kept, ("seed", str(secrets.randbelow(RANDOM_SEEDS)))]),
        play_address=at(root, "play", card.name, query=at_seed),
        next_address=at(root, "puzzles", card.name, query=[*at_seed, ("offset", str(following))]) if page.next else "",
        json_address=at(root, "v1", "benchmarks", card.name, "items", query=[*at_seed, ("offset", offset)]),
        command=command_of(card, at_seed, CARDS),
    )


def explorer_filters(root: str, card: Card, query: Pairs, counts: Counts) -> tuple[tuple[str, tuple[Chip, ...]], ...]:
    """Return the rows of chips: tracks, settings of the track, and the facets that items can be filtered by."""
    given = dict(query)
    track, setting = card.place(given.get("track"), given.get("setting"))

    def chips(name: str, values: Sequence[tuple[str, str]], shown: str) -> tuple[Chip, ...]:
        dropped = {name, "offset", *({"setting", *card.filters} if name == "track" else ())}
        rest = [pair for pair in query if pair[0] not in dropped]
        return tuple(
            (words, at(root, "puzzles", card.name, query=[*rest, *([(name, value)] if value else [])]), value == shown)
            for words, value in values
        )

    settings = next((known.settings for known in card.tracks if known.name == track), ())
    rows = [("Track", chips("track", [(known.name, known.name) for known in card.tracks], track))]
    rows.append(("Setting", chips("setting", [(name, name) for name in settings], setting)))
    for name, values in card.filters.items():
        if len(values) > MOST_CHIPS:
            continue
        choices = [(words, value) for value, words in counted_values(card, name, values, counts, given.get(name))]
        if len(choices) > 1 or name in given:  # what all items are says nothing
            rows.append((label_of_facet(name), chips(name, [("anything", ""), *choices], given.get(name, ""))))
    return tuple((label, entries) for label, entries in rows if len(entries) > 1)


def counted_values(
    card: Card, name: str, values: Sequence[str], counts: Counts, chosen: str | None
) -> Iterator[tuple[str, str]]:
    """Yield values of a filter with their words and how many items of a block have them.

    Those that no item has are left out. A generator of an earlier release counts nothing.
    """
    for value in values:
        words = card.value_words.get(value, value)
        if name not in counts:
            yield value, words
        elif counts[name].get(value) or value == chosen:
            yield value, f"{words} ({group_digits(counts[name].get(value, 0))})"


def item_card(root: str, card: Card, item: PracticeItem, filtered: dict[str, str]) -> ItemCard:
    """Return a card. It says no facet that was not asked for: some are the answer to a question."""
    pictures = first_pictures(root, item.id, item.questions[-1])
    return ItemCard(
        address=at(root, "puzzles", card.name, item.id),
        pictures=pictures,
        is_tetrad=len(pictures) == TETRAD,
        words=" · ".join([f"item {item.index}", *(card.value_words.get(value, value) for value in filtered.values())]),
    )


def command_of(card: Card, query: Pairs, count: int) -> str:
    """Return the command that makes the same items on any machine."""
    options = " ".join(f"--{name} {value}" for name, value in query if name in {"track", "setting", "seed"})
    return f"tetrad items {card.name} {options} --count {count}"


@get("/puzzles/{benchmark:str}/{item:str}", include_in_schema=False, opt=PAGE | CARD_NAMES)
async def puzzle_page(
    context: NamedDependency[AppContext],
    http_state: NamedDependency[HttpState],
    request: Request[Any, Any, Any],
    benchmark: FromPath[str],
    item: FromPath[str],
) -> Response[Any]:
    """Show one item for ever under one address; the answers given to it stand in the query."""
    answers, rest = split_answers(list(request.query_params.multi_items()))
    if rest:
        raise InvalidInputError.at(rest[0][0], rest[0][1], "is no query name here", "leave it out")
    if read_item_id(item).identity.benchmark != benchmark:
        raise NotFoundError(f"this is no item of {benchmark[:80]!r}")
    asked, whole, feedback = await find_answered(context, http_state, request, item, answers)
    card = (await sync_to_thread(context.cards.get, benchmark, asked.identity.version)).card
    root = context.settings.root
    here, api = at(root, "puzzles", benchmark, item), at(root, "v1", "items", item)
    shown = item_view(card, whole, feedback, answers, address=api)
    view = PuzzlePage(
        card=card,
        item=shown,
        identity=asked.identity,
        seed=asked.seed,
        index=asked.index,
        action=here,
        kept=(),
        again_address=here,
        next_address=neighbour(root, benchmark, asked, asked.index + 1),
        previous_address=neighbour(root, benchmark, asked, asked.index - 1),
        link=here,
        seed_address=at(root, "puzzles", benchmark, query=place_of(asked.identity, asked.seed)),
        json_address=api,
        pictures_address=pictures_address(api, whole),
        solution_address=f"{api}/solution",
        command=command_of(card, place_of(asked.identity, asked.seed), asked.index + 1),
        more=await find_more(context, http_state, request, asked) if shown.is_over else (),
        is_play=False,
        right=0,
        of=0,
    )
    return await show_puzzle(request, root, view)


async def find_more(
    context: AppContext, http_state: HttpState, request: Request[Any, Any, Any], asked: PracticeItemRequest
) -> tuple[ItemCard, ...]:
    """Return cards of the items after this one, of the same draw; none where they can't be had."""
    identity = asked.identity
    parameters = [(name, value_text(value)) for name, value in identity.parameters.items()]
    place = [*place_of(identity, asked.seed), ("version", str(identity.version)), *parameters]
    query = [*place, ("offset", str(asked.index + 1)), ("limit", str(MORE))]
    try:
        card, page = await find_page(context, http_state, request, identity.benchmark, query)
    except (DomainError, ProblemError):
        return ()
    root = context.settings.root
    return tuple(item_card(root, card, item, {}) for item in page.items if item.identity == identity)


def pictures_address(api: str, item: ItemSolution) -> str:
    """Return the address of an item's pictures as one ZIP, of as many as one request gives."""
    names = dict.fromkeys(picture.name for question in item.questions for picture in question.pictures)
    query = {"pictures": ",".join([*names][:PICTURES_AT_ONCE]), "format": "zip"}
    return f"{api}/images?{urlencode(query)}" if names else ""


def place_of(identity: DrawIdentity, seed: str) -> Pairs:
    return [("track", identity.track), ("setting", identity.setting), ("seed", seed)]


async def show_puzzle(request: Request[Any, Any, Any], root: str, view: PuzzlePage) -> Response[Any]:
    title = f"{view.card.short_title}, seed {view.seed[:16]}, item {view.index} · Tetrad"
    frame = Frame(root=root, title=title, tab="puzzles", scripts=("play.js",))
    return page_response(request, await sync_to_thread(render, request, "puzzle.html", frame, view))


@get("/play/{benchmark:str}", include_in_schema=False, opt=PAGE | CARD_NAMES)
async def play_page(
    context: NamedDependency[AppContext],
    http_state: NamedDependency[HttpState],
    request: Request[Any, Any, Any],
    benchmark: FromPath[str],
) -> Response[Any]:
    """Play a seed item after item. The address has the seed, the place and the count; nothing is kept."""
    answers, rest = split_answers([pair for pair in request.query_params.multi_items() if pair[1]])
    root = context.settings.root
    if "seed" not in dict(rest):
        seed = str(secrets.randbelow(RANDOM_SEEDS))
        return Redirect(at(root, "play", benchmark, query=[*rest, ("seed", seed)]), status_code=303)
    counts = {name: whole_number(name, dict(rest).get(name, "0"), 0, MOST_COUNTED) for name in COUNTS}
    query = [pair for pair in rest if pair[0] not in COUNTS]
    card, page = await find_page(context, http_state, request, benchmark, [*query, ("limit", "1")])
    if not page.items:
        raise NotFoundError("this seed has no further item of this kind; choose another seed")
    drawn = page.items[0]
    _, whole, feedback = await find_answered(context, http_state, request, drawn.id, answers)
    api = at(root, "v1", "items", drawn.id)
    item = item_view(card, whole, feedback, answers, address=api)
    kept = [pair for pair in query if pair[0] != "offset"]
    here = [*kept, ("offset", str(drawn.index)), *((name, str(count)) for name, count in counts.items())]
    right, of = counts["right"] + (item.is_over and item.is_right), counts["of"] + item.is_over
    after = [*kept, ("offset", str(drawn.index + 1)), ("right", str(right)), ("of", str(of))]
    before = [*kept, ("offset", str(drawn.index - 1))]
    view = PuzzlePage(
        card=card,
        item=item,
        identity=drawn.identity,
        seed=page.seed,
        index=drawn.index,
        action=at(root, "play", benchmark),
        kept=tuple(here),
        again_address=at(root, "play", benchmark, query=here),
        next_address=at(root, "play", benchmark, query=after),
        previous_address=at(root, "play", benchmark, query=before) if drawn.index else "",
        link=at(root, "puzzles", benchmark, drawn.id),
        seed_address=at(root, "puzzles", benchmark, query=kept),
        json_address=api,
        pictures_address=pictures_address(api, whole),
        solution_address=f"{api}/solution",
        command=command_of(card, place_of(drawn.identity, page.seed), drawn.index + 1),
        more=(),
        is_play=True,
        right=right,
        of=of,
    )
    return await show_puzzle(request, root, view)


HANDLERS = [explorer_page, puzzle_page, play_page]
