"""The page that starts an evaluation: what to ask of which model, what that takes, and then the button."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any

from litestar import Request, Response, get, post
from litestar.concurrency import sync_to_thread
from litestar.di import NamedDependency
from litestar.exceptions import ValidationException
from litestar.params import QueryParameter

from api.context import AppContext
from api.errors import DomainError, InvalidInputError
from api.evaluations.opening import expect_evaluation, granted_models, open_evaluation
from api.http.sessions import check_session, convert_form, form_token, new_visit, once_of_form, read_form, session_of
from api.http.state import HttpState
from api.pages.frame import PAGE, Frame, at, page_response, render, see_other
from api.teams.access import Caller
from tetrad.contracts.benchmarks import Card, Counted
from tetrad.contracts.evaluations import Evaluation, EvaluationRequest, Expected
from tetrad.contracts.submissions import DEFAULT_SIZE
from tetrad.contracts.wire import ParameterValue
from tetrad.money import show_microdollars
from tetrad.reporting.pages.words import UNKNOWN, count_noun, group_digits, in_percent
from tetrad.server.problems import problem_of_values

FIELDS = ("model", "view", "size", "budget", "parameters", "visibility")
BETWEEN = "|"
"""Stands between the parts of a view: benchmark, track and setting, whose names can't hold it."""
INTEGER = re.compile(r"-?[0-9]{1,15}")
DECIMALS = 6  # of a budget in dollars: micro-dollars are whole
Named = Annotated[str, QueryParameter(max_length=200)]


@dataclass(frozen=True, kw_only=True)
class Choice:
    value: str
    words: str
    is_chosen: bool


@dataclass(frozen=True, kw_only=True)
class Wish:
    """The fields of the form, as they were filled in; "" where one was not."""

    model: str
    view: str
    size: str
    budget: str
    parameters: str
    visibility: str

    def fields(self) -> list[tuple[str, str]]:
        return [(name, getattr(self, name)) for name in FIELDS]


@dataclass(frozen=True, kw_only=True)
class Costs:
    """The effort that an evaluation takes, in words. `rank` says how many items will count, and what that means."""

    questions: str
    cost: str
    cost_by: str
    budget: str
    left: str
    rank: str
    difference: str


@dataclass(frozen=True, kw_only=True)
class EvaluateView:
    models: tuple[Choice, ...]
    places: tuple[tuple[str, tuple[Choice, ...]], ...]
    wish: Wish
    costs: Costs | None
    refusal: str
    away: str
    token: str
    once: str


@get("/team/evaluate", include_in_schema=False, opt=PAGE)
async def evaluate_page(
    *,
    context: NamedDependency[AppContext],
    request: Request[Any, Any, Any],
    model: Named = "",
    view: Named = "",
    size: Named = "",
    budget: Named = "",
    parameters: Named = "",
    visibility: Named = "",
) -> Response[Any]:
    """Show the form; with a model and a board, also what it will take, and the button that starts it."""
    caller = check_session(request, "submit")
    wish = Wish(
        model=model,
        view=view,
        size=size or str(DEFAULT_SIZE),
        budget=budget,
        parameters=parameters,
        visibility=visibility,
    )
    shown = await sync_to_thread(evaluate_view, context, caller, request, wish)
    frame = Frame(root=context.settings.root, title="Evaluate a model · Tetrad", tab="team")
    return page_response(request, await sync_to_thread(render, request, "evaluate.html", frame, shown))


@post("/team/evaluations", include_in_schema=False, opt=PAGE)
async def start_evaluation(
    context: NamedDependency[AppContext], http_state: NamedDependency[HttpState], request: Request[Any, Any, Any]
) -> Response[Any]:
    """Open the evaluation that the page has shown. Sent twice, it opens one."""
    form = await read_form(request, *FIELDS)
    caller = check_session(request, "submit")
    wanted = evaluation_request(request, Wish(**{name: form[name] for name in FIELDS}))
    address = http_state.addresses.of(request.scope)

    def start() -> None:
        once_of_form(request, form)(
            lambda keep: open_evaluation(context, caller, wanted, keep, address=address), no_headers, 202
        )

    await sync_to_thread(start)
    return see_other(at(context.settings.root, "team") + "#running")


def no_headers(_: Evaluation) -> dict[str, str]:
    return {}


def evaluation_request(request: Request[Any, Any, Any], wish: Wish) -> EvaluationRequest:
    """Return the request of the API that the fields stand for.

    Raises:
        InvalidInputError, ValidationException: a field is wrong.
    """
    benchmark, _, rest = wish.view.partition(BETWEEN)
    track, _, setting = rest.partition(BETWEEN)
    values: dict[str, Any] = {"benchmark": benchmark, "models": [wish.model], "size": whole("size", wish.size)}
    values |= {name: value for name, value in (("track", track), ("setting", setting)) if value}
    values |= {"parameters": dict(map(parameter, wish.parameters.split()))}
    values |= {"visibility": wish.visibility} if wish.visibility else {}
    values |= {"budget": microdollars(wish.budget)} if wish.budget else {}
    return convert_form(request, values, EvaluationRequest)


def parameter(text: str) -> tuple[str, ParameterValue]:
    """Return the name and the value of NAME=VALUE: a number, true, false, or a text.

    Raises:
        InvalidInputError: it is not of this form.
    """
    name, equals, value = text.partition("=")
    if not name or not equals:
        remedy = "write NAME=VALUE, several with spaces between them"
        raise InvalidInputError.at("parameters", text, "is no parameter", remedy)
    if value in {"true", "false"}:
        return name, value == "true"
    return name, int(value) if INTEGER.fullmatch(value) else value


def whole(field: str, text: str) -> int:
    """Return a whole number.

    Raises:
        InvalidInputError: it is none.
    """
    if not (text.isascii() and text.isdecimal()):
        raise InvalidInputError.at(field, text, "is not a whole number", f"write one, such as {DEFAULT_SIZE}")
    return int(text[:9])


def microdollars(text: str) -> int:
    """Return an amount in US dollars as micro-dollars.

    Raises:
        InvalidInputError: it is no amount.
    """
    try:
        amount = Decimal(text.removeprefix("$"))
        whole_amount = int(amount.scaleb(DECIMALS))
    except (InvalidOperation, ValueError, OverflowError):
        whole_amount = -1
    if whole_amount < 0:
        raise InvalidInputError.at("budget", text, "is no amount of US dollars", "write one, such as 2.50")
    return whole_amount


def evaluate_view(context: AppContext, caller: Caller, request: Request[Any, Any, Any], wish: Wish) -> EvaluateView:
    """Return the form, and what the evaluation would take where enough is filled in."""
    costs, refusal, away = None, "", ""
    try:
        granted = granted_models(context, caller)
    except DomainError as error:
        granted, away = {}, error.detail
    if wish.model and wish.view and not away:
        try:
            wanted = evaluation_request(request, wish)
            costs = costs_of(expect_evaluation(context, caller, wanted))
        except DomainError as error:
            refusal = error.detail
        except ValidationException as error:
            refusal = problem_of_values(request, error).detail
    session = session_of(request)
    titles = {model.id: model.title for model in granted.values() if "sealed" in model.purposes}
    return EvaluateView(
        models=tuple(
            Choice(value=name, words=title if title == name else f"{name} ({title})", is_chosen=name == wish.model)
            for name, title in sorted(titles.items())
        ),
        places=tuple(places_of(context, wish.view)),
        wish=wish,
        costs=costs,
        refusal=refusal,
        away=away,
        token=form_token(session),
        once=new_visit(),
    )


def places_of(context: AppContext, chosen: str) -> Iterator[tuple[str, tuple[Choice, ...]]]:
    """Yield the boards of each benchmark: a choice for each track and setting."""
    newest: dict[str, Card] = {}
    for info in context.cards.all():
        known = newest.get(info.card.name)
        if known is None or known.version < info.card.version:
            newest[info.card.name] = info.card
    for card in newest.values():
        values = [(track.name, setting) for track in card.tracks for setting in track.settings]
        named = [(BETWEEN.join([card.name, *place]), f"{card.short_title}: {', '.join(place)}") for place in values]
        yield (
            card.short_title,
            tuple(Choice(value=value, words=words, is_chosen=value == chosen) for value, words in named),
        )


def costs_of(expected: Expected) -> Costs:
    budget = UNKNOWN if not expected.budget else show_microdollars(expected.budget)
    least = expected.least_difference.get("unpaired")
    return Costs(
        questions=f"at most {count_noun(expected.questions, 'question')}",
        cost=UNKNOWN if expected.cost is None else "nothing" if not expected.cost else show_microdollars(expected.cost),
        cost_by=expected.cost_by,
        budget=budget,
        left=UNKNOWN if expected.budget_left is None else show_microdollars(expected.budget_left),
        rank=rank_words(expected.counted),
        difference=UNKNOWN if least is None else f"{in_percent(least)} points",
    )


def rank_words(counted: Counted | None) -> str:
    """Return how many of the items will count, and whether that makes a rank."""
    if counted is None:
        return "It makes no rank: there is no board for it."
    least = group_digits(counted.least_items)
    about = f"About {group_digits(counted.expected)} of {count_noun(counted.size, 'item')} will count"
    if counted.lower >= counted.least_items:
        return f"{about}: enough for a rank, which needs {least}."
    pooled = "All attempts of a model are pooled."
    if counted.upper < counted.least_items:
        return f"{about}: too few for a rank, which needs {least}. {pooled}"
    between = f"{group_digits(counted.lower)} to {group_digits(counted.upper)}"
    return f"{about}, in most draws {between}: perhaps too few for a rank, which needs {least}. {pooled}"


HANDLERS = [evaluate_page, start_evaluation]
