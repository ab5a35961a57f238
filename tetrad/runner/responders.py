"""Ways to answer a prompt: a server with OpenAI's chat completions, or a solver of this package.

`tetrad.runner.programs` has the programs of a team.
"""

import hashlib
import secrets
import weakref
from collections.abc import Callable, Mapping
from typing import Any, cast, get_args

import httpx
import msgspec

from tetrad.client.errors import retry_after
from tetrad.contracts.inference import StopKind
from tetrad.extras import how_to_install
from tetrad.runner.ports import ModelReply, Prompt, RefusedError, ReplyError, TokenUsage
from tetrad.tls import load_trusted

SHOWN = 500  # characters of a server's body in a message
HOPELESS = b'"upstream_credentials"'
"""The gateway's code for a provider that refuses its key, or an empty account. Another call changes nothing."""
_WORTH_RETRYING = frozenset({408, 409, 425, 429})


class _Message(msgspec.Struct):
    content: str | None = None
    refusal: str | None = None


class _Stop(msgspec.Struct):
    kind: str = ""


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None
    stop: _Stop | None = None


class _CachedTokens(msgspec.Struct):
    cached_tokens: int | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _CachedTokens | None = None


class _Reply(msgspec.Struct):
    """Of ChatReply, what is needed here: other servers leave the rest out, or write null."""

    choices: list[_Choice]
    usage: _Usage | None = None


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
    client = http or httpx.Client(timeout=timeout_seconds, verify=load_trusted())
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
            sent = not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
            raise ReplyError(f"{address}: no reply ({type(error).__name__}: {error})", may_cost=sent) from error
        return _reply(address, reply)

    if http is None:
        weakref.finalize(respond, client.close)
    return respond


def _reply(address: str, reply: httpx.Response) -> ModelReply:
    if reply.is_error:
        message = f"{address}: {reply.status_code}: {reply.text[:SHOWN]}"
        is_worth = reply.status_code in _WORTH_RETRYING or reply.is_server_error
        if is_worth and HOPELESS not in reply.content:
            raise ReplyError(message, wait_seconds=retry_after(reply.headers))
        raise RefusedError(message)
    try:
        read = msgspec.json.decode(reply.content, type=_Reply)
    except msgspec.DecodeError as error:
        raise ReplyError(f"{address}: not a chat completion ({error}): {reply.text[:SHOWN]}") from error
    if not read.choices:
        raise ReplyError(f"{address}: a chat completion without choices")
    first = read.choices[0]
    text = first.message.content or first.message.refusal or ""
    return ModelReply(text=text, stop=_stop_of(first), usage=_usage(read.usage))


def _usage(usage: _Usage | None) -> TokenUsage | None:
    """Return the tokens that a server counted; None where it counted none."""
    if usage is None or usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    details = usage.prompt_tokens_details
    cached = 0 if details is None else details.cached_tokens or 0
    return TokenUsage(input=usage.prompt_tokens, output=usage.completion_tokens, cached_input=cached)


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
    """Answer with a solver of tetrad.solvers.catalogue, such as random.

    Raises:
        RefusedError: there is no such solver, or the extra `solvers` is not installed.
    """
    try:
        # Here and not above: the runner works without NumPy and Pillow, these solvers don't.
        from tetrad.solvers import UnknownSolverError, open_solver  # noqa: PLC0415 -- of an extra
        from tetrad.solvers.pictures import PictureError  # noqa: PLC0415 -- same
    except ImportError as error:
        remedy = how_to_install("solvers")
        raise RefusedError(f"solvers need NumPy and Pillow, which an extra installs: {remedy}") from error
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
