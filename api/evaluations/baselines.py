"""Runs baselines at every track and setting of the benchmarks that are named. Boards list and never rank them."""

from collections.abc import Iterator, Sequence

import sqlalchemy as sa

from api.context import AppContext
from api.database.schema import teams
from api.errors import DomainError
from api.evaluations.opening import granted_models, open_evaluation
from api.operator.access import Operator
from api.operator.audit_log import note
from api.teams.access import Caller
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.evaluations import MOST_MODELS, BaselinesRequest, BaselinesStarted, EvaluationRequest
from tetrad.server.clock import now_ms
from tetrad.server.database import write_transaction
from tetrad.server.ids import new_id

TEAM = "baselines@service"  # no team can register under such a name
CAP = 2**31 - 1
IN_PROCESS = "in-process"
DEADLINE_HOURS = 168.0


def start_baselines(context: AppContext, operator: Operator, request: BaselinesRequest) -> BaselinesStarted:
    """Open an evaluation of these models at every place of the benchmarks; by default of the solvers in the gateway.

    Chat models of the provider `embeddings` run where they are named: they answer analogies with pictures to choose
    from and nothing else, and the models that they ask may be on a machine of their own.

    A place at which nothing can be drawn now is left out, with the reason.

    Raises:
        GatewayAwayError: the instance runs no models, or can't be asked now.
    """
    caller = _team(context)
    models = list(request.models)
    if not models:
        granted = granted_models(context, caller).values()
        models = sorted(model.id for model in granted if model.provider == IN_PROCESS and "sealed" in model.purposes)
    started: list[str] = []
    left_out: dict[str, str] = {}
    for card in (context.cards.get(name).card for name in request.benchmarks):
        for track, setting in _places(card):
            for some in _parts(models):
                asked = EvaluationRequest(
                    benchmark=card.name,
                    models=some,
                    track=track,
                    setting=setting,
                    size=min(request.size, card.largest_draw),
                    deadline_hours=DEADLINE_HOURS,
                )
                try:
                    started.append(open_evaluation(context, caller, asked, origin="baseline").id)
                except DomainError as error:
                    left_out[f"{card.name}/{track}/{setting}"] = error.detail
    with write_transaction(context.engine) as connection:
        told = {"models": models, "evaluations": len(started), "left_out": len(left_out)}
        note(connection, operator, "start baselines", caller.team_id, reason=request.reason, **told)
    return BaselinesStarted(evaluations=started, left_out=left_out)


def _team(context: AppContext) -> Caller:
    """Return the team that baselines belong to, which is made the first time. It has no API key."""
    with write_transaction(context.engine) as connection:
        known = connection.execute(sa.select(teams.c.id).where(teams.c.name == TEAM)).scalar_one_or_none()
        if known is None:
            known, now = new_id("team"), now_ms()
            caps = {"open_submissions_cap": CAP, "items_a_day_cap": CAP, "established_at": now}
            row = {"id": known, "name": TEAM, "title": "Baselines, run by the service", "created_at": now, **caps}
            connection.execute(sa.insert(teams).values(row))
    return Caller(str(known), TEAM, "", frozenset({"submit"}), is_service=True)


def _places(card: Card) -> Iterator[tuple[str, str]]:
    yield from ((track.name, setting) for track in card.tracks for setting in track.settings)


def _parts(models: Sequence[str]) -> Iterator[list[str]]:
    """Yield the models in lists that one evaluation takes."""
    for begin in range(0, len(models), MOST_MODELS):
        yield list(models[begin : begin + MOST_MODELS])
