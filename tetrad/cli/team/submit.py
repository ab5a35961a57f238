"""`tetrad submit`: open a submission, answer it with a model, wait for the report.

In this file: the options, the command, and the check of options against a submission that is resumed.
"""

import atexit
import os
import re
import shlex
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, get_args

import httpx
import msgspec
from cyclopts import Parameter
from cyclopts.validators import Number

from tetrad.cli.credentials import connect_with_key
from tetrad.cli.output import errors, leave_at_once, print_json, progress_bar, say, say_apart
from tetrad.cli.team.parameters import named, parse_parameters
from tetrad.cli.team.rehearsing import rehearse
from tetrad.cli.team.submissions import write_bundle
from tetrad.cli.team.thresholds import FailUnder, check_report
from tetrad.client import Client, ServiceError, TetradError
from tetrad.contracts.accounts import ModelRequest
from tetrad.contracts.benchmarks import ConversationChoice
from tetrad.contracts.reports import Report
from tetrad.contracts.submissions import DEFAULT_SIZE, Submission, SubmissionRequest
from tetrad.contracts.wire import Name
from tetrad.prompting import UnknownStrategyError, Wording, WordingError, find_strategy, load_wording
from tetrad.reporting.markdown import ASKED
from tetrad.runner import (
    Plan,
    ReplyError,
    Responder,
    RunError,
    RunProgress,
    StalledError,
    StandingProgram,
    SubmissionOverHttp,
    answer_submission,
    command_responder,
    http_responder,
    solver_responder,
)
from tetrad.runner.inspect_models import inspect_responder

CONFLICT = 409
INSPECT_TAKES = ("temperature", "max_tokens")
NO_SOURCES = "none"  # the `bank` of an identity whose items need no source
POLL_SECONDS = 0.3
PATIENCE_SECONDS = 120
NAME = re.compile(get_args(Name)[1].pattern)
INTERRUPTED = 130  # what a shell says of a program that Ctrl-C ended


class SubmitError(TetradError):
    """The options don't go together, or the submission did not end well."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options: what to submit to, and what answers. None means not given."""

    benchmark: str | None = None
    """For example kiva; needed without --resume."""
    model: str | None = None
    """The name it stands under on the board, registered at first use: a-z, 0-9, dot, underscore and hyphen; needed
    without --resume."""
    track: str | None = None
    """The track; the benchmark's first by default."""
    setting: str | None = None
    """The setting: questions and pictures of an item; the track's first by default."""
    size: int | None = None
    """The number of items; 250 by default, enough for a rank unless the card says that a source is too small."""
    parameter: list[str] = field(default_factory=list)
    """NAME=VALUE, may be repeated."""
    source: list[str] = field(default_factory=list)
    """KIND:NAME of a source to draw from, may be repeated; the default ones otherwise."""
    conversation: ConversationChoice | None = None
    """The way to ask an item's questions: joined in one conversation, each in a fresh context, or as the card says of
    the setting (the default). It changes no item, but each way has a board of its own."""
    command: str | None = None
    """A command that answers, for example "python my_model.py"."""
    keep_alive: bool = False
    """Start --command once, and let it answer one line of JSON with another until its input ends."""
    processes: Annotated[int | None, Parameter(validator=Number(gte=1))] = None
    """Copies of a --command that is kept alive; 1 by default."""
    openai: str | None = None
    """Address, ending in /v1, of a server with /chat/completions; its key from $OPENAI_API_KEY."""
    openai_model: str | None = None
    """What --openai's server calls the model, for example Qwen/Qwen2.5-VL-7B-Instruct; the name of --model by
    default."""
    max_tokens: Annotated[int | None, Parameter(validator=Number(gte=1))] = None
    """The most tokens of a reply of --openai's server; its own limit by default."""
    timeout: Annotated[float, Parameter(validator=Number(gt=0))] = 120.0
    """Seconds that --command or --openai's server may take for a reply; the first of a --command that is kept alive may
    take ten minutes."""
    extra_body: str | None = None
    """A JSON object of further fields for --openai's server, for example '{"top_k": 1}'."""
    inspect: str | None = None
    """A model as Inspect names it, such as openai/gpt-x: any of its providers; needs the extra `inspect`."""
    strategy: str = "direct"
    """The way to ask the model: direct, step-by-step, reflect, reflect-3, instructions-first, code-first,
    neuro-symbolic, in-context."""
    temperature: Annotated[float | None, Parameter(validator=Number(gte=0, lte=2))] = None
    """The sampling temperature of --openai's server; its own by default. CARV's paper used 0.2."""
    wording: Path | None = None
    """A TOML file of your own words around questions, and of your own strategies."""
    private: bool | None = None
    """Keep it off the board."""
    nonce: str | None = None
    """Your part of the seed; drawn for you by default."""
    bundle: Path | None = None
    """Only open it, and write its questions and pictures to this tar file, to be answered offline."""
    resume: str | None = None
    """Id of a submission of yours to go on with, instead of opening one: benchmark, model and all are its own."""
    concurrency: Annotated[int, Parameter(validator=Number(gte=1))] = 4
    """Questions asked at a time."""
    model_seed: int = 0
    """The seed of the random model."""
    url: str | None = None
    """Address of the service; $TETRAD_URL, else http://127.0.0.1:8000."""
    json: bool = False
    """Print the report as JSON; with --bundle the submission and the file."""
    fail_under: FailUnder = None
    """Exit 4 if the score is below this share, for example 0.5."""

    def request(self) -> SubmissionRequest:
        """Return the request that opens the submission.

        Raises:
            SubmitError: the benchmark, or the model's name on the board, is missing.
        """
        if self.benchmark is None:
            raise SubmitError(
                "--benchmark is missing: name one of `tetrad benchmarks`, or go on with --resume SUBMISSION"
            )
        if self.model is None:
            raise SubmitError("--model is missing: name what answers, as it shall stand on the board")
        if not NAME.match(self.model):
            slug = re.sub(r"[^a-z0-9._-]+", "-", self.model.rpartition("/")[2].lower()).strip("-._") or "my-model"
            raise SubmitError(
                f"--model {self.model!r}: a name on the board has 1 to 64 of a-z, 0-9, dot, underscore and hyphen, a "
                f"letter or digit first\nuse --model {slug}"
                + ("" if self.openai is None else f" --openai-model {shlex.quote(self.openai_model or self.model)}")
            )
        return SubmissionRequest(
            benchmark=self.benchmark,
            track=self.track,
            setting=self.setting,
            size=DEFAULT_SIZE if self.size is None else self.size,
            parameters=parse_parameters(self.parameter),
            source=self.source,
            model=self.model,
            visibility="private" if self.private else "public",
            nonce=self.nonce,
            conversation=self.conversation or "as-card",
        )


NOTHING_GIVEN = Options()


@dataclass(frozen=True, kw_only=True)
class Answering:
    """The way the model is asked, and the code that asks it."""

    plan: Plan
    responder: Responder


def submit(options: Annotated[Options, Parameter(name="*")] = NOTHING_GIVEN) -> None:
    """Answer a whole submission, wait until it is scored, and print the report.

    The model answers here, on this machine: a solver by its name, such as random (docs/models.md, "Solvers"); or any
    command (--command) that reads a question's JSON on its input and prints its reply; or a server (--openai).
    """
    if options.resume is not None:
        with connect_with_key(options.url) as client:
            _resume(client, options, options.resume)
        return
    request = options.request()
    if options.bundle is not None and options.bundle.exists():
        raise SubmitError(
            f"--bundle {options.bundle} is there already; name another file: it belongs to one submission"
        )
    answering = None if options.bundle is not None else answering_of(options, request.model)
    with connect_with_key(options.url) as client:
        if answering is not None:
            check_solver(client, options, request)
            rehearse(client, request, answering.plan, answering.responder)
        _go_on(client, options, open_with_model(client, request), answering)


def _resume(client: Client, options: Options, name: str) -> None:
    """Continue a submission as it was opened. If it takes no more answers, only wait for the report."""
    submission = client.submission(name)
    check_same(options, submission)
    is_answered_here = options.bundle is None and submission.state == "open"
    _go_on(client, options, submission, answering_of(options, submission.model) if is_answered_here else None)


def answering_of(options: Options, model: str) -> Answering:
    return Answering(plan=plan_of(options), responder=_responder(options, model))


def check_solver(client: Client, options: Options, request: SubmissionRequest) -> None:
    """Check that a solver that answers by its name answers what is asked for, before anything is opened.

    A fixed corpus has a name that its operator gave it, which says nothing: there a solver goes by the questions.

    Raises:
        SubmitError: it does not; the message names solvers that do.
    """
    if any(way is not None for way in (options.command, options.openai, options.inspect)):
        return
    # Here and not above: `tetrad` works without NumPy and Pillow, these solvers don't.
    from tetrad.solvers import NotCoveredError, check_covered, is_for_any  # noqa: PLC0415

    if is_for_any(request.model):
        return
    card = client.benchmark(request.benchmark).card
    if card.corpus is not None:
        return
    track = next((one for one in card.tracks if one.name == request.track), card.tracks[0])
    if request.track not in {None, track.name}:
        return  # the service refuses it, and says which tracks there are
    setting = request.setting or track.settings[0]
    try:
        check_covered(request.model, benchmark=request.benchmark, track=track.name, setting=setting)
    except NotCoveredError as error:
        raise SubmitError(f"nothing was opened: {error}\nor give --command or --openai") from error


def _go_on(client: Client, options: Options, submission: Submission, answering: Answering | None) -> None:
    asked = ASKED[submission.conversation]
    errors.print(
        f"{submission.id}: {submission.size} items, {asked}, commitment {submission.commitment}", soft_wrap=True
    )
    if options.bundle is not None:
        _bundle(client, submission, options.bundle, json=options.json)
        return
    try:
        if answering is not None:
            answer_with_bar(client, submission, answering)
        report = wait_scored(client, submission.id)
    except (RunError, ReplyError, StalledError) as error:
        raise SubmitError("\n".join([str(error), *_what_now(client, options, submission)])) from error
    except KeyboardInterrupt:
        say_apart("stopped", *_what_now(client, options, submission))
        leave_at_once(INTERRUPTED)
    if options.json:
        print_json(report)
    else:
        say(client.report_text(submission.id, "markdown"))
        say_apart(*without_rank(client, submission, report))
    check_report(report, options.fail_under)


def _what_now(client: Client, options: Options, submission: Submission) -> list[str]:
    """Return how far a submission is, and what can be done with it, as commands to copy."""
    try:
        current = client.submission(submission.id)
    except TetradError as error:
        state = [f"{submission.id}: its state can't be read now ({error})"]
    else:
        done = f"{current.progress.items_finished} of {current.size} items done"
        state = [f"{submission.id} is {current.state}: {done}; it takes answers until {current.deadline_at}"]
    return [
        *state,
        f"go on:       tetrad submit --resume {submission.id}{_again(options)}",
        f"or give up:  tetrad finish {submission.id}   (what is missing counts as wrong)",
    ]


def _again(options: Options) -> str:
    """Return the options that a resumed run needs again: those that say what answers, and how it is asked."""
    named = (
        "command",
        "keep_alive",
        "processes",
        "openai",
        "openai_model",
        "strategy",
        "temperature",
        "max_tokens",
        "timeout",
        "extra_body",
    )
    given = {name: getattr(options, name) for name in (*named, "wording", "concurrency", "model_seed", "url")}
    if options.openai is not None:
        given["openai_model"] = options.openai_model or options.model
    changed = {name: value for name, value in given.items() if value != getattr(NOTHING_GIVEN, name)}
    return "".join(f" {_typed(name, value)}" for name, value in changed.items())


def _typed(name: str, value: object) -> str:
    option = f"--{name.replace('_', '-')}"
    return option if value is True else f"{option} {shlex.quote(str(value))}"


def without_rank(client: Client, submission: Submission, report: Report) -> list[str]:
    """Return why a public submission's model has no rank yet, or nothing."""
    identity = submission.identity
    card = client.benchmark(identity.benchmark).card
    if submission.visibility == "private" or card.corpus is not None:
        return []
    ranked = {one.name: identity.parameters[one.name] for one in card.parameters if one.ranked}
    place = named(
        track=identity.track,
        setting=identity.setting,
        conversation=submission.conversation,
        source=None if identity.bank == NO_SOURCES else identity.bank,
    )
    board = client.leaderboard(identity.benchmark, **{**ranked, **place}, version=identity.version)
    own = [row for row in board.rows if (row.team, row.model) == (submission.team, submission.model)]
    if not own or own[0].rank_best is not None:
        return []
    counted, least = own[0].items, board.least_items
    of_this = f"{report.headline.items} of {report.size} items of this submission counted"
    return [f"No rank yet: the board ranks from {least} counted items; {submission.model} has {counted} ({of_this})."]


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


def plan_of(options: Options) -> Plan:
    """Return the plan for asking. Refuse an unknown strategy, or one without effect, before anything opens."""
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


def _responder(options: Options, model: str) -> Responder:
    if sum(way is not None for way in (options.command, options.openai, options.inspect)) > 1:
        raise SubmitError("--command, --openai and --inspect are ways to answer; give one")
    for name in ("temperature", "openai_model", "max_tokens", "extra_body"):
        if name in INSPECT_TAKES and options.inspect is not None:
            continue
        if getattr(options, name) is not None and options.openai is None:
            option = f"--{name.replace('_', '-')}"
            raise SubmitError(f"{option} is told to the server of --openai; give one, or leave it out")
    if (options.keep_alive and options.command is None) or (options.processes is not None and not options.keep_alive):
        raise SubmitError("--keep-alive is for --command, and --processes for --keep-alive; give both, or leave it out")
    if options.command is not None:
        return _program(options, options.command)
    if options.openai is not None:
        return _server(options, options.openai, model)
    if options.inspect is not None:
        return _inspected(options, options.inspect)
    try:
        return solver_responder(model, seed=options.model_seed)
    except ReplyError as error:
        raise SubmitError(f"{error}; or give --command or --openai") from error


def _inspected(options: Options, name: str) -> Responder:
    try:
        return inspect_responder(
            name, timeout_seconds=options.timeout, temperature=options.temperature, max_tokens=options.max_tokens
        )
    except ReplyError as error:
        raise SubmitError(str(error)) from error


def _server(options: Options, address: str, model: str) -> Responder:
    try:
        url = httpx.URL(address)
        is_server = url.scheme in {"http", "https"} and bool(url.host)
    except httpx.InvalidURL:
        is_server = False
    if not is_server:
        raise SubmitError(f"--openai: {address!r} is no server's address; give one like http://127.0.0.1:9000/v1")
    return http_responder(
        address,
        options.openai_model or model,
        key=os.environ.get("OPENAI_API_KEY"),
        timeout_seconds=options.timeout,
        temperature=options.temperature,
        max_tokens=options.max_tokens,
        extra=_fields(options.extra_body),
    )


def _fields(text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise SubmitError(f"--extra-body {text!r} is no JSON object ({error})") from error


def _program(options: Options, command: str) -> Responder:
    try:
        argv = shlex.split(command)
        if not options.keep_alive:
            return command_responder(argv, timeout_seconds=options.timeout)
        standing = StandingProgram(argv, processes=options.processes or 1, timeout_seconds=options.timeout)
    except (ReplyError, ValueError) as error:  # ValueError: a quotation mark is not closed
        raise SubmitError(f"--command {command}: {error}") from error
    atexit.register(standing.close)
    return standing


def open_with_model(client: Client, request: SubmissionRequest, *, idempotency_key: str | None = None) -> Submission:
    """Open the submission. A new model is registered first, which needs an API key with the scope admin."""
    own = {model.name for model in client.models(limit=500).models if model.kind == "team"}
    if request.model not in own:
        try:
            client.register_model(ModelRequest(name=request.model))
        except ServiceError as error:
            if error.problem.status != CONFLICT:
                raise
    return client.open_submission(request, idempotency_key=idempotency_key)


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
            told = f"items ({done.sealed} answers sealed{'' if about is None else about()})"
            bar.update(task, completed=min(items, submission.size), description=told)

        port = SubmissionOverHttp(client, submission.id)
        answer_submission(port, answering.responder, answering.plan, report=show)


def wait_scored(client: Client, submission: str) -> Report:
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


def check_same(options: Options, submission: Submission) -> None:
    """Check that a submission to be resumed was opened with the options given now.

    Raises:
        SubmitError: options differ; the message names each of them and the submission's own value.
    """
    if differing := list(_differing(options, submission)):
        raise SubmitError(
            "\n  ".join([f"{submission.id} was opened otherwise than these options say:", *differing])
            + "\nleave them out to go on with it, or leave out --resume to open another one"
        )


def _differing(options: Options, submission: Submission) -> Iterator[str]:
    identity, is_private = submission.identity, submission.visibility == "private"
    pairs = {
        "benchmark": (options.benchmark, identity.benchmark),
        "model": (options.model, submission.model),
        "track": (options.track, identity.track),
        "setting": (options.setting, identity.setting),
        "size": (options.size, submission.size),
        "nonce": (options.nonce, submission.nonce),
        # "as-card" was resolved when the submission was opened.
        "conversation": (None if options.conversation == "as-card" else options.conversation, submission.conversation),
    }
    yield from (
        f"--{name} {given}: it has {own}" for name, (given, own) in pairs.items() if given is not None and given != own
    )
    for name, value in parse_parameters(options.parameter).items():
        if name not in identity.parameters:
            yield f"--parameter {name}={value}: it has none of this name"
        elif str(own := identity.parameters[name]) != str(value):  # 1 may be typed for the text "1"
            yield f"--parameter {name}={value}: it has {own}"
    if options.source:
        yield f"--source {' '.join(options.source)}: it was drawn from its own sources (bank {identity.bank[:12]})"
    if options.private is not None and options.private != is_private:
        yield f"--{'' if options.private else 'no-'}private: it is {submission.visibility}"
