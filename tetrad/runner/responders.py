"""Ways to answer a prompt: a program, a server with OpenAI's chat completions, or a solver of this package.

A program reads one JSON document on its standard input and prints its reply. docs/api.md says what the document holds.
"""

import hashlib
import secrets
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast, get_args

import httpx
import msgspec

from tetrad.client.errors import retry_after
from tetrad.contracts.inference import StopKind
from tetrad.contracts.items import Question, SolvedExample
from tetrad.runner.ports import ModelReply, Prompt, RefusedError, ReplyError
from tetrad.tls import trusted

SHOWN = 500  # characters of a server's body, or of the end of a program's standard error, in a message
_WORTH_RETRYING = frozenset({408, 409, 425, 429})


class CommandTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A question as the service asks it, and its pictures as PNG files by name.

    An option is its label with a text, the name of a picture, or neither. Pictures of solved examples come last.
    Files are gone once the program ends.
    """

    id: str
    kind: str
    text: str
    instruction: str
    options: list[dict[str, str]]
    examples: list[SolvedExample]
    pictures: list[dict[str, str]]


class AnsweredTurn(CommandTurn, frozen=True, kw_only=True):
    """An earlier question with what was sealed for it: the option (`answer`) or the whole reply; the other is null."""

    answer: str | None
    response: str | None


class CommandQuestion(CommandTurn, frozen=True, kw_only=True):
    """The document that the program reads: the question, and the earlier turns of its conversation in order.

    `earlier` is empty where questions have fresh contexts. A picture has the same name and file in every turn.
    """

    earlier: list[AnsweredTurn]


def command_responder(argv: Sequence[str], *, timeout_seconds: float = 120.0) -> Callable[[Prompt], str]:
    """Run the program once for each question; what it prints is the reply.

    Raises:
        RefusedError: there is no such program.
    """
    program = shutil.which(argv[0]) if argv else None
    if program is None:
        raise RefusedError(f"command {' '.join(argv)!r}: no such program; give its path or a name on PATH")

    def respond(prompt: Prompt) -> str:
        with TemporaryDirectory(prefix="tetrad-") as folder:
            files = _written(prompt.pictures, Path(folder))
            return _run([program, *argv[1:]], msgspec.json.encode(_document(prompt, files)), timeout_seconds)

    return respond


def _written(pictures: Mapping[str, bytes], folder: Path) -> dict[str, str]:
    """Write each picture under its position: names come from outside and could be paths."""
    files = {name: folder / f"{position}.png" for position, name in enumerate(pictures, start=1)}
    for name, file in files.items():
        file.write_bytes(pictures[name])
    return {name: str(file) for name, file in files.items()}


def _document(prompt: Prompt, files: Mapping[str, str]) -> CommandQuestion:
    earlier = [
        AnsweredTurn(**_fields(turn.question, files), answer=turn.answer, response=turn.response)
        for turn in prompt.earlier
    ]
    return CommandQuestion(**_fields(prompt.question, files), earlier=earlier)


def _fields(question: Question, files: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a CommandTurn."""
    captions = {picture.name: picture.caption for picture in question.pictures}
    captions = {option.picture: "" for option in question.options if option.picture is not None} | captions
    return {
        "id": question.id,
        "kind": question.kind,
        "text": question.text,
        "instruction": question.instruction,
        "options": [
            {"label": option.label}
            | ({} if option.text is None else {"text": option.text})
            | ({} if option.picture is None else {"picture": option.picture})
            for option in question.options
        ],
        "examples": list(question.examples),
        "pictures": [
            {"name": name, "caption": captions[name], "path": path} for name, path in files.items() if name in captions
        ],
    }


def _run(argv: list[str], document: bytes, timeout_seconds: float) -> str:
    try:
        # The operator's own command line, run without a shell.
        ended = subprocess.run(  # noqa: S603
            argv, input=document, capture_output=True, timeout=timeout_seconds, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise ReplyError(f"command {argv[0]}: no reply within {timeout_seconds:g} s; it was stopped") from error
    except OSError as error:
        raise RefusedError(f"command {argv[0]}: can't be started ({error})") from error
    if ended.returncode != 0:
        said = ended.stderr.decode(errors="replace").strip()[-SHOWN:] or "nothing on standard error"
        raise ReplyError(f"command {argv[0]}: ended with status {ended.returncode}: {said}")
    return ended.stdout.decode(errors="replace").strip()


class _Message(msgspec.Struct):
    content: str | None = None
    refusal: str | None = None


class _Stop(msgspec.Struct):
    kind: str = ""


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None
    stop: _Stop | None = None


class _Reply(msgspec.Struct):
    """Of ChatReply, what is needed here: other servers leave the rest out, or write null."""

    choices: list[_Choice]


def http_responder(
    base_url: str,
    model: str,
    *,
    key: str | None = None,
    timeout_seconds: float = 120.0,
    temperature: float | None = None,
    max_tokens: int | None = None,
    seed: int | None = None,
    extra: Mapping[str, Any] | None = None,
    http: httpx.Client | None = None,
) -> Callable[[Prompt], ModelReply]:
    """Ask `base_url`/chat/completions; the address ends in /v1 as OpenAI's does.

    `extra` are further fields of the request's body, for what a server knows beside OpenAI's own; they go before the
    others. `http` brings a client of one's own (a proxy, a test); without it one is made, with the timeout.
    """
    client = http or httpx.Client(timeout=timeout_seconds, verify=trusted())
    address = base_url.rstrip("/") + "/chat/completions"
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
    knobs = {"temperature": temperature, "max_tokens": max_tokens, "seed": seed}
    given = {name: value for name, value in knobs.items() if value is not None}
    run = secrets.token_bytes(16)

    def respond(prompt: Prompt) -> ModelReply:
        body = {"model": model, "messages": prompt.messages, **given, **(extra or {})}
        content = msgspec.json.encode(body)
        # A gateway that has the reply to a request that was lost does not ask its model again. Repeats of a question
        # have ids of their own, and equal questions of two items are told apart by the item: each is asked.
        asked = f"{prompt.item} {prompt.question.id}".encode()
        name = hashlib.sha256(b"\n".join([run, asked, content])).hexdigest()
        own = headers | {"Idempotency-Key": name}
        try:
            reply = client.post(address, content=content, headers=own)
        except httpx.HTTPError as error:
            raise ReplyError(f"{address}: no reply ({type(error).__name__}: {error})") from error
        return _reply(address, reply)

    return respond


def _reply(address: str, reply: httpx.Response) -> ModelReply:
    if reply.is_error:
        message = f"{address}: {reply.status_code}: {reply.text[:SHOWN]}"
        if reply.status_code in _WORTH_RETRYING or reply.is_server_error:
            raise ReplyError(message, wait_seconds=retry_after(reply))
        raise RefusedError(message)
    try:
        choices = msgspec.json.decode(reply.content, type=_Reply).choices
    except msgspec.DecodeError as error:
        raise ReplyError(f"{address}: not a chat completion ({error}): {reply.text[:SHOWN]}") from error
    if not choices:
        raise ReplyError(f"{address}: a chat completion without choices")
    first = choices[0]
    return ModelReply(text=first.message.content or first.message.refusal or "", stop=_stop_of(first))


def _stop_of(choice: _Choice) -> StopKind | None:
    """Return why a reply ended: as our gateway says, or else what OpenAI's reason tells; None where nothing is said."""
    if choice.stop is not None and choice.stop.kind in get_args(StopKind):
        return cast("StopKind", choice.stop.kind)
    has_text = bool((choice.message.content or "").strip())
    match choice.finish_reason:
        case "stop":
            return "refused" if choice.message.refusal else "complete"
        case "length":
            return "length" if has_text else "length-before-text"
        case "content_filter":
            return "blocked"
        case _:
            return None


def solver_responder(name: str, *, seed: int = 0) -> Callable[[Prompt], str]:
    """Answer with a solver of tetrad.solvers: random, constant, text-only, pixel-solver.

    Raises:
        RefusedError: there is no such solver, or the extra `solvers` is not installed.
    """
    try:
        # Here and not above: the runner works without NumPy and Pillow, these solvers don't.
        from tetrad.solvers import UnknownSolverError, open_solver  # noqa: PLC0415
        from tetrad.solvers.pictures import PictureError  # noqa: PLC0415
    except ImportError as error:
        extra = "pip install 'tetrad[solvers]', or '.[solvers]' in a clone"
        raise RefusedError(f"solvers need NumPy and Pillow, which an extra installs: {extra}") from error
    try:
        solver = open_solver(name, seed=seed)
    except UnknownSolverError as error:
        raise RefusedError(str(error)) from error

    def respond(prompt: Prompt) -> str:
        try:
            return solver.reply(prompt.messages)
        except PictureError as error:
            raise RefusedError(str(error)) from error

    return respond
