"""A run on this machine that is recorded in a folder, so that it can be taken up again and its costs bounded.

The folder holds `run.json` (the submission), `replies.jsonl` (every call and reply), and at the end `report.json` and
`costs.json`. It stands alone because `tetrad eval` and `tetrad ci` both make such runs.
"""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Group, Parameter
from cyclopts.validators import Number

from tetrad.cli.output import say_apart
from tetrad.cli.team.answering import Answering, SubmitError, answer_with_bar
from tetrad.cli.team.opening import Entry, check_same, check_solver, open_with_model
from tetrad.cli.team.rehearsing import rehearse
from tetrad.cli.team.reports import wait_scored
from tetrad.client import Client
from tetrad.contracts.reports import Report
from tetrad.contracts.submissions import Submission
from tetrad.files import whole_file
from tetrad.money import MICRODOLLARS_A_DOLLAR, show_microdollars
from tetrad.reporting.markdown import ASKED
from tetrad.runner import ReplyError, Responder
from tetrad.runner.recording import Prices, RecordedReplies, RunCosts

RUN, REPORT, COSTS = "run.json", "report.json", "costs.json"


class RunFolderError(SubmitError):
    """The folder holds a run of something else, or can't be used."""


class _Begun(msgspec.Struct, kw_only=True):
    """The content of run.json. The key is there before the submission, so that a killed run opens it once."""

    idempotency_key: str
    submission: str | None = None


@dataclass(frozen=True, kw_only=True)
class Spending:
    """The price of calls, and the most that all runs of a folder may cost together, in micro-dollars."""

    prices: Prices | None = None
    limit: int | None = None


@Parameter(name="*", group=Group("Costs", sort_key=3))
@dataclass(frozen=True, kw_only=True)
class SpendingOptions:
    """The price of calls, and the most that they may cost."""

    price: str | None = None
    """INPUT,OUTPUT or INPUT,OUTPUT,CACHED: dollars for a million tokens, for example 2.50,10."""
    picture_tokens: Annotated[int, Parameter(validator=Number(gte=0))] = 2000
    """The most tokens that a picture can be, for --limit-cost."""
    limit_cost: Annotated[float | None, Parameter(validator=Number(gte=0))] = None
    """The most dollars that this run may cost; needs --price and --max-tokens. Calls in flight count at their most."""

    def spending(self, max_tokens: int | None) -> Spending:
        """Return the spending that the options describe.

        Raises:
            SubmitError: the price can't be read, or the limit lacks what it needs.
        """
        prices = None if self.price is None else _prices(self.price, self.picture_tokens)
        if self.limit_cost is None:
            return Spending(prices=prices)
        if prices is None or max_tokens is None:
            raise SubmitError(
                "--limit-cost needs --price INPUT,OUTPUT (dollars for a million tokens) and --max-tokens: "
                "without them nobody knows what the next question may cost"
            )
        return Spending(prices=prices, limit=round(self.limit_cost * MICRODOLLARS_A_DOLLAR))


NO_LIMIT = SpendingOptions()


@contextmanager
def record_replies(
    responder: Responder, folder: Path, spending: Spending, max_tokens: int | None
) -> Iterator[RecordedReplies]:
    """Give the same responder, with its replies recorded in the folder and its costs bounded."""
    try:
        record = RecordedReplies(
            folder, responder, prices=spending.prices, max_tokens=max_tokens or 0, limit=spending.limit
        )
    except (ReplyError, msgspec.DecodeError) as error:
        raise RunFolderError(f"{folder}: {error}") from error
    with record:
        yield record


def own_run(client: Client, entry: Entry, folder: Path, spending: Spending) -> tuple[Report, RunCosts]:
    """Answer a submission with a model of this machine, or go on with that of the folder; return report and costs.

    Raises:
        SubmitError: the model can't be asked, or the submission did not end well. What is sealed stays so.
        RunFolderError: the folder is of another run.
        RunError, ReplyError, StalledError: no answer came.
    """
    answering = entry.answering.answering(entry.request().model)
    with record_replies(answering.responder, folder, spending, entry.answering.max_tokens) as record:
        recorded = Answering(plan=answering.plan, responder=record)
        submission = _open_once(client, entry, folder, recorded)
        if submission.state == "open":
            priced = spending.prices is not None
            spent = (lambda: f", {show_microdollars(record.spent, 4)}") if priced else None
            answer_with_bar(client, submission, recorded, spent)
        report = wait_scored(client, submission.id)
        costs = record.costs()
    _keep(folder / REPORT, report)
    _keep(folder / COSTS, costs)
    return report, costs


def _open_once(client: Client, entry: Entry, folder: Path, answering: Answering) -> Submission:
    """Return the folder's submission, or open one once a practice question is answered."""
    file, request = folder / RUN, entry.request()
    try:
        begun = msgspec.json.decode(file.read_bytes(), type=_Begun)
    except FileNotFoundError:
        check_solver(client, entry.answering, request)
        rehearse(client, request, answering.plan, answering.responder)
        begun = _Begun(idempotency_key=str(uuid.uuid4()))
        _keep(file, begun)
    except msgspec.DecodeError as error:
        raise RunFolderError(f"{file} can't be read ({error}); name another folder, or delete it") from error
    if begun.submission is not None:
        submission = client.submission(begun.submission)
        try:
            check_same(entry, submission, otherwise="name another --folder for another run")
        except SubmitError as error:
            raise RunFolderError(f"{folder} holds another run: {error}") from error
        say_apart(f"{folder}: going on with {submission.id}, which is {submission.state}")
        return submission
    submission = open_with_model(client, request, idempotency_key=begun.idempotency_key)
    _keep(file, _Begun(idempotency_key=begun.idempotency_key, submission=submission.id))
    asked = ASKED[submission.conversation]
    say_apart(f"{submission.id}: {submission.size} items, {asked}, commitment {submission.commitment}")
    return submission


def _keep(file: Path, document: object) -> None:
    with whole_file(file) as part:
        part.write(msgspec.json.format(msgspec.json.encode(document)) + b"\n")


def _prices(text: str, picture_tokens: int) -> Prices:
    try:
        given = [float(part) for part in text.split(",")]
    except ValueError:
        given = []
    if len(given) not in {2, 3} or not all(0 <= price < float("inf") for price in given):
        raise SubmitError(
            f"--price {text!r} is not INPUT,OUTPUT or INPUT,OUTPUT,CACHED: dollars for a million tokens, as in 2.50,10"
        )
    cached = given[2] if len(given) == 3 else None  # noqa: PLR2004
    return Prices(input=given[0], output=given[1], cached_input=cached, picture_tokens=picture_tokens)
