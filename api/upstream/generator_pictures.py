"""Pictures on their way from the generator: bytes in, bytes out, on the event loop.

They are most of what the api carries. aiohttp, because its parser is compiled: httpx took half of the api's time.
"""

import asyncio
from collections.abc import Mapping

from aiohttp import ClientError, ClientSession, ClientTimeout, ServerDisconnectedError, TCPConnector
from httpx import Response
from yarl import URL

from api.upstream.generator_errors import checked, unreachable

TIMEOUT = ClientTimeout(total=60.0, connect=3.0)
LARGEST_POOL = 100  # connections; each of the generator's workers renders one picture at a time


class PictureLine:
    """Kept-alive connections to one generator. Of one event loop: made at the first picture, closed with the app."""

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")
        self._session: ClientSession | None = None

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            await asyncio.sleep(0)  # the sockets close at the loop's next turn, which may be its last
            self._session = None

    async def fetch(self, method: str, path: str, headers: Mapping[str, str], body: bytes | None = None) -> bytes:
        """Return what the generator answers; a connection that broke is tried again once.

        Raises:
            ProblemError: as `checked` says; 503 where the generator can't be reached.
        """
        try:
            try:
                response = await self._answer(method, path, headers, body)
            except ServerDisconnectedError:
                response = await self._answer(method, path, headers, body)
        except (TimeoutError, ClientError) as error:
            raise unreachable(error) from error
        return checked(response).content

    async def _answer(self, method: str, path: str, headers: Mapping[str, str], body: bytes | None) -> Response:
        if self._session is None:
            self._session = ClientSession(connector=TCPConnector(limit=LARGEST_POOL), timeout=TIMEOUT)
        address = URL(self._url + path, encoded=True)
        async with self._session.request(method, address, headers=headers, data=body) as answer:
            return Response(answer.status, headers=dict(answer.headers), content=await answer.read())
