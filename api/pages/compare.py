"""The page that compares two scored submissions: the verdict, by how much, where, and whether it could tell."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from litestar import Request, Response, get
from litestar.concurrency import sync_to_thread
from litestar.di import NamedDependency
from litestar.params import QueryParameter
from markupsafe import Markup

from api.context import AppContext
from api.database.schema import submissions
from api.errors import DomainError
from api.evaluations.comparing import compare, compare_with_all, find_comparable, ranked_of, scored_report
from api.http.state import HttpState
from api.pages.frame import PAGE, Frame, at, page_response, render
from api.pages.practice import first_pictures
from api.pages.reports import board_address, find_own_board, make_again
from api.submissions.finding import SubmissionRow, find_readable, list_scored, show
from api.submissions.revealing import parse_report, report_body
from api.teams.access import Caller
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.evaluations import Comparison
from tetrad.contracts.leaderboards import Board
from tetrad.contracts.reports import MetricValue, Report
from tetrad.contracts.submissions import RevealedItem, Submission
from tetrad.reporting.pages.charts import difference_plot, grid, scale, two_dots
from tetrad.reporting.pages.pictures import ShownPicture
from tetrad.reporting.pages.words import (
    count_noun,
    group_digits,
    in_percent,
    in_points,
    p_words,
)
from tetrad.server.problems import ProblemError

LEVEL = 0.05
MOST_CHOICES = 200
MOST_ITEMS = 8
LEAST_REACH = 0.5  # of the difference bars of a board
Id = Annotated[str, QueryParameter(max_length=64)]


@dataclass(frozen=True, kw_only=True)
class Side:
    """A submission in the form: its id, and its name with its score."""

    id: str
    name: str


@dataclass(frozen=True, kw_only=True)
class GroupPair:
    label: str
    plot: Markup
    first: str
    second: str
    difference: str


@dataclass(frozen=True, kw_only=True)
class DifferingItem:
    address: str
    pictures: tuple[ShownPicture, ...]
    words: str


@dataclass(frozen=True, kw_only=True)
class Against:
    """Another row of the board beside that of a: by how much it is better, and the verdict by the corrected p."""

    model: str
    team: str
    address: str
    plot: Markup
    points: str
    verdict: str
    p: str
    disagrees: bool


@dataclass(frozen=True, kw_only=True)
class ComparisonView:
    """All of a comparison. `table` are the trials right by both, by a alone, by b alone, by neither."""

    pair: Comparison
    a: Side
    b: Side
    title: str
    lede: Markup
    bar: Markup
    reach: str
    grid: Markup
    scale: Markup
    groups: tuple[GroupPair, ...]
    table: tuple[int, int, int, int] | None
    chance_words: str
    items: tuple[DifferingItem, ...]
    items_total: int
    against: tuple[Against, ...]
    against_reach: str
    against_name: str
    could: str
    swap_address: str
    json_address: str
    board_address: str
    benchmark: str


@dataclass(frozen=True, kw_only=True)
class ComparePage:
    """The form, and the comparison where two submissions are named."""

    comparison: ComparisonView | None
    choices: tuple[Side, ...]
    a: str
    b: str


@get("/compare", include_in_schema=False, opt=PAGE)
async def compare_page(
    *,
    context: NamedDependency[AppContext],
    http_state: NamedDependency[HttpState],
    caller: NamedDependency[Caller | None],
    request: Request[Any, Any, Any],
    a: Id = "",
    b: Id = "",
) -> Response[Any]:
    """Compare b with a, as `GET /v1/comparisons` does; without both, show the form."""
    root = context.settings.root
    view = ComparePage(comparison=None, choices=(), a=a, b=b)
    title = "Compare"
    if a and b:
        made = await compare_two(context, http_state, caller, request, (a, b))
        view, title = made, made.comparison.title if made.comparison else title
    elif a:
        row = await sync_to_thread(find_readable, context.engine, caller, a)
        choices = await sync_to_thread(choices_beside, context, caller, row)
        view = ComparePage(comparison=None, choices=choices, a=a, b=b)
    frame = Frame(root=root, title=f"{title} · Tetrad", tab="compare")
    return page_response(request, await sync_to_thread(render, request, "compare.html", frame, view))


def choices_beside(context: AppContext, caller: Caller | None, row: SubmissionRow) -> tuple[Side, ...]:
    """Return the submissions of the same board that a submission can be compared with."""
    rows = list_scored(context.engine, caller, submissions.c.board == row.board, most=MOST_CHOICES)
    return tuple(side_of(show(context.settings, found)) for found in rows)


def side_of(submission: Submission) -> Side:
    value = None if submission.headline is None else submission.headline.value
    return Side(id=submission.id, name=f"{submission.model}, {submission.opened_at[:10]} ({in_percent(value)}%)")


async def compare_two(
    context: AppContext,
    http_state: HttpState,
    caller: Caller | None,
    request: Request[Any, Any, Any],
    named: tuple[str, str],
) -> ComparePage:
    def read() -> tuple[Any, ...]:
        rows = find_comparable(context, caller, *named)
        reports = [parse_report(report_body(context.engine, context.store, row)) for row in rows]
        cards = [context.cards.get(report.identity.benchmark, report.identity.version).card for report in reports]
        scored = [scored_report(*known) for known in zip(named, reports, cards, strict=True)]
        board = find_own_board(context, rows[0], cards[0])
        return rows, reports, cards[0], board, scored, choices_beside(context, caller, rows[0])

    rows, reports, card, board, scored, choices = await sync_to_thread(read)
    pair, scores = compare(*scored), [known.scores or {} for known in scored]
    shown = [show(context.settings, row) for row in rows]
    root = context.settings.root
    differing = [int(item) for item, score in scores[0].items() if item in scores[1] and score < scores[1][item]]
    items: list[RevealedItem] = []
    if pair.pairing == "paired" and differing and not reports[0].aggregates_only:
        try:
            wanted = differing[:MOST_ITEMS]
            items = await make_again(context, http_state, request, caller, rows[1], reports[1], wanted)
        except (DomainError, ProblemError):
            items = []
    view = comparison_view(root, pair, shown, reports, card, board, items, len(differing))
    return ComparePage(comparison=view, choices=choices, a=named[0], b=named[1])


def comparison_view(  # noqa: PLR0917 - what one look has read
    root: str,
    pair: Comparison,
    shown: Sequence[Submission],
    reports: Sequence[Report],
    card: Card,
    board: Board | None,
    items: Sequence[RevealedItem],
    differing: int,
) -> ComparisonView:
    first, second = shown
    names = (
        (first.model, second.model) if first.model != second.model else (f"{first.model} (a)", f"{second.model} (b)")
    )
    reach = max(0.1, min(1.0, 1.15 * max(abs(pair.interval.lower), abs(pair.interval.upper))))
    chance = reports[0].headline.uniform_chance
    benchmark = first.identity.benchmark
    against, against_reach = against_rows(root, board, first)
    return ComparisonView(
        pair=pair,
        a=side_of(first),
        b=side_of(second),
        title=verdict_title(pair, names),
        lede=lede_of(pair),
        bar=pair_plot(pair, pair.margin or 0.0, reach),
        reach=in_points(reach, 0),
        grid=grid("grid", chance),
        scale=scale(chance),
        groups=tuple(group_pairs(reports, card)),
        table=table_of(pair),
        chance_words=chance_words(pair),
        items=tuple(differing_item(root, benchmark, item) for item in items),
        items_total=differing,
        against=against,
        against_reach=against_reach,
        against_name=first.model,
        could=could_words(pair),
        swap_address=at(root, "compare", query={"a": second.id, "b": first.id}),
        json_address=at(root, "v1", "comparisons", query={"a": first.id, "b": second.id}),
        board_address=board_address(root, first, card) or at(root, "boards", benchmark),
        benchmark=card.short_title,
    )


def pair_plot(pair: Comparison, margin: float, reach: float) -> Markup:
    """Return a difference with its interval, on a scale that ends at `reach`, with a band of this margin."""
    low, high = pair.interval.lower, pair.interval.upper
    label = f"{in_points(pair.difference)} points, interval {in_points(low)} to {in_points(high)}"
    return difference_plot(label, pair.difference, (low, high), margin, reach)


def verdict_title(pair: Comparison, names: tuple[str, str]) -> str:
    """Return the verdict, which follows p."""
    first, second = names
    if pair.p_value is None or pair.p_value >= LEVEL:
        return f"{second} can’t be told from {first}"
    return f"{second} is {'better' if pair.difference > 0 else 'worse'} than {first}"


def size_words(pair: Comparison) -> tuple[str, str, str]:
    """Return the difference and the ends of its interval, without signs where the title says which is worse."""
    ends = pair.interval.lower, pair.interval.upper
    if pair.p_value is None or pair.p_value >= LEVEL or min(ends) <= 0 <= max(ends):
        return in_points(pair.difference), in_points(ends[0]), in_points(ends[1])
    least, most = sorted(map(abs, ends))
    return in_percent(abs(pair.difference)), in_percent(least), in_percent(most)


def lede_of(pair: Comparison) -> Markup:
    """Return the difference, its interval, and whether trials are paired; and where p and the interval disagree."""
    low, high = pair.interval.lower, pair.interval.upper
    size, least, most = size_words(pair)
    points = Markup("By <b>{} points</b>: {:.0%} interval {} to {}. ").format(size, pair.interval.level, least, most)
    paired = (
        "Both answered the same sealed draw, so trials are paired."
        if pair.pairing == "paired"
        else "They answered different draws, so nothing is paired; on one draw far fewer items would tell as much."
    )
    disagrees = (pair.p_value is not None and pair.p_value < LEVEL) != (low > 0 or high < 0)
    if not disagrees:
        return points + paired
    note = f" The verdict follows p ({p_words(pair.p_value)}); the interval of this pair says otherwise."
    return points + paired + note


def group_pairs(reports: Sequence[Report], card: Card) -> Iterator[GroupPair]:
    """Yield the headline by its groups, of both."""
    second = {tuple(value.facets.items()): value for value in headline_groups(reports[1])}
    for value in headline_groups(reports[0]):
        other = second.get(tuple(value.facets.items()))
        if other is None or value.value is None or other.value is None:
            continue
        label = ", ".join(card.value_words.get(facet, facet) for facet in value.facets.values())
        shares = in_percent(value.value, 0), in_percent(other.value, 0)
        yield GroupPair(
            label=label,
            plot=two_dots("grid", f"a {shares[0]}%, b {shares[1]}%", value.value, other.value),
            first=shares[0],
            second=shares[1],
            difference=in_points(other.value - value.value, 0),
        )


def headline_groups(report: Report) -> list[MetricValue]:
    return [value for value in report.metrics if value.name == report.headline.name and value.facets]


def table_of(pair: Comparison) -> tuple[int, int, int, int] | None:
    """Return the trials right by both, by a alone, by b alone and by neither; None where trials are no verdicts."""
    if pair.mcnemar is None:
        return None
    both = round(pair.score_a * pair.items_a) - pair.mcnemar.only_a
    neither = pair.items_a - both - pair.mcnemar.only_a - pair.mcnemar.only_b
    return both, pair.mcnemar.only_a, pair.mcnemar.only_b, neither


def chance_words(pair: Comparison) -> str:
    if pair.mcnemar is None:
        return ""
    only_a, only_b = pair.mcnemar.only_a, pair.mcnemar.only_b
    told = count_noun(only_a + only_b, "trial")
    return (
        f"Only the {told} on which they differ tell. If the two were equal, a split as uneven as "
        f"{group_digits(only_a)} to {group_digits(only_b)} has a probability of {p_words(pair.mcnemar.p_value)} "
        "(exact test)."
    )


def differing_item(root: str, benchmark: str, item: RevealedItem) -> DifferingItem:
    question = item.questions[-1]
    return DifferingItem(
        address=at(root, "puzzles", benchmark, item.practice_id),
        pictures=first_pictures(root, item.practice_id, question.question),
        words=f"item {item.item} · key ({question.key.label})",
    )


def against_rows(root: str, board: Board | None, submission: Submission) -> tuple[tuple[Against, ...], str]:
    """Return the other ranked rows of the board beside the one that the submission is pooled in.

    The second value is where the scale of their bars ends, in points.
    """
    named = {} if board is None else {(row.team, row.model): row for row in ranked_of(board)}
    own = named.get((submission.team, submission.model))
    if board is None or own is None:
        return (), ""
    rows = {f"{team}/{model}": (team, model) for team, model in named}
    pairs = compare_with_all(board, own)
    reach = reach_of(pairs)
    return tuple(against(root, pair, *rows[pair.b], reach) for pair in pairs), in_points(reach, 0)


def reach_of(pairs: Sequence[Comparison]) -> float:
    """Return where the scale of these differences ends: at 50 points, or beyond all intervals at the next ten."""
    farthest = max((abs(end) for pair in pairs for end in (pair.interval.lower, pair.interval.upper)), default=0.0)
    return max(LEAST_REACH, math.ceil(10 * farthest) / 10)


def against(root: str, pair: Comparison, team: str, model: str, reach: float) -> Against:
    low, high = pair.interval.lower, pair.interval.upper
    tells = pair.adjusted_p_value is not None and pair.adjusted_p_value < LEVEL
    return Against(
        model=model,
        team=team,
        address=at(root, "models", team, model),
        plot=pair_plot(pair, 0.0, reach),
        points=in_points(pair.difference),
        verdict=("better" if pair.difference > 0 else "worse") if tells else "can’t tell",
        p=p_words(pair.adjusted_p_value),
        disagrees=tells != (low > 0 or high < 0),
    )


def could_words(pair: Comparison) -> str:
    """Return the least difference that shows, and how many items would tell the margin."""
    unit = "pair" if pair.pairing == "paired" else "item"
    said = [f"{count_noun(pair.items_a, unit)} of a and {group_digits(pair.items_b)} of b were compared."]
    if pair.least_detectable is not None:
        said.append(f"The least difference that so many show is {in_percent(pair.least_detectable)} points.")
    margin = in_percent(pair.margin or 0.0, 0)
    if pair.pairing == "paired" and pair.items_needed is not None:
        said.append(f"To tell {margin} points, {count_noun(pair.items_needed, 'pair')} would be needed.")
    elif pair.items_of_each is not None:
        said.append(f"To tell {margin} points, {count_noun(pair.items_of_each, 'item')} of each would be needed.")
    return " ".join(said)


HANDLERS = [compare_page]
