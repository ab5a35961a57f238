"""HTTP to upstreams: only configured addresses, no redirects, bounded in bytes and time.

Errors are ProviderErrors made of our own fields. A client library's exception may hold the address, headers or a body,
so none is ever chained or logged.
"""

import math
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any

import aiohttp
import msgspec

from inference_gateway.providers import ErrorKind, ProviderError
from tetrad.server.clock import now_ms
from tetrad.tls import load_trusted

LARGEST_REPLY = 64 * 2**20  # bytes, decompressed: 256 embeddings of 4,096 numbers as JSON are some 20 MB
LARGEST_ERROR = 64 * 2**10
LARGEST_EVENT = 8 * 2**20
LONGEST_WORDS = 300  # characters of an upstream's own message that a caller is shown
_CODE = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
_KINDS: Mapping[int, ErrorKind] = {
    400: "request",
    401: "credentials",
    402: "credentials",
    403: "credentials",
    404: "unknown-model",
    408: "timeout",
    409: "unavailable",
    413: "too-large",
    422: "request",
    425: "unavailable",
    429: "rate-limited",
    503: "overloaded",
    504: "timeout",
    529: "overloaded",
}
_SHOWN_WORDS = frozenset({"request", "too-large"})


class Secret:
    """A provider's key. It is never printed in a log, a traceback or a message."""

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def is_in(self, text: str) -> bool:
        return bool(self._value) and self._value in text

    def __repr__(self) -> str:
        return "Secret(...)"


@dataclass(frozen=True, kw_only=True)
class Timeouts:
    """Seconds: to connect, between two reads (so to the first byte, too), and for all of a call."""

    connect: float = 5.0
    read: float = 120.0
    total: float = 600.0


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """The address and name of a model at its upstream: an entry of the registry as its provider needs it.

    `address` ends without a slash. `name`: the upstream's name of the model. `output_cap`: the most tokens of a reply
    that are ever asked for. `proxy`: an outgoing proxy's address; without it none is used, whatever the environment
    says.
    """

    address: str
    name: str
    http: "UpstreamHttp"
    secret: Secret = field(default_factory=lambda: Secret(""))
    timeouts: Timeouts = field(default_factory=Timeouts)
    output_cap: int | None = None
    proxy: str | None = None


@dataclass(frozen=True)
class ServerSentEvent:
    """One event of a text/event-stream; `name` is "" where the server gave none."""

    name: str
    data: str


class UpstreamHttp:
    """Sends requests to upstreams: one for each process; its connections are made inside the event loop."""

    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    async def post(self, endpoint: Endpoint, path: str, headers: Mapping[str, str], body: bytes) -> bytes:
        """Post JSON and return the whole body of a success.

        Raises:
            ProviderError: there was no answer, or it was not a success.
        """
        async with self._answer(endpoint, path, headers, body) as answer:
            return await _read(answer, LARGEST_REPLY)

    @asynccontextmanager
    async def post_for_events(
        self, endpoint: Endpoint, path: str, headers: Mapping[str, str], body: bytes
    ) -> AsyncIterator[AsyncIterator[ServerSentEvent]]:
        """Post JSON and give the events of the answer, as they come.

        Raises:
            ProviderError: the answer was not a success; of kind `cut` if the connection broke in the middle.
        """
        async with self._answer(endpoint, path, {**headers, "Accept": "text/event-stream"}, body) as answer:
            yield _events(answer)

    @asynccontextmanager
    async def _answer(
        self, endpoint: Endpoint, path: str, headers: Mapping[str, str], body: bytes
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        times = endpoint.timeouts
        has_begun = False
        try:
            async with self._open_session().post(
                endpoint.address + path,
                data=body,
                headers={"Content-Type": "application/json", **headers},
                allow_redirects=False,
                proxy=endpoint.proxy,
                timeout=aiohttp.ClientTimeout(total=times.total, sock_connect=times.connect, sock_read=times.read),
            ) as answer:
                has_begun = True
                if answer.status != HTTPStatus.OK:
                    raise await _error(endpoint, answer)
                yield answer
        except aiohttp.ConnectionTimeoutError:
            raise ProviderError("unavailable", code="connect-timeout") from None
        except TimeoutError:
            raise ProviderError("timeout", code="no-reply" if not has_begun else "reply-too-slow") from None
        except aiohttp.ClientConnectorError:
            raise ProviderError("unavailable", code="no-connection") from None
        except aiohttp.ClientError:
            if has_begun:
                raise ProviderError("cut", code="connection-broken") from None
            # The request may have been read before the connection broke: it counts as billed.
            raise ProviderError("unavailable", code="connection-broken", billed=True) from None

    def _open_session(self) -> aiohttp.ClientSession:
        if self._session is None:
            connector = aiohttp.TCPConnector(limit=0, ssl=load_trusted(), keepalive_timeout=30)  # gates bound the calls
            self._session = aiohttp.ClientSession(
                connector=connector,
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=False,
                auto_decompress=True,
                read_bufsize=2**18,
            )
        return self._session


async def _read(answer: aiohttp.ClientResponse, most: int) -> bytes:
    parts = bytearray()
    async for part in answer.content.iter_chunked(2**16):
        parts += part
        if len(parts) > most:
            raise ProviderError("oversized", code="more-than-allowed")
    return bytes(parts)


async def _events(answer: aiohttp.ClientResponse) -> AsyncIterator[ServerSentEvent]:
    """Parse the stream as the HTML standard says: fields a line, an empty line after each event."""
    taken, name, data = 0, "", list[str]()
    async for line in _lines(answer):
        taken += len(line)
        if taken > LARGEST_REPLY:
            raise ProviderError("oversized", code="more-than-allowed")
        if not line:
            if data:
                yield ServerSentEvent(name, "\n".join(data))
            name, data = "", []
            continue
        key, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if key == "data":
            data.append(value)
        elif key == "event":
            name = value


async def _lines(answer: aiohttp.ClientResponse) -> AsyncIterator[str]:
    rest = b""
    async for part in answer.content.iter_any():
        *lines, rest = (rest + part).split(b"\n")
        for line in lines:
            yield line.removesuffix(b"\r").decode(errors="replace")
        if len(rest) > LARGEST_EVENT:
            raise ProviderError("oversized", code="event-too-long")


class _ErrorBody(msgspec.Struct):
    """The error object of all three families: OpenAI and Gemini name `code`, Anthropic `type`, Gemini `status`."""

    message: Any = None
    type: Any = None
    code: Any = None
    status: Any = None


class _ErrorDocument(msgspec.Struct):
    error: _ErrorBody


async def _error(endpoint: Endpoint, answer: aiohttp.ClientResponse) -> ProviderError:
    if HTTPStatus.MULTIPLE_CHOICES <= answer.status < HTTPStatus.BAD_REQUEST:
        return ProviderError("redirected", status=answer.status)
    try:
        body = await _read(answer, LARGEST_ERROR)
    except (ProviderError, aiohttp.ClientError, TimeoutError):
        body = b""
    return error_of(answer.status, body, endpoint.secret, retry_after=_retry_after(answer.headers))


def error_of(status: int, body: bytes, secret: Secret, *, retry_after: float | None = None) -> ProviderError:
    """Return the error for an upstream's status and the error object in its body."""
    kind = _KINDS.get(status, "unavailable" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else "request")
    try:
        found = msgspec.json.decode(body, type=_ErrorDocument).error
    except (msgspec.DecodeError, UnicodeDecodeError):
        found = _ErrorBody()
    codes = (found.code, found.status, found.type)
    code = next((code for code in codes if isinstance(code, str) and _CODE.fullmatch(code)), "")
    words = found.message if isinstance(found.message, str) and kind in _SHOWN_WORDS else ""
    if secret.is_in(words) or secret.is_in(code):
        words = code = ""
    return ProviderError(kind, status=status, code=code, words=words[:LONGEST_WORDS], retry_after=retry_after)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of Retry-After, as a number or as a date; None where it can't be read."""
    text = headers.get("Retry-After", "").strip()
    try:
        seconds = float(text)
        return max(0.0, seconds) if math.isfinite(seconds) else None
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now_ms() / 1000)
    except (ValueError, TypeError):
        return None
