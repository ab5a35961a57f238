"""The generator as the api sees it: practice by seed, sealed draws by submission, under two tokens.

Every call is idempotent (items are pure, gated answers are written once), so a connection that broke is tried
again once: the generator's workers are restarted now and then, and pooled connections die with them.
"""

from typing import TypeVar
from urllib.parse import quote

import httpx
import msgspec

from api.database.parts import parts
from api.settings import ApiSettings
from api.upstream.generator_errors import checked, unreachable
from api.upstream.generator_pictures import PictureLine
from tetrad.contracts.answers import PracticeFeedback
from tetrad.contracts.benchmarks import BenchmarkList
from tetrad.internal.draws import AskedItems, CloseRequest, DrawRequest, GateRequest, OpenDraws, SealedDraw
from tetrad.internal.practice import ItemSolution, PracticeBatch, PracticeItemRequest, PracticeRequest
from tetrad.tls import trusted

T = TypeVar("T")
TIMEOUT = httpx.Timeout(60.0, connect=3.0)
LIMITS = httpx.Limits(max_connections=100, max_keepalive_connections=40)


class Generator:
    """Typed calls; each raises ProblemError for what the generator refuses, 502 or 503 for what it can't do."""

    def __init__(self, settings: ApiSettings) -> None:
        url = settings.generator_url
        self._practice = {"Authorization": f"Bearer {settings.generator_practice_token}"}
        self._sealed = {"Authorization": f"Bearer {settings.generator_sealed_token}"}
        self._client = httpx.Client(base_url=url, timeout=TIMEOUT, limits=LIMITS, verify=trusted())
        self._pictures = PictureLine(url)

    async def close(self) -> None:
        self._client.close()
        await self._pictures.close()

    def benchmarks(self) -> BenchmarkList:
        return self._call("GET", "/internal/benchmarks", self._practice, None, BenchmarkList)

    def items(self, request: PracticeRequest) -> PracticeBatch:
        return self._call("POST", "/internal/practice/items", self._practice, request, PracticeBatch)

    def solution(self, request: PracticeItemRequest) -> ItemSolution:
        return self._call("POST", "/internal/practice/solution", self._practice, request, ItemSolution)

    def feedback(self, request: PracticeItemRequest) -> PracticeFeedback:
        return self._call("POST", "/internal/practice/feedback", self._practice, request, PracticeFeedback)

    def seal(self, request: DrawRequest) -> SealedDraw:
        return self._call("POST", "/internal/sealed/draws", self._sealed, request, SealedDraw)

    def asked(self, submission: str, request: GateRequest) -> AskedItems:
        path = f"/internal/sealed/draws/{submission}/questions"
        return self._call("POST", path, self._sealed, request, AskedItems)

    def open_draws(self, after: str) -> OpenDraws:
        """Return a page of the draws that are neither revealed nor closed, by submission id."""
        return self._call("GET", f"/internal/sealed/draws?after={quote(after, safe='')}", self._sealed, None, OpenDraws)

    def close_draws(self, submissions: list[str]) -> None:
        """Close these draws for good, in parts that one request takes: nobody can answer them any more."""
        for part in parts(submissions):
            request = CloseRequest(submissions=list(part))
            self._call("POST", "/internal/sealed/draws/close", self._sealed, request, dict[str, int])

    async def practice_picture(self, request: PracticeItemRequest, name: str) -> bytes:
        path = f"/internal/practice/pictures/{quote(name, safe='')}"
        headers = {**self._practice, "Content-Type": "application/json"}
        return await self._pictures.fetch("POST", path, headers, msgspec.json.encode(request))

    async def sealed_picture(self, submission: str, item: int, name: str) -> bytes:
        path = f"/internal/sealed/draws/{submission}/items/{item}/pictures/{quote(name, safe='')}"
        return await self._pictures.fetch("GET", path, self._sealed)

    def is_ready(self) -> bool:
        try:
            return self._client.get("/health/ready", timeout=3.0).status_code == httpx.codes.OK
        except httpx.HTTPError:
            return False

    def _call(self, method: str, path: str, headers: dict[str, str], body: msgspec.Struct | None, kind: type[T]) -> T:
        request = self._client.build_request(method, path, headers=headers, content=encoded(body))
        if body is not None:
            request.headers["Content-Type"] = "application/json"
        try:
            response = self._client.send(request)
        except httpx.TimeoutException as error:
            raise unreachable(error) from error
        except httpx.TransportError:
            response = self._again(request)
        return msgspec.json.decode(checked(response).content, type=kind)

    def _again(self, request: httpx.Request) -> httpx.Response:
        try:
            return self._client.send(request)
        except httpx.TransportError as error:
            raise unreachable(error) from error


def encoded(body: msgspec.Struct | None) -> bytes | None:
    return None if body is None else msgspec.json.encode(body)
