"""`tetrad admin hide`, `unhide`, `void`, `requeue`."""

from dataclasses import dataclass, field
from typing import Annotated

from cyclopts import Parameter

from tetrad.cli.credentials import UrlOption
from tetrad.cli.operator.connecting import ReasonOption, operate
from tetrad.cli.output import JsonOption, print_json, say
from tetrad.cli.team.parameters import parse_parameters
from tetrad.client import TetradError
from tetrad.contracts.benchmarks import ConversationChoice
from tetrad.contracts.leaderboards import Board
from tetrad.contracts.operator import RowRequest
from tetrad.reporting.markdown import ASKED


class RowNameError(TetradError):
    """The text is not TEAM/MODEL."""


@dataclass(frozen=True, kw_only=True)
class BoardOptions:
    """The board that the row is on."""

    benchmark: str
    """For example kiva."""
    track: str | None = None
    """The track; the first on the card by default."""
    setting: str | None = None
    """What is asked and shown; the track's first by default."""
    parameter: list[str] = field(default_factory=list)
    """NAME=VALUE of a ranked parameter, may be repeated."""
    conversation: ConversationChoice = "as-card"
    """How an item's questions were asked: as-card, joined or fresh."""
    url: str | None = None
    """Address of the service."""
    json: bool = False
    """Print the board as JSON."""

    def request(self, row: str, reason: str) -> RowRequest:
        team, slash, model = row.partition("/")
        if not slash:
            raise RowNameError(f"{row!r} is not TEAM/MODEL")
        return RowRequest(
            team=team,
            model=model,
            benchmark=self.benchmark,
            track=self.track,
            setting=self.setting,
            parameters=parse_parameters(self.parameter),
            conversation=self.conversation,
            reason=reason,
        )


def hide(row: str, *, reason: str, options: Annotated[BoardOptions, Parameter(name="*")]) -> None:
    """Hide a model's row on a board. The board shows that and the reason. No other rank changes.

    Args:
        row: TEAM/MODEL.
        reason: public.
        options: which board.
    """
    with operate(options.url) as client:
        _say(client.hide(options.request(row, reason)), f"{row} is hidden", json=options.json)


def unhide(
    row: str, *, reason: ReasonOption = "put back", options: Annotated[BoardOptions, Parameter(name="*")]
) -> None:
    """Show a hidden row again.

    Args:
        row: TEAM/MODEL.
        options: which board.
    """
    with operate(options.url) as client:
        _say(client.show_row(options.request(row, reason)), f"{row} is shown again", json=options.json)


def void(submission: str, *, reason: str, url: UrlOption = None, json: JsonOption = False) -> None:
    """Void a submission for good: it counts nowhere.

    Args:
        submission: its id.
        reason: public.
    """
    with operate(url) as client:
        done = client.void(submission, reason)
    print_json(done) if json else say(f"{done.id} is void: {done.void_reason}")


def requeue(submission: str, *, reason: ReasonOption = "", url: UrlOption = None, json: JsonOption = False) -> None:
    """Queue a failed submission again. It costs the team nothing.

    Args:
        submission: its id.
    """
    with operate(url) as client:
        done = client.requeue(submission, reason)
    print_json(done) if json else say(f"{done.id} is {done.state}.")


def _say(board: Board, done: str, *, json: bool) -> None:
    if json:
        print_json(board)
        return
    where = f"{board.benchmark} {board.version}, {board.track}, {board.setting}, {ASKED[board.conversation]}"
    say(f"{done} on the board of {where}: {len(board.rows)} rows are shown, {len(board.hidden)} hidden.")
