"""`tetrad admin invites`: make, list, revoke."""

from typing import Annotated

import cyclopts
from cyclopts import Parameter
from cyclopts.validators import Number

from tetrad.cli.credentials import UrlOption
from tetrad.cli.operator.connecting import ReasonOption, operate
from tetrad.cli.output import JsonOption, print_json, say, table
from tetrad.client.pages import every_page
from tetrad.contracts.operator import InviteRecord, InviteRequest

app = cyclopts.App(name="invites", help="Make, list and revoke the codes with which teams are registered.")


@app.command
def make(
    *,
    teams: Annotated[int, Parameter(validator=Number(gte=1, lte=10_000))] = 1,
    days: Annotated[float, Parameter(validator=Number(gt=0, lte=366))] = 14.0,
    note: str = "",
    url: UrlOption = None,
    json: JsonOption = False,
) -> None:
    """Make a code. It is shown only now.

    Args:
        teams: how many teams can be registered with it.
        days: until it expires.
        note: whom it is for; operators see it.
    """
    with operate(url) as client:
        made = client.make_invite(InviteRequest(teams=teams, days=days, note=note))
    if json:
        print_json(made)
        return
    about = made.about
    say(f"{about.id}: for {about.teams_left} teams, until {about.expires_at}. The code, shown only now:", made.code)


@app.command(name="list")
def list_invites(*, url: UrlOption = None, json: JsonOption = False) -> None:
    """List the invites, oldest first, without the codes themselves."""
    with operate(url) as client:
        pages = every_page(lambda cursor: client.invites(cursor=cursor))
        found = [invite for page in pages for invite in page.invites]
    if json:
        print_json(found)
        return
    rows = [[invite.id, invite.note or "-", str(invite.teams_left), _state(invite)] for invite in found]
    table(f"Invites ({len(found)})", ["id", "note", "teams left", "state"], rows)


@app.command
def revoke(invite: str, *, reason: ReasonOption = "", url: UrlOption = None, json: JsonOption = False) -> None:
    """Let nobody register with a code any more. Teams that did stay.

    Args:
        invite: its id, as `list` shows it.
    """
    with operate(url) as client:
        record = client.revoke_invite(invite, reason)
    if json:
        print_json(record)
        return
    say(f"{record.id} is revoked.")


def _state(record: InviteRecord) -> str:
    return f"until {record.expires_at}" if record.revoked_at is None else f"revoked {record.revoked_at}"
