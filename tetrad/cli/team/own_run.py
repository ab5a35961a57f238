"""A run on this machine that is recorded in a folder, so that it can be taken up again and its costs bounded.

The folder holds `run.json` (the submission), `replies.jsonl` (every call and reply), and at the end `report.json` and
`costs.json`. It stands alone because `tetrad eval` and `tetrad ci` both make such runs.
"""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from tetrad.cli.output import say_apart
from tetrad.cli.team.rehearsing import rehearse
from tetrad.cli.team.submit import (
    Answering,
    Options,
    SubmitError,
    answer_with_bar,
    answering_of,
    check_same,
    check_solver,
    open_with_model,
    wait_scored,
)
from tetrad.client import Client
from tetrad.contracts.reports import Report
from tetrad.contracts.submissions import Submission
from tetrad.files import whole_file
from tetrad.reporting.markdown import ASKED
from tetrad.runner import ReplyError
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

    @classmethod
    def of(
        cls, *, price: str | None, picture_tokens: int, limit_cost: float | None, max_tokens: int | None
    ) -> "Spending":
        """Return the spending that options describe.

        Raises:
            SubmitError: the price can't be read, or the limit lacks what it needs.
        """
        prices = None if price is None else _prices(price, picture_tokens)
        if limit_cost is None:
            return cls(prices=prices)
        if prices is None or max_tokens is None:
            raise SubmitError(
                "--limit-cost needs --price INPUT,OUTPUT (dollars for a million tokens) and --max-tokens: "
                "without them nobody knows what the next question may cost"
            )
        return cls(prices=prices, limit=round(limit_cost * 1_000_000))


@contextmanager
def recorded(answering: Answering, folder: Path, spending: Spending, max_tokens: int | None) -> Iterator[Answering]:
    """Give the same answering, with its replies recorded in the folder and its costs bounded."""
    try:
        record = RecordedReplies(
            folder, answering.responder, prices=spending.prices, max_tokens=max_tokens or 0, limit=spending.limit
        )
    except (ReplyError, msgspec.DecodeError) as error:
        raise RunFolderError(f"{folder}: {error}") from error
    with record:
        yield Answering(plan=answering.plan, responder=record)


def own_run(client: Client, options: Options, folder: Path, spending: Spending) -> tuple[Report, RunCosts]:
    """Answer a submission with a model of this machine, or go on with that of the folder; return report and costs.

    Raises:
        SubmitError: the model can't be asked, or the submission did not end well. What is sealed stays so.
        RunFolderError: the folder is of another run.
        RunError, ReplyError, StalledError: no answer came.
    """
    request = options.request()
    answering = answering_of(options, request.model)
    with recorded(answering, folder, spending, options.max_tokens) as own:
        record = own.responder
        assert isinstance(record, RecordedReplies)  # noqa: S101 -- as `recorded` gives it
        submission = _begun(client, options, folder, own)
        if submission.state == "open":
            priced = spending.prices is not None
            answer_with_bar(client, submission, own, (lambda: f", ${record.spent / 1e6:.4f}") if priced else None)
        report = wait_scored(client, submission.id)
        costs = record.costs()
    _keep(folder / REPORT, report)
    _keep(folder / COSTS, costs)
    return report, costs


def _begun(client: Client, options: Options, folder: Path, answering: Answering) -> Submission:
    """Return the folder's submission, or open one once a practice question is answered."""
    file, request = folder / RUN, options.request()
    try:
        begun = msgspec.json.decode(file.read_bytes(), type=_Begun)
    except FileNotFoundError:
        check_solver(client, options, request)
        rehearse(client, request, answering.plan, answering.responder)
        begun = _Begun(idempotency_key=str(uuid.uuid4()))
        _keep(file, begun)
    except msgspec.DecodeError as error:
        raise RunFolderError(f"{file} can't be read ({error}); name another folder, or delete it") from error
    if begun.submission is not None:
        submission = client.submission(begun.submission)
        try:
            check_same(options, submission)
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
    if len(given) not in {2, 3} or not all(0 <= one < float("inf") for one in given):
        raise SubmitError(
            f"--price {text!r} is not INPUT,OUTPUT or INPUT,OUTPUT,CACHED: dollars for a million tokens, as in 2.50,10"
        )
    cached = given[2] if len(given) == 3 else None  # noqa: PLR2004
    return Prices(input=given[0], output=given[1], cached_input=cached, picture_tokens=picture_tokens)
