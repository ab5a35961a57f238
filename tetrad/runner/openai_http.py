"""Any server with OpenAI's chat endpoint as a model: this service's gateway, or an external team's own."""

import httpx
import msgspec

from tetrad.client.errors import retry_after
from tetrad.runner.ports import Prompt, RefusedError, ReplyError, Responder
from tetrad.tls import trusted

SHOWN = 500  # characters of an error's body in a message
_WORTH_RETRYING = frozenset({408, 409, 425, 429})


class _Message(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    message: _Message


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
    http: httpx.Client | None = None,
) -> Responder:
    """Ask `base_url`/chat/completions; the address ends in /v1 as OpenAI's does.

    `http` brings a client of one's own (a proxy, a test); without it one is made, with the timeout.
    """
    client = http or httpx.Client(timeout=timeout_seconds, verify=trusted())
    address = base_url.rstrip("/") + "/chat/completions"
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
    knobs = {"temperature": temperature, "max_tokens": max_tokens, "seed": seed}
    given = {name: value for name, value in knobs.items() if value is not None}

    def respond(prompt: Prompt) -> str:
        body = {"model": model, "messages": prompt.messages, **given}
        try:
            reply = client.post(address, content=msgspec.json.encode(body), headers=headers)
        except httpx.HTTPError as error:
            raise ReplyError(f"{address}: no reply ({type(error).__name__}: {error})") from error
        return _text(address, reply)

    return respond


def _text(address: str, reply: httpx.Response) -> str:
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
    return choices[0].message.content or ""
