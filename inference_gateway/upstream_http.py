"""HTTP to upstreams: only configured addresses, no redirects, bounded in bytes and time.

Errors are ProviderErrors made of our own fields. A client library's exception may hold the address, headers or a body,
so none is ever chained or logged.
"""

from codecs import BOM_UTF8
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http import HTTPStatus

import aiohttp

from inference_gateway.providers import ProviderError
from inference_gateway.secret import Secret
from inference_gateway.upstream_errors import error_of
from tetrad.tls import load_trusted

LARGEST_REPLY = 64 * 2**20  # bytes, decompressed: 256 embeddings of 4,096 numbers as JSON are some 20 MB
LARGEST_ERROR = 64 * 2**10
LARGEST_EVENT = 8 * 2**20
HEARTBEATS = frozenset({"ping", "heartbeat", "keepalive", "keep-alive"})
"""Names of events, or all that an event holds, that only keep a connection open."""


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
    """Parse the stream as the HTML standard says: fields a line, an empty line after each event.

    Comments, events without data and heartbeats are left out, and so is a byte order mark.
    """
    taken, name, data = 0, "", list[str]()
    if answer.content_type.endswith("json"):  # an error, or the reply of a server that does not stream
        yield ServerSentEvent("", (await _read(answer, LARGEST_REPLY)).decode(errors="replace"))
        return
    async for line in _lines(answer):
        taken += len(line)
        if taken > LARGEST_REPLY:
            raise ProviderError("oversized", code="more-than-allowed")
        if not line:
            content = "\n".join(data).strip()
            if content and name not in HEARTBEATS and content.strip("[]:").lower() not in HEARTBEATS:
                yield ServerSentEvent(name, content)
            name, data = "", []
            continue
        key, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if key == "data":
            data.append(value)
        elif key == "event":
            name = value


async def _lines(answer: aiohttp.ClientResponse) -> AsyncIterator[str]:
    rest, is_first = b"", True
    async for part in answer.content.iter_any():
        *lines, rest = (rest + part).split(b"\n")
        if lines and is_first:
            lines[0], is_first = lines[0].removeprefix(BOM_UTF8), False
        for line in lines:
            yield line.removesuffix(b"\r").decode(errors="replace")
        if len(rest) > LARGEST_EVENT:
            raise ProviderError("oversized", code="event-too-long")


async def _error(endpoint: Endpoint, answer: aiohttp.ClientResponse) -> ProviderError:
    if HTTPStatus.MULTIPLE_CHOICES <= answer.status < HTTPStatus.BAD_REQUEST:
        return ProviderError("redirected", status=answer.status)
    try:
        body = await _read(answer, LARGEST_ERROR)
    except (ProviderError, aiohttp.ClientError, TimeoutError):
        body = b""
    return error_of(answer.status, body, endpoint.secret, headers=answer.headers)
