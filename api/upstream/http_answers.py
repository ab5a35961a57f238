"""The answer of a neighbour, through whichever client it came: aiohttp where bytes are many, httpx elsewhere."""

from collections.abc import Mapping
from dataclasses import dataclass

import httpx
from aiohttp import ClientResponse


@dataclass(frozen=True)
class HttpAnswer:
    """A whole answer. Names of `headers` are found in any case."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def is_success(self) -> bool:
        return httpx.codes.is_success(self.status)

    @property
    def is_server_error(self) -> bool:
        return httpx.codes.is_server_error(self.status)


async def whole_answer(response: ClientResponse) -> HttpAnswer:
    """Read aiohttp's response to its end. Raises: aiohttp.ClientError: the connection broke."""
    return HttpAnswer(response.status, response.headers, await response.read())


def answer_of(response: httpx.Response) -> HttpAnswer:
    return HttpAnswer(response.status_code, response.headers, response.content)
