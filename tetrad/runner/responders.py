"""Ways to answer a prompt: a server with OpenAI's chat completions, or a solver of this package.

`tetrad.runner.programs` has the programs of a team.
"""

import hashlib
import secrets
import weakref
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import httpx
import msgspec

from tetrad.account_errors import tells_of_account, tells_of_spent_attempts
from tetrad.chat_replies import choices_of
from tetrad.connections import LIMITS
from tetrad.error_documents import fields_of_error, holds_error
from tetrad.extras import how_to_install
from tetrad.lenient_json import decode_leniently
from tetrad.runner.ports import ModelReply, Prompt, RefusedError, ReplyError, TokenUsage
from tetrad.tls import load_trusted
from tetrad.waits import wait_of

SHOWN = 500  # characters of a server's body in a message
UNREADABLE_ATTEMPTS = 2  # a reply that can't be read was paid for
_WORTH_RETRYING = frozenset({408, 409, 425, 429})


_Tokens = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]


class _CachedTokens(msgspec.Struct):
    cached_tokens: _Tokens | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: _Tokens
    completion_tokens: _Tokens
    prompt_tokens_details: _CachedTokens | None = None


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
    client = http or httpx.Client(timeout=timeout_seconds, limits=LIMITS, verify=load_trusted())
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
    shown = reply.text[:SHOWN]
    if reply.is_error:
        message = f"{address}: {reply.status_code}: {shown}"
        is_worth = reply.status_code in _WORTH_RETRYING or reply.is_server_error
        if is_worth and not tells_of_account(reply.text) and not tells_of_spent_attempts(reply.text):
            raise ReplyError(message, wait_seconds=wait_of(reply.headers, _error_of(reply)))
        raise RefusedError(message)
    document: Any = None
    try:
        document = decode_leniently(reply.content)
        first = choices_of(document)[0]
    except ValueError as error:
        message = f"{address}: not a chat completion ({error}): {shown}"
        if tells_of_account(reply.text):
            raise RefusedError(message) from error
        most = None if holds_error(document) else UNREADABLE_ATTEMPTS  # nothing was written, so nothing is paid for
        raise ReplyError(message, may_cost=most is not None, most_attempts=most) from error
    return ModelReply(
        text=first.words.text or first.words.refusal,
        stop=first.named or (first.kind() if first.has_reason else None),
        usage=_usage(document.get("usage")),
        thought=first.words.thought,
    )


def _error_of(reply: httpx.Response) -> object:
    """Return the error that a server's refusal holds; None where it has none that can be read."""
    try:
        return fields_of_error(decode_leniently(reply.content))
    except ValueError:
        return None


def _usage(usage: object) -> TokenUsage | None:
    """Return the tokens that a server counted; None where it counted none, or where its numbers can't be true."""
    try:
        read = msgspec.convert(usage, _Usage)
    except msgspec.ValidationError:
        return None
    details = read.prompt_tokens_details
    cached = 0 if details is None else details.cached_tokens or 0
    if cached > read.prompt_tokens:
        return None
    return TokenUsage(input=read.prompt_tokens, output=read.completion_tokens, cached_input=cached)


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
