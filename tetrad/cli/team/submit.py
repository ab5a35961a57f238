"""`tetrad submit`: open a submission, answer it with a model, wait for the report."""

import os
import shlex
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import httpx
from cyclopts import Parameter

from tetrad.cli.credentials import connect_with_key
from tetrad.cli.output import errors, print_json, progress_bar, say
from tetrad.cli.team.parameters import named
from tetrad.cli.team.submissions import write_bundle
from tetrad.cli.team.submit_options import Options, SubmitError, check_same
from tetrad.client import Client, ServiceError
from tetrad.contracts.accounts import ModelRequest
from tetrad.contracts.reports import Report
from tetrad.contracts.submissions import Submission, SubmissionRequest
from tetrad.prompting import UnknownStrategyError, Wording, WordingError, find_strategy, load_wording
from tetrad.reporting.markdown import ASKED
from tetrad.runner import (
    Plan,
    ReplyError,
    Responder,
    RunError,
    StalledError,
    SubmissionOverHttp,
    answer_submission,
    command_responder,
    http_responder,
    solver_responder,
)

CONFLICT = 409
POLL_SECONDS = 0.3
PATIENCE_SECONDS = 120
NOTHING_GIVEN = Options()


@dataclass(frozen=True, kw_only=True)
class Answering:
    """How the model is asked, what asks it, and the option that says so where it is none of our solvers."""

    plan: Plan
    responder: Responder
    option: str


def submit(options: Annotated[Options, Parameter(name="*")] = NOTHING_GIVEN) -> None:
    """Answer a whole submission, wait until it is scored, and print the report.

    The model answers here, on this machine: one of random, constant, text-only and pixel-solver by its name; or any
    command (--command) that reads a question's JSON on its input and prints its reply; or a server (--openai).
    """
    if options.resume is not None:
        with connect_with_key(options.url) as client:
            _resume(client, options, options.resume)
        return
    request = options.request()
    answering = None if options.bundle is not None else _answering(options, request.model)
    with connect_with_key(options.url) as client:
        if answering is not None:
            _check_examples(client, request, answering.plan)
        _go_on(client, options, _open(client, request), answering)


def _resume(client: Client, options: Options, name: str) -> None:
    """Go on with a submission as it was opened; one that takes no more answers is only waited for."""
    submission = client.submission(name)
    check_same(options, submission)
    is_answered_here = options.bundle is None and submission.state == "open"
    _go_on(client, options, submission, _answering(options, submission.model) if is_answered_here else None)


def _answering(options: Options, model: str) -> Answering:
    plan = _plan(options)
    option = " --command ..." if options.command is not None else " --openai ..." if options.openai is not None else ""
    return Answering(plan=plan, responder=_responder(options, model), option=option)


def _go_on(client: Client, options: Options, submission: Submission, answering: Answering | None) -> None:
    asked = ASKED[submission.conversation]
    errors.print(
        f"{submission.id}: {submission.size} items, {asked}, commitment {submission.commitment}", soft_wrap=True
    )
    if options.bundle is not None:
        _bundle(client, submission, options.bundle, json=options.json)
        return
    if answering is not None:
        _answer(client, submission, answering)
    report = _wait(client, submission.id)
    if options.json:
        print_json(report)
    else:
        say(client.report_text(submission.id, "markdown"))


def _bundle(client: Client, submission: Submission, out: Path, *, json: bool) -> None:
    write_bundle(client, submission.id, out)
    if json:
        print_json({"submission": submission, "bundle": str(out)})
        return
    steps = (
        f"tetrad answers {submission.id} FILE.csv   (item,question,answer: or response, the whole reply)",
        f"tetrad questions {submission.id} --out {out}   until no question is left, by {submission.deadline_at}",
        f"tetrad report {submission.id}",
    )
    earlier = ", and in `earlier` the turns before each" if submission.conversation == "joined" else ""
    say(f"{out} holds the open questions and their pictures{earlier}. Then:", *steps)


def _plan(options: Options) -> Plan:
    """Say how to ask; a strategy that there is none of, or that nobody would hear, is refused before anything opens."""
    if options.command is not None and (options.strategy != "direct" or options.wording is not None):
        raise SubmitError("--command reads the question itself, no prompt; leave out --strategy and --wording")
    try:
        wording = Wording() if options.wording is None else load_wording(options.wording)
        strategy = find_strategy(options.strategy, wording)
    except (WordingError, UnknownStrategyError) as error:
        raise SubmitError(str(error)) from error
    return Plan(
        strategy=strategy.name,
        wording=wording,
        concurrency=options.concurrency,
        batch=max(20, 4 * options.concurrency),
    )


def _check_examples(client: Client, wanted: SubmissionRequest, plan: Plan) -> None:
    """Of a strategy that shows solved examples, look at a fresh item whether questions bring any, while it is free."""
    if not find_strategy(plan.strategy, plan.wording).steps.examples:
        return
    query = {**wanted.parameters, **named(track=wanted.track, setting=wanted.setting), "limit": 1}
    if not any(one.examples for item in client.practice(wanted.benchmark, **query).items for one in item.questions):
        raise SubmitError(
            f"--strategy {plan.strategy} shows solved examples, and these questions of {wanted.benchmark} bring none; "
            "use another strategy, or ask for them where there are some (kiva has --parameter in_context=2)"
        )


def _responder(options: Options, model: str) -> Responder:
    if options.command is not None and options.openai is not None:
        raise SubmitError("--command and --openai are two ways to answer; give one")
    if options.temperature is not None and options.openai is None:
        raise SubmitError("--temperature is told to the server of --openai; give one, or leave it out")
    if options.command is not None:
        return _program(options.command)
    if options.openai is not None:
        return _server(options.openai, model, options.temperature)
    try:
        return solver_responder(model, seed=options.model_seed)
    except ReplyError as error:
        raise SubmitError(f"{error}; or give --command or --openai") from error


def _server(address: str, model: str, temperature: float | None) -> Responder:
    try:
        url = httpx.URL(address)
        is_server = url.scheme in {"http", "https"} and bool(url.host)
    except httpx.InvalidURL:
        is_server = False
    if not is_server:
        raise SubmitError(f"--openai: {address!r} is no server's address; give one like http://127.0.0.1:9000/v1")
    return http_responder(address, model, key=os.environ.get("OPENAI_API_KEY"), temperature=temperature)


def _program(command: str) -> Responder:
    try:
        return command_responder(shlex.split(command))
    except (ReplyError, ValueError) as error:  # the latter of a quotation mark without its partner
        raise SubmitError(f"--command {command}: {error}") from error


def _open(client: Client, request: SubmissionRequest) -> Submission:
    """Open it, and register the model before if it is new: only that needs a key with the scope admin."""
    own = {model.name for model in client.models(limit=500).models if model.kind == "team"}
    if request.model not in own:
        try:
            client.register_model(ModelRequest(name=request.model))
        except ServiceError as error:
            if error.problem.status != CONFLICT:
                raise
    return client.open_submission(request)


def _answer(client: Client, submission: Submission, answering: Answering) -> None:
    """Answer all that opens; the bar counts items whose last question is answered."""
    with progress_bar() as bar:
        task = bar.add_task("answers", total=None)
        try:
            answer_submission(
                SubmissionOverHttp(client, submission.id),
                answering.responder,
                answering.plan,
                report=lambda done: bar.update(task, completed=done.sealed),
            )
        except (RunError, ReplyError, StalledError) as error:
            raise SubmitError(f"{error}\ngo on with: --resume {submission.id}{answering.option}") from error


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
