"""Requests as clients of OpenAI's API send them: gzip, and fields that say what holds anyway."""

import asyncio
import zlib
from collections.abc import Mapping
from typing import Any

from tetrad.server.json_bodies import JsonRequest
from tetrad.server.problems import ProblemError, refuse

NEUTRAL: Mapping[str, tuple[object, ...]] = {
    "frequency_penalty": (0,),
    "presence_penalty": (0,),
    "repetition_penalty": (1,),
    "min_p": (0,),
    "top_k": (0, -1),
    "logit_bias": ({},),
    "logprobs": (False,),
    "top_logprobs": (0,),
    "best_of": (1,),
    "echo": (False,),
    "store": (False,),
    "metadata": ({},),
    "modalities": (["text"],),
    "service_tier": ("auto", "default"),
    "tools": ([],),
    "tool_choice": ("none", "auto"),
    "parallel_tool_calls": (True, False),
    "functions": ([],),
    "function_call": ("none",),
}
"""Fields that this service does not take, and their values that change nothing without it; null never does."""
NEUTRAL_IN_MESSAGE: Mapping[str, tuple[object, ...]] = {"tool_calls": ([],), "annotations": ([],)}
GZIP_WINDOW = 16 + zlib.MAX_WBITS  # zlib's code for gzip's header and trailer


class GatewayRequest(JsonRequest):
    """A request whose body may be gzip, and whose neutral fields are left out before the others are checked."""

    async def body(self) -> bytes:
        """Return the body, unpacked.

        Raises:
            ProblemError: 400, it is not gzip; 413, it is longer than a body may be; 415, it is packed otherwise.
        """
        packed = await super().body()
        encoding = self.headers.get("Content-Encoding", "identity").strip().lower()
        if encoding == "identity" or self.state.get("is_unpacked"):
            return packed
        if encoding not in {"gzip", "x-gzip"}:
            raise refuse(415, "Content-Encoding", encoding, "is not understood", "use gzip or none")
        most = self.route_handler.resolve_request_max_body_size() or 0
        body = await asyncio.to_thread(unpack_gzip, packed, most)
        self._body = self._connection_state.body = body
        self.state["is_unpacked"] = True
        return body

    async def json(self) -> Any:
        """Return the decoded body without neutral fields."""
        found = await super().json()
        return without_neutral(found) if isinstance(found, dict) else found


def unpack_gzip(packed: bytes, most: int) -> bytes:
    """Return what a gzip body holds.

    Raises:
        ProblemError: 400, it is not one whole gzip member; 413, it holds more than so many bytes.
    """
    unpacker = zlib.decompressobj(GZIP_WINDOW)
    try:
        body = unpacker.decompress(packed, most + 1)
    except zlib.error as error:
        raise _refuse_gzip(f"is not gzip ({error})") from error
    if len(body) > most:
        raise refuse(413, "body", None, f"holds more than {most} bytes unpacked", "send fewer or smaller pictures")
    if not unpacker.eof:
        raise _refuse_gzip("is gzip that ends early")
    if unpacker.unused_data:
        raise _refuse_gzip("is more than one gzip member")
    return body


def without_neutral(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request's body without the fields that change nothing, also of its messages.

    A reply's `reasoning_content` that is sent back is left out, too, as the providers ask.
    """
    found = _without(body, NEUTRAL)
    if isinstance(messages := found.get("messages"), list):
        found["messages"] = [_message(message) if isinstance(message, dict) else message for message in messages]
    return found


def _message(message: Mapping[str, Any]) -> dict[str, Any]:
    found = _without(message, NEUTRAL_IN_MESSAGE)
    if message.get("role") == "assistant":
        found.pop("reasoning_content", None)
        found.setdefault("content", "")  # of a reply that is a refusal alone
    return found


def _without(fields: Mapping[str, Any], neutral: Mapping[str, tuple[object, ...]]) -> dict[str, Any]:
    return {
        name: value
        for name, value in fields.items()
        if value is not None and not any(_is_same(value, known) for known in neutral.get(name, ()))
    }


def _is_same(value: object, known: object) -> bool:
    return value == known and isinstance(value, bool) == isinstance(known, bool)


def _refuse_gzip(problem: str) -> ProblemError:
    return refuse(400, "body", None, problem, "compress the body as one gzip member, or send it plain")
