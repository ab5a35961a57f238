"""Opens an evaluation: checks it, says what it will take, seals its draw, and queues a run for each model and repeat.

The generator and the gateway are asked first, outside of any transaction. Then everything is written at once: the
submissions with their lines of the public log, the evaluation, its runs, and the record of the token of its calls.
"""

import secrets
from collections.abc import Mapping
from typing import Any, NamedTuple

import sqlalchemy as sa
from msgspec import json
from msgspec.structs import replace

from api.boards.queries import resolve_conversation
from api.context import AppContext
from api.database.idempotency import Keep, unkept
from api.database.schema import evaluation_runs, evaluations, gateway_tokens, models
from api.errors import CapReachedError, InvalidInputError, WithheldItemsError
from api.evaluations.expecting import SAMPLED, SEED, estimate, sampled_prompts
from api.evaluations.finding import find
from api.inputs import storable
from api.spending import spent_by
from api.submissions.counting import expect_counted
from api.submissions.finding import SubmissionRow, find_readable, identity_of
from api.submissions.opening import draw_columns, enter_in_log, insert_submission
from api.teams.access import Caller
from api.teams.approvals import allowed_to, check_approval, check_size
from api.teams.caps import allow_submission, check_active, team_row
from tetrad.contracts.benchmarks import Card, Conversation
from tetrad.contracts.evaluations import TIERS, DrawKind, Evaluation, EvaluationRequest, Expected
from tetrad.contracts.inference import GatewayModel, ModelPrice
from tetrad.contracts.submissions import DEFAULT_SIZE
from tetrad.contracts.wire import ParameterValue
from tetrad.internal.draws import DrawRequest, SealedDraw
from tetrad.internal.practice import PracticeRequest
from tetrad.money import MICRODOLLARS_A_DOLLAR
from tetrad.prompting import find_strategy
from tetrad.prompting.strategies import STRATEGIES
from tetrad.server.clock import DAY_MS, HOUR_MS, now_ms
from tetrad.server.database import chained_transaction, read_transaction
from tetrad.server.ids import new_id
from tetrad.server.request_ids import id_columns

TOKEN_DAYS = 9  # longer than any deadline
LONGEST_ROW = 64  # characters of a row's name
REVEALED = "its draw was revealed before: the answers were public"
REPEATED = "a repeat on the same items; the first time counts"


class Place(NamedTuple):
    """The draw to answer: where it is from, its size, and the revealed submission whose draw it is, if any."""

    track: str
    setting: str
    parameters: dict[str, ParameterValue]
    sources: list[str]
    size: int
    shares: str | None


class Plan(NamedTuple):
    """An evaluation before its draw is sealed: the request with its budget, and all that follows from it.

    names: of rows on the board, by model. runs: each a model and the number of its repeat.
    """

    request: EvaluationRequest
    place: Place
    conversation: Conversation
    names: dict[str, str]
    runs: list[tuple[str, int]]
    prices: dict[str, ModelPrice | None]
    allowed: list[str]
    expected: Expected

    @property
    def kind(self) -> DrawKind:
        if self.place.shares is not None:
            return "revealed"
        return "shared" if len(self.runs) > 1 else "fresh"


def open_evaluation(
    context: AppContext,
    caller: Caller,
    request: EvaluationRequest,
    keep: Keep[Evaluation] = unkept,
    *,
    address: str = "",
    origin: str = "service",
) -> Evaluation:
    """Open an evaluation and queue its runs. `origin` is that of its rows on the board: service or baseline.

    Raises:
        NotFoundError, InvalidInputError: a value of the request is not what this instance has.
        InactiveTeamError, NotApprovedError: the team may not.
        CapReachedError: it may not now.
        GatewayAwayError: the instance runs no models, or can't be asked now.
    """
    plan = _plan(context, caller, request, origin)
    nonce = plan.request.nonce or secrets.token_hex(16)
    draws = _seal_draws(context, plan.request, plan.place, nonce, len(plan.runs), plan.allowed)
    opened_on = context.cards.get(draws[0].identity.benchmark, draws[0].identity.version).card
    evaluation = new_id("evl")
    with chained_transaction(context.engine) as connection:
        _check_caps(connection, context, caller, origin)
        _insert(connection, caller, evaluation, plan.request, plan.expected, plan.prices, plan.kind, draws[0])
        inserted = []
        for (model, repeat), draw in zip(plan.runs, draws, strict=True):
            row = _submission_row(plan, repeat, draws[0].submission) | {
                **draw_columns(opened_on, draw, plan.conversation),
                "nonce": nonce,
                "model_id": _model_of(connection, caller, plan.names[model], model, origin),
                "team_id": caller.team_id,
                "evaluation_id": evaluation,
            }
            open_for = int(plan.request.deadline_hours * HOUR_MS)
            inserted.append(insert_submission(connection, context.settings, opened_on, row, open_for))
            _insert_run(connection, caller, evaluation, draw.submission, model, plan.names[model], repeat)
        opened = find(connection, context.settings, evaluation)
        keep(connection, opened)
        for submission in inserted:
            enter_in_log(connection, context.settings, submission, address=address)
    for run in opened.runs:
        context.notifier.evaluate(run.submission)
    return opened


def _submission_row(plan: Plan, repeat: int, first: str) -> dict[str, Any]:
    """Return what a run's submission has of its plan. `first` is the submission that a shared draw belongs to."""
    return {
        "visibility": plan.request.visibility,
        "draw_id": first if plan.kind == "shared" else None,
        "unranked": REVEALED if plan.kind == "revealed" else REPEATED if repeat else None,
    }


def expect_evaluation(context: AppContext, caller: Caller, request: EvaluationRequest) -> Expected:
    """Return what an evaluation would take, and open none. Raises as `open_evaluation` does."""
    return _plan(context, caller, request, "service").expected


def _plan(context: AppContext, caller: Caller, request: EvaluationRequest, origin: str) -> Plan:
    """Return all that is known of an evaluation before its draw is sealed. Raises as `open_evaluation` does."""
    place, card, conversation = _place(context, caller, request)
    found = _find_models(context, caller, request)
    prices = {model.id: model.price for model in found}
    caps = {model.id: None if model.limits is None else model.limits.output for model in found}
    names = {model: row_name(model, request.strategy, request.extraction_model) for model in request.models}
    runs = [(model, repeat) for repeat in range(request.repeats) for model in request.models]
    team, allowed = _check_may_open(context, caller, request, card, place.size * len(runs), origin)
    expected = _estimate(context, card, place, conversation, request, prices, caps, allowed)
    request = _with_budget(context, request, expected, prices)
    expected = replace(expected, budget_left=_budget_left(context.engine, team, request))
    return Plan(request, place, conversation, names, runs, prices, allowed, expected)


def _check_may_open(  # noqa: PLR0917 - what the answer depends on
    context: AppContext, caller: Caller, request: EvaluationRequest, card: Card, items: int, origin: str
) -> tuple[sa.Row[Any], list[str]]:
    """Return the team's row and the sources that it may use, if it may open the evaluation.

    It is looked at again, locked, where it counts.

    Raises:
        InvalidInputError, InactiveTeamError, NotApprovedError, CapReachedError: it may not.
    """
    with read_transaction(context.engine) as connection:
        team = team_row(connection, caller.team_id)
        _check_caps(connection, context, caller, origin)
        allow_submission(connection, context.settings, team, items, now_ms())
        if card.corpus is not None:
            check_approval(connection, caller.team_id, request.benchmark)
        allowed = allowed_to(connection, caller.team_id)
    if card.corpus is not None and request.extraction_model is not None:
        problem = "can't be used on a fixed corpus, whose reports don't tell single answers"
        raise InvalidInputError.at("extraction_model", request.extraction_model, problem, "leave it out")
    return team, allowed


def row_name(model: str, strategy: str, extraction_model: str | None = None) -> str:
    """Return the name of a row on the board, which no team can give to a model of its own.

    A row whose unread replies are extracted by a model has that model's name behind a plus sign.

    Raises:
        InvalidInputError: it would be too long.
    """
    name = f"{model}@service" + ("" if strategy == "direct" else f":{strategy}")
    name += "" if extraction_model is None else f"+{extraction_model}"
    if len(name) > LONGEST_ROW:
        remedy = f"the operator has to give it a shorter id: {name} has more than {LONGEST_ROW} characters"
        raise InvalidInputError.at("models", model, "is too long for the name of a row", remedy)
    return name


def _place(context: AppContext, caller: Caller, request: EvaluationRequest) -> tuple[Place, Card, Conversation]:
    """Return the draw to answer, and the card of its benchmark."""
    if request.size is not None and request.tier is not None:
        remedy = "send one of the two; quick is 50 items, standard 250, full 1,000"
        raise InvalidInputError.at("size", request.size, "is given beside a tier", remedy)
    if request.strategy not in STRATEGIES:
        remedy = f"use one of {', '.join(sorted(STRATEGIES))}"
        raise InvalidInputError.at("strategy", request.strategy, "is unknown", remedy)
    if len(set(request.models)) < len(request.models):
        raise InvalidInputError.at("models", request.models, "names a model twice", "use repeats")
    if request.concurrency > (most := context.settings.evaluation_concurrency):
        raise InvalidInputError.at("concurrency", request.concurrency, "is too large here", f"use 1 to {most}")
    storable("nonce", request.nonce)
    if request.baseline is not None:
        find_readable(context.engine, caller, request.baseline)
    if request.on is not None:
        return _revealed_place(context, request, find_readable(context.engine, caller, request.on))
    card = context.cards.get(request.benchmark).card
    track, setting = card.place(request.track, request.setting)
    size = request.size or (TIERS[request.tier] if request.tier else DEFAULT_SIZE)
    if card.corpus is not None:
        size = card.corpus.items if request.tier == "full" else min(size, card.corpus.items)
        check_size(card.corpus, size)
        if request.repeats > 1 or len(request.models) > 1:
            remedy = "evaluate one model once at a time"
            raise InvalidInputError.at("models", request.models, "can't share a draw of a fixed corpus", remedy)
    conversation = resolve_conversation(card, setting, request.conversation)
    place = Place(track, setting, dict(request.parameters), list(request.source), size, None)
    return place, card, conversation


def _revealed_place(
    context: AppContext, request: EvaluationRequest, row: SubmissionRow
) -> tuple[Place, Card, Conversation]:
    """Return the draw of a scored submission.

    Raises:
        InvalidInputError: it is not scored, or the request names another place.
        WithheldItemsError: it is of a fixed corpus.
    """
    if row.state != "scored":
        remedy = "name a scored submission, or leave it out for a fresh draw"
        raise InvalidInputError.at("on", request.on, f"is {row.state}: its draw is not revealed", remedy)
    identity = identity_of(row)
    card = context.cards.get(identity.benchmark, identity.version).card
    if card.corpus is not None:
        raise WithheldItemsError(f"{card.name} is a fixed corpus: its draws are never revealed")
    named = {"benchmark": request.benchmark, "track": request.track, "setting": request.setting, "size": request.size}
    there = {"benchmark": row.benchmark, "track": row.track, "setting": row.setting, "size": row.size}
    for field, value in named.items():
        if value is not None and value != there[field]:
            remedy = f"leave it out, or use {there[field]}"
            raise InvalidInputError.at(field, value, f"is not that of {request.on}", remedy)
    for field, given in (("parameters", request.parameters), ("source", request.source), ("tier", request.tier)):
        if given:
            problem = "is given beside `on`, whose draw has its own"
            raise InvalidInputError.at(field, given, problem, "leave it out")
    conversation = resolve_conversation(card, row.setting, request.conversation)
    place = Place(row.track, row.setting, dict(identity.parameters), [], row.size, str(row.id))
    return place, card, conversation


def _find_models(context: AppContext, caller: Caller, request: EvaluationRequest) -> list[GatewayModel]:
    """Return the models of the request, as the gateway lists them for the team.

    Raises:
        InvalidInputError: one is not granted to the team, or may not see sealed items.
    """
    granted = granted_models(context, caller)
    for model in request.models:
        if model not in granted:
            known = ", ".join(sorted(granted)) or "none"
            raise InvalidInputError.at("models", model, "is not a model that your team may use", f"use one of {known}")
        if "sealed" not in granted[model].purposes:
            remedy = "its provider may train on what it gets; the operator decides (training = in the registry)"
            raise InvalidInputError.at("models", model, "may not see sealed items", remedy)
    named = request.extraction_model
    if named is None:
        return [granted[model] for model in request.models]
    if named not in granted or "judge" not in granted[named].purposes:
        known = ", ".join(sorted(model.id for model in granted.values() if "judge" in model.purposes)) or "none"
        problem = "is not a model that your team may use on replies"
        raise InvalidInputError.at("extraction_model", named, problem, f"use one of {known}, or leave it out")
    return [granted[model] for model in dict.fromkeys([*request.models, named])]


def granted_models(context: AppContext, caller: Caller) -> dict[str, GatewayModel]:
    """Return the chat models that a team may use, by id.

    Raises:
        InactiveTeamError: the team may use none.
        GatewayAwayError: the instance runs no models, or can't be asked now.
    """
    check_active(caller.state, caller.state_reason)
    return {model.id: model for model in context.gateway.models_of(caller.team)}


def _estimate(  # noqa: PLR0917 - what the answer depends on
    context: AppContext,
    card: Card,
    place: Place,
    conversation: Conversation,
    request: EvaluationRequest,
    prices: Mapping[str, ModelPrice | None],
    caps: Mapping[str, int | None],
    allowed: list[str],
) -> Expected:
    items = PracticeRequest(
        benchmark=card.name,
        version=card.version,
        track=place.track,
        setting=place.setting,
        parameters=place.parameters,
        seed=SEED,
        limit=SAMPLED,
        sources=place.sources,
        allowed=allowed,
    )
    prompts = sampled_prompts(context.generator, card, items, conversation)
    asked = {model: prices[model] for model in request.models}
    extraction = None if request.extraction_model is None else prices[request.extraction_model]
    requests = find_strategy(request.strategy).steps.requests
    expected = estimate(prompts, place.size, requests, request.repeats, asked, extraction, caps)
    counts = place.shares is None  # a revealed draw counts on no board
    return replace(expected, counted=expect_counted(context.generator, card, items, place.size) if counts else None)


def _with_budget(
    context: AppContext, request: EvaluationRequest, expected: Expected, prices: Mapping[str, ModelPrice | None]
) -> EvaluationRequest:
    """Return the request with a budget: the gateway takes no call that costs money without one.

    Raises:
        InvalidInputError: the request names none, and it is expected to need more than the default one.
    """
    if request.budget is not None or all(price is None for price in prices.values()):
        return request
    default = round(context.settings.evaluation_budget * MICRODOLLARS_A_DOLLAR)
    if (needed := expected.budget or 0) > default:
        problem = f"is not given, and this needs {needed}, more than the {default} that are taken then"
        remedy = "send the most that all calls together may cost, in micro-dollars"
        raise InvalidInputError.at("budget", None, problem, remedy)
    return replace(request, budget=default)


def _budget_left(engine: sa.Engine, team: sa.Row[Any], request: EvaluationRequest) -> int | None:
    """Return the least that is left, in micro-dollars, of the request's budget and of the team's bound on models."""
    bounds = [] if request.budget is None else [request.budget]
    if team.model_budget is not None:
        bounds.append(max(0, team.model_budget - spent_by(engine, team.id)))
    return min(bounds, default=None)


def _seal_draws(  # noqa: PLR0917 - the parts of a draw's request
    context: AppContext, request: EvaluationRequest, place: Place, nonce: str, number: int, allowed: list[str]
) -> list[SealedDraw]:
    """Seal the draw of each run: the first of its own, or a revealed one, and the others share it."""
    first = DrawRequest(
        submission=new_id("sub"),
        nonce=nonce,
        benchmark=request.benchmark,
        track=place.track,
        setting=place.setting,
        parameters=place.parameters,
        size=place.size,
        sources=place.sources,
        allowed=allowed,
        shares=place.shares,
    )
    draws = [context.generator.seal(first)]
    for _ in range(number - 1):
        shares = place.shares or first.submission
        known = draws[0].identity.parameters
        other = replace(first, submission=new_id("sub"), shares=shares, parameters=known, sources=[])
        draws.append(context.generator.seal(other))
    return draws


def _check_caps(connection: sa.Connection, context: AppContext, caller: Caller, origin: str) -> None:
    """Check that the team may have one more evaluation; baselines are the operator's, and not counted.

    Raises:
        CapReachedError: it has as many as it may.
    """
    if origin != "service":
        return
    cap = context.settings.evaluations_cap
    mine = sa.select(sa.func.count()).where(evaluations.c.team_id == caller.team_id, evaluations.c.ended_at.is_(None))
    if (used := int(connection.execute(mine).scalar_one())) >= cap:
        detail = f"{used} of your evaluations have not ended; your cap is {cap} (TETRAD_API_EVALUATIONS_CAP)"
        raise CapReachedError(f"{detail}; wait, cancel one, or ask the operator", retry_after=30)


def _insert(  # noqa: PLR0917 - a row's columns
    connection: sa.Connection,
    caller: Caller,
    evaluation: str,
    request: EvaluationRequest,
    told: Expected,
    prices: Mapping[str, ModelPrice | None],
    kind: DrawKind,
    draw: SealedDraw,
) -> None:
    now, token = now_ms(), new_id("gwt")
    record = {
        "id": token,
        "team_id": caller.team_id,
        "purpose": "sealed",
        "models": json.encode(request.models).decode(),
        "budget": request.budget,
        "created_at": now,
        "expires_at": now + TOKEN_DAYS * DAY_MS,
    }
    connection.execute(sa.insert(gateway_tokens).values(record))
    row = {
        "id": evaluation,
        "team_id": caller.team_id,
        "request": json.encode(request).decode(),
        "expected": json.encode(told).decode(),
        "prices": json.encode(prices).decode(),
        "draw": kind,
        "identity": json.encode(draw.identity).decode(),
        "size": draw.size,
        "commitment": draw.commitment,
        "deadline_at": now + int(request.deadline_hours * HOUR_MS),
        "token_id": token,
        "unranked": REVEALED if kind == "revealed" else None,
        "created_at": now,
    }
    connection.execute(sa.insert(evaluations).values(row))


def _insert_run(  # noqa: PLR0917 - a row's columns
    connection: sa.Connection, caller: Caller, evaluation: str, submission: str, model: str, row: str, repeat: int
) -> None:
    values = {
        "id": submission,
        "evaluation_id": evaluation,
        "team_id": caller.team_id,
        "model": model,
        "row": row,
        "repeat": repeat,
        "state": "queued",
        "queued_at": now_ms(),
        **id_columns(),
    }
    connection.execute(sa.insert(evaluation_runs).values(values))


def _model_of(connection: sa.Connection, caller: Caller, name: str, model: str, origin: str) -> str:
    """Return the id of the team's row of this name, which is made the first time."""
    m = models.c
    known = connection.execute(sa.select(m.id).where(m.team_id == caller.team_id, m.name == name)).scalar_one_or_none()
    if known is not None:
        return str(known)
    row = {"id": new_id("mdl"), "team_id": caller.team_id, "name": name, "title": model, "origin": origin}
    connection.execute(sa.insert(models).values(**row, created_at=now_ms()))
    return str(row["id"])
