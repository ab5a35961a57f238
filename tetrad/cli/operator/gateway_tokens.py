"""`tetrad admin gateway-token`: make, list, revoke."""

from datetime import datetime
from typing import Annotated

import cyclopts
from cyclopts import Parameter
from cyclopts.validators import Number

from tetrad.cli.credentials import UrlOption
from tetrad.cli.operator.connecting import ReasonOption, TeamArgument, operate, signing_secrets
from tetrad.cli.output import JsonOption, print_json, say, table
from tetrad.client.pages import every_page
from tetrad.contracts.inference import (
    GatewayTokenRecord,
    GatewayTokenRequest,
    GrantedGatewayToken,
    ModelBudgetRequest,
    NewGatewayToken,
    Purpose,
)
from tetrad.errors import TetradError
from tetrad.money import MICRODOLLARS_A_DOLLAR
from tetrad.server.clock import DAY_MS, now_ms
from tetrad.server.gateway_tokens import GatewayClaims, sign

app = cyclopts.App(name="gateway-token", help="Make, list and revoke the tokens that open the gateway.")
UNNAMED = "THE-GATEWAYS-ADDRESS/v1"


class OptionsError(TetradError):
    """Two options contradict each other."""


@app.command
def make(
    team: TeamArgument,
    *,
    purpose: Purpose = "sealed",
    model: list[str] | None = None,
    budget: Annotated[float | None, Parameter(validator=Number(gte=0, lte=1e9))] = None,
    days: Annotated[float, Parameter(validator=Number(gt=0, lte=366))] = 7.0,
    reason: ReasonOption = "",
    url: UrlOption = None,
    export: bool = False,
    json: JsonOption = False,
) -> None:
    """Make a token for a team, with the gateway's secret on this machine. It is shown only now.

    Args:
        purpose: what its calls are for. Sealed and judge calls go only to providers that don't train on them.
        model: a model it may use, may be repeated; without, all that the team may.
        budget: US dollars that it may spend in all; without, it opens no model that costs money.
        days: until it expires.
        export: print only a line for the shell, which sets the variables that OpenAI's package reads.
    """
    request = GatewayTokenRequest(
        team=team,
        purpose=purpose,
        models=model or [],
        budget=None if budget is None else round(budget * MICRODOLLARS_A_DOLLAR),
        days=days,
        reason=reason,
    )
    secrets = signing_secrets(url)
    with operate(url) as client:
        made = _sign(request, client.make_gateway_token(request), secrets)
    if json:
        print_json(made)
        return
    line = f"export OPENAI_BASE_URL={made.url or UNNAMED} OPENAI_API_KEY={made.token}"
    if export:
        say(line)
        return
    say(f"{made.about.id}: for {made.about.team}, {made.about.purpose} calls, until {made.about.expires_at}.", line)


def _sign(request: GatewayTokenRequest, granted: GrantedGatewayToken, secrets: str) -> NewGatewayToken:
    """Return the token that the operator asked for, whatever the api has recorded of it."""
    about = granted.about
    recorded = datetime.fromisoformat(about.expires_at).timestamp() * 1000
    claims = GatewayClaims(
        id=about.id,
        team=about.team,
        team_id=granted.team_id,
        expires_at=int(min(recorded, now_ms() + request.days * DAY_MS)),
        purpose=request.purpose,
        models=request.models,
        budget=request.budget,
    )
    return NewGatewayToken(token=sign(claims, secrets), url=granted.url, about=about)


@app.command(name="list")
def list_tokens(*, team: str | None = None, url: UrlOption = None, json: JsonOption = False) -> None:
    """List the tokens, oldest first, without the tokens themselves.

    Args:
        team: only those of this team, by id or name.
    """
    with operate(url) as client:
        pages = every_page(lambda cursor: client.gateway_tokens(cursor=cursor, team=team))
        found = [token for page in pages for token in page.tokens]
    if json:
        print_json(found)
        return
    rows = [
        [token.id, token.team, token.purpose, ", ".join(token.models) or "all", _dollars(token.budget), _state(token)]
        for token in found
    ]
    table(f"Gateway tokens ({len(found)})", ["id", "team", "purpose", "models", "budget", "state"], rows)


@app.command
def revoke(token: str, *, reason: ReasonOption = "", url: UrlOption = None, json: JsonOption = False) -> None:
    """Revoke a token: within seconds the gateway refuses it.

    Args:
        token: its id, as `list` shows it.
    """
    with operate(url) as client:
        record = client.revoke_gateway_token(token, reason)
    if json:
        print_json(record)
        return
    say(f"{record.id} is revoked.")


@app.command
def budget(
    team: TeamArgument,
    *,
    dollars: Annotated[float | None, Parameter(validator=Number(gte=0, lte=1e9))] = None,
    none: Annotated[bool, Parameter(negative="")] = False,
    reason: ReasonOption = "",
    url: UrlOption = None,
    json: JsonOption = False,
) -> None:
    """Show what a team may spend on models and has spent, or set it. It holds over all of its tokens.

    Args:
        dollars: US dollars that it may spend in all, including what it has spent.
        none: take the bound away.

    Raises:
        OptionsError: a bound is both set and taken away.
    """
    if dollars is not None and none:
        raise OptionsError("--dollars sets a bound and --none takes it away; give one")
    with operate(url) as client:
        if dollars is None and not none:
            found = client.model_budget(team)
        else:
            amount = None if dollars is None or none else round(dollars * MICRODOLLARS_A_DOLLAR)
            found = client.set_model_budget(team, ModelBudgetRequest(budget=amount, reason=reason))
    if json:
        print_json(found)
        return
    bound = "no bound" if found.budget is None else f"{found.budget / MICRODOLLARS_A_DOLLAR:.6f} USD"
    say(f"{found.team}: {found.spent / MICRODOLLARS_A_DOLLAR:.6f} USD spent of {bound}.")


def _dollars(budget: int | None) -> str:
    return "-" if budget is None else f"{budget / MICRODOLLARS_A_DOLLAR:.2f} USD"


def _state(record: GatewayTokenRecord) -> str:
    return f"until {record.expires_at}" if record.revoked_at is None else f"revoked {record.revoked_at}"
