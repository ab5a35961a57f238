"""The page of a report: headline, where trials got lost, groups, mistakes, wrong answers with pictures, the proof."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from litestar import Request, Response, get
from litestar.concurrency import sync_to_thread
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter

from api.boards.board_key import ranked_parameters
from api.boards.leaderboards import ORIGINS
from api.boards.queries import BoardQuery, value_text
from api.context import AppContext
from api.errors import DomainError
from api.http.practice_room import track_of
from api.http.state import HttpState
from api.pages.boards import Chip, rank_words
from api.pages.frame import PAGE, Frame, at, chosen_only, page_response, render
from api.submissions.finding import find_readable, identity_of, show
from api.submissions.revealing import parse_report, report_body, revealed_items
from api.teams.access import Caller
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.items import DrawIdentity
from tetrad.contracts.leaderboards import Board
from tetrad.contracts.reports import QuestionResult, Report
from tetrad.contracts.submissions import RevealedItem, Submission
from tetrad.reporting.pages.report import (
    MISTAKE,
    ReportView,
    WrongAnswer,
    kind_of,
    report_view,
    stops_of,
    wrong_answers,
)
from tetrad.reporting.pages.words import capitalise, interval_words
from tetrad.server.problems import ProblemError

PAGE_SIZE = 20
LARGEST_PAGE = 2**31 - 1
Named = Annotated[str, QueryParameter(max_length=200)]


@dataclass(frozen=True, kw_only=True)
class WrongPage:
    """A page of wrong answers with its filters. `reason` says why there are none to show."""

    answers: tuple[WrongAnswer, ...]
    filters: tuple[tuple[str, tuple[Chip, ...]], ...]
    total: int
    next_address: str
    previous_address: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class ReportPage:
    """A report with what stands around it. `place` is the row of the board that it is pooled in, in words."""

    report: ReportView
    submission: Submission
    origin: str
    board_address: str
    place: str
    addresses: Mapping[str, str]
    command: str
    wrong: WrongPage


@dataclass(frozen=True, kw_only=True)
class Filters:
    """A choice among the wrong answers; "" stands for all. `group` is a value of the headline's first facet."""

    stage: str
    group: str
    verdict: str
    mistake: str
    facet: str
    page: int

    def matches(self, result: QuestionResult) -> bool:
        return (
            result.verdict != "correct"
            and self.stage in {"", kind_of(result.question)}
            and self.group in {"", result.facets.get(self.facet, "")}
            and self.verdict in {"", result.verdict}
            and self.mistake in {"", result.outcome.get(MISTAKE, "")}
        )


@get("/submissions/{submission:str}", include_in_schema=False, opt=PAGE)
async def report_page(
    *,
    context: NamedDependency[AppContext],
    http_state: NamedDependency[HttpState],
    caller: NamedDependency[Caller | None],
    request: Request[Any, Any, Any],
    submission: FromPath[str],
    revision: Annotated[int | None, QueryParameter(ge=1, le=LARGEST_PAGE)] = None,
    stage: Named = "",
    group: Named = "",
    verdict: Named = "",
    mistake: Named = "",
    page: Annotated[int, QueryParameter(ge=1, le=LARGEST_PAGE)] = 1,
) -> Response[Any]:
    """Show a report to whoever may read it, as `GET /v1/submissions/{submission}/report` does."""

    def read() -> tuple[Any, Report, Card | None, str]:
        row = find_readable(context.engine, caller, submission)
        report = parse_report(report_body(context.engine, context.store, row, revision))
        card = card_of(context, report.identity)
        return row, report, card, place_on_board(context, row, card)

    row, report, card, place = await sync_to_thread(read)
    facet = first_facet(report, card)
    filters = Filters(stage=stage, group=group, verdict=verdict, mistake=mistake, facet=facet, page=page)
    root = context.settings.root
    wrong = await find_wrong(
        context=context,
        http_state=http_state,
        request=request,
        caller=caller,
        row=row,
        report=report,
        card=card,
        filters=filters,
    )
    shown = show(context.settings, row)
    view = ReportPage(
        report=report_view(report, card),
        submission=shown,
        origin=ORIGINS["service" if shown.evaluation else "team"],
        board_address=board_address(root, shown, card),
        place=place,
        addresses=addresses_of(root, submission),
        command=f"tetrad verify {submission} --with https://another.example",
        wrong=wrong,
    )
    title = f"{shown.model} on {view.report.benchmark} · Tetrad"
    frame = Frame(root=root, title=title, tab="boards", scripts=("enlarge.js",))
    return page_response(request, await sync_to_thread(render, request, "report.html", frame, view))


def addresses_of(root: str, submission: str) -> dict[str, str]:
    """Return where else a report stands, and what leads on from it."""
    api = at(root, "v1", "submissions", submission)
    return {
        "json": f"{api}/report",
        **{form: f"{api}/report?format={form}" for form in ("csv", "markdown", "junit")},
        "revisions": f"{api}/revisions",
        "items": f"{api}/items",
        "log": at(root, "log", query={"submission": submission}),
        "compare": at(root, "compare", query={"a": submission}),
    }


def card_of(context: AppContext, identity: DrawIdentity) -> Card | None:
    """Return the card that explains a draw; None if it can't be had, for a report can be read without."""
    try:
        return context.cards.get(identity.benchmark, identity.version).card
    except DomainError:
        return None


def board_address(root: str, submission: Submission, card: Card | None) -> str:
    """Return the board that the submission stands on; "" where it stands on none."""
    identity = submission.identity
    if card is None or card.corpus is not None or submission.visibility != "public" or submission.unranked:
        return ""
    ranked = ranked_parameters(card, identity.parameters)
    values = {name: value_text(value) for name, value in ranked.items()}
    place = {"track": identity.track, "setting": identity.setting, "version": identity.version}
    source = {} if identity.bank == "none" else {"source": identity.bank}
    conversation = (
        {}
        if submission.conversation == card.conversation(identity.setting)
        else {"conversation": submission.conversation}
    )
    return at(root, "boards", card.name, query={**place, **values, **source, **conversation})


def find_own_board(context: AppContext, row: Any, card: Card) -> Board | None:
    """Return the board that a public submission counts on; None where it counts on none."""
    shown = show(context.settings, row)
    if row.visibility != "public" or row.unranked or card.corpus is not None:
        return None
    identity = shown.identity
    where = BoardQuery(
        identity.track, identity.setting, ranked_parameters(card, identity.parameters), shown.conversation
    )
    return context.boards.get(card, where, identity.bank).whole


def place_on_board(context: AppContext, row: Any, card: Card | None) -> str:
    """Return the rank range and the interval of the model on its board, over all attempts; "" where it has no row."""
    board = None if card is None else find_own_board(context, row, card)
    shown = show(context.settings, row)
    for own in () if board is None else board.rows:
        if (own.team, own.model) == (shown.team, shown.model):
            rank = "no rank yet" if own.rank_best is None else f"rank {rank_words(own)}"
            return f"{rank}, {interval_words(own.interval)} over all attempts"
    return ""


def first_facet(report: Report, card: Card | None) -> str:
    """Return the facet by which the headline is split first; "" without one."""
    metric = None if card is None else card.find_metric(report.headline.name)
    return "" if metric is None or not metric.by else metric.by[0]


async def find_wrong(
    *,
    context: AppContext,
    http_state: HttpState,
    request: Request[Any, Any, Any],
    caller: Caller | None,
    row: Any,
    report: Report,
    card: Card | None,
    filters: Filters,
) -> WrongPage:
    """Return a page of wrong answers: each with its item, made again."""
    matching = [result for result in report.questions if filters.matches(result)]
    begin = (filters.page - 1) * PAGE_SIZE
    shown = matching[begin : begin + PAGE_SIZE]
    indexes = sorted({result.item for result in shown})
    root = context.settings.root
    items: list[RevealedItem] = []
    reason = "A fixed corpus: no single question is shown." if report.aggregates_only else ""
    if indexes:
        try:
            items = await make_again(context, http_state, request, caller, row, report, indexes)
        except (DomainError, ProblemError) as error:
            reason = f"They can’t be shown now: {error}"
    address = {item.item: at(root, "puzzles", report.identity.benchmark, item.practice_id) for item in items}
    pictures = {
        picture.url or "": at(root, "v1", "items", item.practice_id, "images", picture.name)
        for item in items
        for question in item.questions
        for picture in question.question.pictures
    }
    wanted = {(result.item, result.question) for result in shown}
    has_more = begin + PAGE_SIZE < len(matching)
    return WrongPage(
        answers=tuple(
            wrong_answers(items, wanted, picture=pictures, address=address, card=card, stops=stops_of(report))
        ),
        filters=tuple(wrong_filters(root, report, filters)),
        total=len(matching),
        next_address=wrong_address(root, report, filters, page=filters.page + 1) if has_more else "",
        previous_address=wrong_address(root, report, filters, page=filters.page - 1) if filters.page > 1 else "",
        reason=reason,
    )


async def make_again(  # noqa: PLR0917 - who asks, and for what
    context: AppContext,
    http_state: HttpState,
    request: Request[Any, Any, Any],
    caller: Caller | None,
    row: Any,
    report: Report,
    indexes: Sequence[int],
) -> list[RevealedItem]:
    """Return revealed items of a submission. They count as practice, for they are made again."""
    track = await sync_to_thread(track_of, context.cards, identity_of(row))
    async with http_state.practice.enter(request.scope, len(indexes) * track.cost):
        return await sync_to_thread(revealed_items, context, caller, row, report, indexes)


def wrong_filters(root: str, report: Report, filters: Filters) -> Sequence[tuple[str, tuple[Chip, ...]]]:
    """Return the rows of chips: stages, verdicts and mistakes that wrong answers have."""
    wrong = [result for result in report.questions if result.verdict != "correct"]
    found = {
        "stage": Counter(kind_of(result.question) for result in wrong),
        "group": Counter(result.facets[filters.facet] for result in wrong if filters.facet in result.facets),
        "verdict": Counter(result.verdict for result in wrong),
        "mistake": Counter(result.outcome[MISTAKE] for result in wrong if result.outcome.get(MISTAKE)),
    }
    rows = []
    for name, counts in found.items():
        chosen = str(getattr(filters, name))
        choices = [("all", ""), *((f"{value} ({count})", value) for value, count in counts.most_common(8))]
        chips = tuple(
            (words, wrong_address(root, report, filters, page=1, **{name: value}), value == chosen)
            for words, value in choices
        )
        if len(choices) > 2:  # noqa: PLR2004 - one value is no choice
            rows.append((capitalise(filters.facet if name == "group" else name), chips))
    return rows


def wrong_address(root: str, report: Report, filters: Filters, *, page: int, **other: str) -> str:
    names = ("stage", "group", "verdict", "mistake")
    query = {name: str(getattr(filters, name)) for name in names} | other
    query["page"] = "" if page == 1 else str(page)
    return at(root, "submissions", report.submission, query=chosen_only(query)) + "#wrong"


HANDLERS = [report_page]
