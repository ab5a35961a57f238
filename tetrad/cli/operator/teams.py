"""`tetrad admin teams`, `usage`, `caps`, `approve`, `disapprove`, `delete`."""

import sys
from datetime import date
from typing import Annotated, Literal, TypeAlias, get_args

import cyclopts
import msgspec
from cyclopts import Parameter
from cyclopts.validators import Number

from tetrad.cli.credentials import UrlOption
from tetrad.cli.operator.connecting import NOT_CONFIRMED, ReasonOption, TeamArgument, operate
from tetrad.cli.output import JsonOption, errors, print_json, say, table
from tetrad.client.pages import every_page
from tetrad.contracts.accounts import TeamState
from tetrad.contracts.operator import ApprovalRequest, CapsRequest, DeletionRequest, TeamRecord

app = cyclopts.App(name="teams", help="List, show, approve and suspend teams.")
CorpusArgument: TypeAlias = Annotated[str, Parameter(help="a corpus, such as kiva-published, or a source, KIND:NAME.")]
CapName: TypeAlias = Literal["open_submissions", "items_a_day", "models"]
Count = Annotated[int | None, Parameter(validator=Number(gte=0))]


@app.command(name="list")
def list_teams(*, state: TeamState | None = None, url: UrlOption = None, json: JsonOption = False) -> None:
    """List every team, oldest first.

    Args:
        state: only pending, active, suspended or deleted ones.
    """
    with operate(url) as client:
        pages = every_page(lambda cursor: client.teams(cursor=cursor, status=state))
        found = [team for page in pages for team in page.teams]
    if json:
        print_json(found)
        return
    columns = ["id", "name", "state", "models", "submissions", "keys", "created"]
    rows = [
        [
            record.team.id,
            record.team.name,
            record.team.state,
            str(len(record.models)),
            _list_states(record.submissions),
            str(record.keys),
            record.team.created_at,
        ]
        for record in found
    ]
    table(f"Teams ({len(found)})", columns, rows)


def usage(*, since: date | None = None, until: date | None = None, url: UrlOption = None) -> None:
    """Print what each team used in a period, as CSV: submissions, items, answers, evaluations, dollars.

    Args:
        since: the first day, in UTC, as 2026-11-01; the first of this month by default.
        until: the day after the last; tomorrow by default.
    """
    days = [None if day is None else day.isoformat() for day in (since, until)]
    with operate(url) as client:
        sys.stdout.write(client.usage(*days))


@app.command
def show(team: TeamArgument, *, url: UrlOption = None, json: JsonOption = False) -> None:
    """Show one team, by id or name: state, caps and what counts against them, corpora, models."""
    with operate(url) as client:
        _show(client.show_team(team), json=json)


@app.command(name="approve")
def approve_team(
    team: TeamArgument, *, reason: ReasonOption = "", url: UrlOption = None, json: JsonOption = False
) -> None:
    """Activate a pending or suspended team."""
    with operate(url) as client:
        _show(client.approve_team(team, reason), json=json)


@app.command
def suspend(team: TeamArgument, *, reason: str, url: UrlOption = None, json: JsonOption = False) -> None:
    """Suspend a team: it can still read. The team sees the reason.

    Args:
        reason: shown to the team.
    """
    with operate(url) as client:
        _show(client.suspend_team(team, reason), json=json)


def caps(
    team: TeamArgument,
    *,
    open_submissions: Count = None,
    items_a_day: Count = None,
    models: Count = None,
    default: list[CapName] | None = None,
    reason: ReasonOption = "",
    url: UrlOption = None,
    json: JsonOption = False,
) -> None:
    """Set a team's caps. A cap that is not named stays.

    Args:
        open_submissions: how many may be open at a time.
        items_a_day: how many items it may ask for within 24 hours.
        models: how many models it may register.
        default: name of a cap to set back to the instance's default, may be repeated.
    """
    numbers = {"open_submissions": open_submissions, "items_a_day": items_a_day, "models": models}
    given: dict[str, int | None] = {name: number for name, number in numbers.items() if number is not None}
    given |= dict.fromkeys(default or [])
    with operate(url) as client:
        request = msgspec.convert({**given, "reason": reason}, type=CapsRequest)
        _show(client.set_caps(team, request), json=json)


def approve(
    team: TeamArgument,
    corpus: CorpusArgument,
    *,
    cap: Annotated[int, Parameter(validator=Number(gte=1))],
    reason: ReasonOption = "",
    url: UrlOption = None,
    json: JsonOption = False,
) -> None:
    """Allow a team to open up to CAP submissions on a corpus, or to draw from a source. A second call replaces CAP.

    Args:
        cap: how many submissions; of a source that is no corpus it bounds nothing.
    """
    with operate(url) as client:
        _show(client.approve_corpus(team, corpus, ApprovalRequest(submissions_cap=cap, reason=reason)), json=json)


def disapprove(team: TeamArgument, corpus: CorpusArgument, *, url: UrlOption = None, json: JsonOption = False) -> None:
    """Withdraw the approval for a corpus or a source."""
    with operate(url) as client:
        _show(client.disapprove_corpus(team, corpus), json=json)


def delete(
    team: TeamArgument,
    *,
    yes: bool = False,
    public_reason: str | None = None,
    reason: ReasonOption = "",
    url: UrlOption = None,
    json: JsonOption = False,
) -> None:
    """Delete a team. Boards keep a pseudonym.

    Its name, contact, API keys, replies and private submissions are deleted.

    Args:
        yes: delete it; without, only show what would be deleted.
        public_reason: shown with the pseudonym.
    """
    with operate(url) as client:
        record = client.show_team(team)
        if not yes:
            _show(record, json=json)
            errors.print("Nothing is deleted. This can't be taken back; to do it, add --yes.", soft_wrap=True)
            sys.exit(NOT_CONFIRMED)
        request = DeletionRequest(confirm=record.team.name, public_reason=public_reason, reason=reason)
        done = client.delete_team(record.team.id, request)
    if json:
        print_json(done)
        return
    kept = f"{done.submissions_kept} submissions stay on boards as {done.team.name}"
    say(f"{done.team.id} is deleted: {done.submissions_deleted} submissions are gone, {kept}.")


def _show(record: TeamRecord, *, json: bool) -> None:
    if json:
        print_json(record)
        return
    team = record.team
    state = team.state if team.state_reason is None else f"{team.state}: {team.state_reason}"
    rows = [["id", team.id], ["title", team.title], ["contact", record.contact or "-"], ["state", state]]
    if team.caps is not None and team.usage is not None:
        used = [(name, getattr(team.usage, name), getattr(team.caps, name)) for name in get_args(CapName)]
        rows += [[name.replace("_", " "), f"{usage} of {cap}"] for name, usage, cap in used]
    rows += [["corpus", f"{approval.corpus}: {approval.submissions_cap} submissions"] for approval in team.approvals]
    rows += [["model names", ", ".join(record.models) or "-"], ["submissions", _list_states(record.submissions)]]
    table(f"Team {team.name}", ["", ""], rows)


def _list_states(states: dict[str, int]) -> str:
    return ", ".join(f"{number} {state}" for state, number in sorted(states.items())) or "-"
