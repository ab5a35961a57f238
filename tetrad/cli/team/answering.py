"""The options that say what answers, and what is made of them: for `tetrad submit`, `tetrad eval` and `tetrad ci`.

In this file: the options, the responders that they describe, and the bar beside which a submission is answered.
"""

import atexit
import os
import shlex
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import httpx
import msgspec
from cyclopts import Group, Parameter
from cyclopts.validators import Number

from tetrad.cli.output import progress_bar, say_apart
from tetrad.client import Client, TetradError
from tetrad.contracts.submissions import Submission
from tetrad.prompting import UnknownStrategyError, Wording, WordingError, find_strategy, load_wording
from tetrad.runner import (
    Plan,
    ReplyError,
    Responder,
    RunProgress,
    StandingProgram,
    SubmissionOverHttp,
    answer_submission,
    command_responder,
    http_responder,
    solver_responder,
)
from tetrad.runner.inspect_models import inspect_responder

OF_SERVERS = ("upstream", "max_tokens", "temperature", "extra_body")
OF_INSPECT = ("max_tokens", "temperature")


class SubmitError(TetradError):
    """The options don't go together, or the submission did not end well."""


@dataclass(frozen=True, kw_only=True)
class Answering:
    """The way the model is asked, and the code that asks it."""

    plan: Plan
    responder: Responder


@Parameter(name="*", group=Group("What answers", sort_key=2))
@dataclass(frozen=True, kw_only=True)
class AnsweringOptions:
    """What answers, and how it is asked. Without a command, a server or Inspect it is a packaged solver by its name."""

    command: str | None = None
    """A command that answers, for example "python my_model.py"."""
    keep_alive: bool = False
    """Start --command once, and let it answer one line of JSON with another until its input ends."""
    processes: Annotated[int | None, Parameter(validator=Number(gte=1))] = None
    """Copies of a --command that is kept alive; 1 by default."""
    base_url: str | None = None
    """Address, ending in /v1, of a server with /chat/completions; its key from $OPENAI_API_KEY."""
    upstream: str | None = None
    """What the server of --base-url calls the model, for example Qwen/Qwen2.5-VL-7B-Instruct; the name of --model by
    default."""
    inspect: str | None = None
    """A model as Inspect names it, such as openai/gpt-x: any of its providers; needs the extra `inspect`."""
    strategy: str = "direct"
    """The way to ask the model: direct, step-by-step, reflect, reflect-3, instructions-first, code-first,
    neuro-symbolic, in-context."""
    wording: Path | None = None
    """A TOML file of your own words around questions, and of your own strategies."""
    max_tokens: Annotated[int | None, Parameter(validator=Number(gte=1))] = None
    """The most tokens of a reply of the server; its own limit by default."""
    temperature: Annotated[float | None, Parameter(validator=Number(gte=0, lte=2))] = None
    """The sampling temperature of the server; its own by default. CARV's paper used 0.2."""
    extra_body: str | None = None
    """A JSON object of further fields for the server, for example '{"top_k": 1}'."""
    timeout: Annotated[float, Parameter(validator=Number(gt=0))] = 120.0
    """Seconds that a command or a server may take for a reply; the first of a --command that is kept alive may take ten
    minutes."""
    concurrency: Annotated[int, Parameter(validator=Number(gte=1))] = 4
    """Questions asked at a time."""
    model_seed: int = 0
    """The seed of the random model."""

    def is_solver(self) -> bool:
        return self.command is None and self.base_url is None and self.inspect is None

    def answering(self, model: str) -> Answering:
        """Return the way to ask what answers for this model.

        Raises:
            SubmitError: the options don't go together, or nothing of this name answers.
        """
        return Answering(plan=self.plan(), responder=self.responder(model))

    def plan(self) -> Plan:
        """Return the plan for asking. Refuse an unknown strategy, or one without effect, before anything opens."""
        if self.command is not None and (self.strategy != "direct" or self.wording is not None):
            raise SubmitError("--command reads the question itself, no prompt; leave out --strategy and --wording")
        try:
            wording = Wording() if self.wording is None else load_wording(self.wording)
            strategy = find_strategy(self.strategy, wording)
        except (WordingError, UnknownStrategyError) as error:
            raise SubmitError(str(error)) from error
        return Plan(
            strategy=strategy.name,
            wording=wording,
            concurrency=self.concurrency,
            batch=max(20, 4 * self.concurrency),
        )

    def responder(self, model: str) -> Responder:
        self._check_ways()
        if self.command is not None:
            return self._program(self.command)
        if self.base_url is not None:
            return self._server(self.base_url, model)
        try:
            if self.inspect is not None:
                return inspect_responder(
                    self.inspect,
                    timeout_seconds=self.timeout,
                    temperature=self.temperature,
                    max_tokens=self.max_tokens,
                )
            return solver_responder(model, seed=self.model_seed)
        except ReplyError as error:
            raise SubmitError(
                f"{error}; or give --command or --base-url" if self.is_solver() else str(error)
            ) from error

    def as_line(self, model: str) -> str:
        """Return these options as they are typed, those that differ from their defaults."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        if self.base_url is not None:
            given["upstream"] = self.upstream or model
        changed = {name: value for name, value in given.items() if value != getattr(NOTHING_GIVEN, name)}
        return "".join(f" {_write_option(name, value)}" for name, value in changed.items())

    def _check_ways(self) -> None:
        if sum(way is not None for way in (self.command, self.base_url, self.inspect)) > 1:
            raise SubmitError("--command, --base-url and --inspect are ways to answer; give one")
        for name in OF_SERVERS:
            if getattr(self, name) is None or self.base_url is not None:
                continue
            if self.inspect is None or name not in OF_INSPECT:
                raise SubmitError(f"{_option(name)} is told to the server of --base-url; give one, or leave it out")
        if (self.keep_alive and self.command is None) or (self.processes is not None and not self.keep_alive):
            raise SubmitError(
                "--keep-alive is for --command, and --processes for --keep-alive; give both, or leave it out"
            )

    def _program(self, command: str) -> Responder:
        try:
            argv = shlex.split(command)
            if not self.keep_alive:
                return command_responder(argv, timeout_seconds=self.timeout)
            standing = StandingProgram(argv, processes=self.processes or 1, timeout_seconds=self.timeout)
        except (ReplyError, ValueError) as error:  # ValueError: a quotation mark is not closed
            raise SubmitError(f"--command {command}: {error}") from error
        atexit.register(standing.close)
        return standing

    def _server(self, address: str, model: str) -> Responder:
        try:
            url = httpx.URL(address)
            is_server = url.scheme in {"http", "https"} and bool(url.host)
        except httpx.InvalidURL:
            is_server = False
        if not is_server:
            raise SubmitError(f"--base-url: {address!r} is no server's address; give one like http://127.0.0.1:9000/v1")
        return http_responder(
            address,
            self.upstream or model,
            key=os.environ.get("OPENAI_API_KEY"),
            timeout_seconds=self.timeout,
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            extra=_fields(self.extra_body),
        )


NOTHING_GIVEN = AnsweringOptions()


def answer_with_bar(
    client: Client, submission: Submission, answering: Answering, about: Callable[[], str] | None = None
) -> None:
    """Answer every question that opens. The bar counts items that have no further question.

    `about` tells what is shown beside the count of answers, such as the cost so far.
    """
    before = submission.progress.items_finished
    with progress_bar() as bar:
        task = bar.add_task("items", total=submission.size, completed=before)

        def show(done: RunProgress) -> None:
            items = submission.size if done.state != "open" else before + done.items_done
            sealed = f"items ({done.sealed} answers sealed{'' if about is None else about()})"
            bar.update(task, completed=min(items, submission.size), description=sealed)

        port = SubmissionOverHttp(client, submission.id)
        done = answer_submission(port, answering.responder, answering.plan, report=show)
    tell_altered(done)


def tell_altered(done: RunProgress) -> None:
    """Say how many replies were altered before they were sealed."""
    if done.altered:
        what = "reply was" if done.altered == 1 else "replies were"
        say_apart(
            f"{done.altered} {what} altered before sealing: what can't be stored (NUL) became U+FFFD, or of "
            "more than 32 KiB thinking was left out first, then the beginning"
        )


def _fields(text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise SubmitError(f"--extra-body {text!r} is no JSON object ({error})") from error


def _write_option(name: str, value: object) -> str:
    return _option(name) if value is True else f"{_option(name)} {shlex.quote(str(value))}"


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
