"""`tetrad submit`: open a submission, answer it with a model, wait for the report."""

import os
import shlex
import time
from typing import Annotated

from cyclopts import Parameter

from tetrad.cli.credentials import connect_with_key
from tetrad.cli.output import console, errors, print_json, progress_bar
from tetrad.cli.parameters import parse_parameters
from tetrad.client import Client, ServiceError, TetradError
from tetrad.contracts.accounts import ModelRequest
from tetrad.contracts.reports import Report
from tetrad.contracts.submissions import Submission, SubmissionRequest
from tetrad.runner import (
    Plan,
    ReplyError,
    Responder,
    RunError,
    SubmissionOverHttp,
    answer_submission,
    command_responder,
    http_responder,
    solver_responder,
)

CONFLICT = 409
POLL_SECONDS = 0.3
PATIENCE_SECONDS = 120


class SubmitError(TetradError):
    """The options don't go together, or the submission did not end well."""


def submit(  # one option for each choice a submission has
    *,
    benchmark: str,
    model: str,
    track: str | None = None,
    setting: str = "full",
    size: int = 200,
    parameter: list[str] | None = None,
    command: str | None = None,
    openai: str | None = None,
    private: bool = False,
    nonce: str | None = None,
    resume: str | None = None,
    concurrency: int = 4,
    model_seed: Annotated[int, Parameter(name="--model-seed")] = 0,
    url: str | None = None,
    json: bool = False,
) -> None:
    """Answer a whole submission, wait until it is scored, and print the report.

    The model answers here, on this machine: one of random, constant, text-only and pixel-solver by its name; or any
    command (--command) that reads a question's JSON on its input and prints its reply; or a server (--openai).

    Args:
        benchmark: for example kiva.
        model: the name it stands under on the board; registered at first use.
        track: the track; the benchmark's own name by default.
        setting: what is asked and shown.
        size: how many items.
        parameter: NAME=VALUE, may be repeated.
        command: a command that answers, for example "python my_model.py".
        openai: address, ending in /v1, of a server with /chat/completions; its key from $OPENAI_API_KEY.
        private: keep it off the board.
        nonce: your part of the seed; drawn for you by default.
        resume: id of an open submission to go on with, instead of opening one.
        concurrency: questions asked at a time.
        model_seed: the seed of the random model.
        url: address of the service.
        json: print the report as JSON.
    """
    responder = _responder(model, command=command, openai=openai, seed=model_seed)
    with connect_with_key(url) as client:
        if resume is None:
            request = SubmissionRequest(
                benchmark=benchmark,
                track=track or benchmark,
                setting=setting,
                size=size,
                parameters=parse_parameters(parameter or []),
                model=model,
                visibility="private" if private else "public",
                nonce=nonce,
            )
            submission = _open(client, request)
        else:
            submission = client.submission(resume)
        errors.print(f"{submission.id}: {submission.size} items, commitment {submission.commitment}", soft_wrap=True)
        _answer(client, submission, responder, concurrency)
        report = _wait(client, submission.id)
        print_json(report) if json else console.print(
            client.report_markdown(submission.id), markup=False, soft_wrap=True
        )


def _responder(model: str, *, command: str | None, openai: str | None, seed: int) -> Responder:
    if command is not None and openai is not None:
        raise SubmitError("--command and --openai are two ways to answer; give one")
    if command is not None:
        return command_responder(shlex.split(command))
    if openai is not None:
        return http_responder(openai, model, key=os.environ.get("OPENAI_API_KEY"))
    try:
        return solver_responder(model, seed=seed)
    except ReplyError as error:
        raise SubmitError(f"{error}; or give --command or --openai") from error


def _open(client: Client, request: SubmissionRequest) -> Submission:
    try:
        client.register_model(ModelRequest(name=request.model))
    except ServiceError as error:
        if error.problem.status != CONFLICT:
            raise
    return client.open_submission(request)


def _answer(client: Client, submission: Submission, responder: Responder, concurrency: int) -> None:
    """Answer all that opens; the bar counts items whose last question is answered."""
    with progress_bar() as bar:
        task = bar.add_task("answers", total=None)
        plan = Plan(concurrency=concurrency, batch=max(20, 4 * concurrency))
        try:
            answer_submission(
                SubmissionOverHttp(client, submission.id),
                responder,
                plan,
                report=lambda done: bar.update(task, completed=done.sealed),
            )
        except (RunError, ReplyError) as error:
            raise SubmitError(f"{error}\ngo on with: --resume {submission.id}") from error


def _wait(client: Client, submission: str) -> Report:
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        current = client.submission(submission)
        if current.state == "scored":
            return client.report(submission)
        if current.state in {"failed", "void"}:
            raise SubmitError(f"{submission} is {current.state}: {current.failure or current.void_reason}")
        time.sleep(POLL_SECONDS)
    raise SubmitError(
        f"{submission} is {current.state} after {PATIENCE_SECONDS} s; look again with: --resume {submission}"
    )
