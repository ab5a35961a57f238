"""The generator as the api sees it: practice by seed, sealed draws by submission, under two tokens.

Practice is asked at an address of its own where there is one. It never falls back to the other address while that one
is away: what readers ask for takes no thread of what submissions wait for.

Every call is idempotent (items are pure, gated answers are written once), so a connection that broke is tried again
once: the generator's workers are restarted now and then, and pooled connections die with them.

Pictures are most of what the api carries. They come through aiohttp, whose parser is compiled: httpx took half of the
api's time.
"""

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeVar
from urllib.parse import quote

import httpx
import msgspec
from aiohttp import ClientError, ClientSession, ClientTimeout, ServerDisconnectedError, TCPConnector
from yarl import URL

from api.database.parts import parts
from api.errors import (
    DomainError,
    GeneratorAwayError,
    GeneratorFailedError,
    InvalidInputError,
    NotFoundError,
    SourceUnavailableError,
    StateConflictError,
)
from api.settings import ApiSettings
from api.upstream.http_answers import HttpAnswer, answer_of, whole_answer
from tetrad.connections import LIMITS
from tetrad.contracts.answers import PracticeFeedback
from tetrad.contracts.benchmarks import BenchmarkList
from tetrad.contracts.problems import Fault, Problem
from tetrad.internal.draws import AskedItems, CloseRequest, DrawRequest, GateRequest, OpenDraws, SealedDraw
from tetrad.internal.practice import (
    CountedItems,
    CountRequest,
    ItemSolution,
    JudgedReplies,
    JudgeRequest,
    NextRowsRequest,
    PackedRows,
    PlannedDataset,
    PlanRequest,
    PracticeBatch,
    PracticeItemRequest,
    PracticeRequest,
    RowsRequest,
)
from tetrad.server.request_ids import add_ids, outgoing_headers, waiting_for
from tetrad.tls import load_trusted

T = TypeVar("T")
CONNECT_SECONDS = 3.0
RETRY_SECONDS = 5
MENDING_SECONDS = 60  # an operator has to do something first
REFUSALS: dict[int, type[DomainError]] = {
    httpx.codes.NOT_FOUND: NotFoundError,
    httpx.codes.CONFLICT: StateConflictError,
    httpx.codes.UNPROCESSABLE_ENTITY: InvalidInputError,
}
"""Errors that the caller can do something about; every other error of the generator is ours."""

NOT_READY = frozenset({httpx.codes.TOO_MANY_REQUESTS, httpx.codes.SERVICE_UNAVAILABLE})
LARGEST_POOL = 100  # connections; each of the generator's workers renders one picture at a time
ASKED_AGAIN = 6  # new connections: with one of two workers hung, all meet it once in 64 times


def unreachable(error: Exception) -> GeneratorAwayError:
    detail = f"the generator cannot be reached ({type(error).__name__}); nothing was changed; try again in some seconds"
    return GeneratorAwayError(detail, retry_after=RETRY_SECONDS)


def check_answer(answer: HttpAnswer) -> HttpAnswer:
    """Return the answer if it is a success.

    Raises:
        NotFoundError, StateConflictError, InvalidInputError: the generator's own words, where the caller can act on
            them.
        SourceUnavailableError: a source lacks something or is damaged.
        GeneratorAwayError: the generator is not ready.
        GeneratorFailedError: anything else.
    """
    if answer.is_success:
        return answer
    if answer.status in REFUSALS:
        raise _refusal(answer)
    if answer.status in NOT_READY:
        raise _not_ready(answer)
    detail = f"the generator failed with {answer.status}; try again"
    raise GeneratorFailedError(detail, retry_after=RETRY_SECONDS)


def _not_ready(answer: HttpAnswer) -> DomainError:
    """Return the generator's own faults if it has some. Its detail is for operators and names files."""
    faults = _faults(answer)
    if faults:
        told = "; ".join(f"{fault.field} {fault.value or ''}: {fault.problem}; {fault.remedy}" for fault in faults)
        return SourceUnavailableError(told, faults=faults, retry_after=MENDING_SECONDS)
    retry = answer.headers.get("Retry-After", "")
    after = int(retry) if retry.isascii() and retry.isdecimal() else RETRY_SECONDS
    return GeneratorAwayError("the generator is not ready; try again", retry_after=after)


def _faults(answer: HttpAnswer) -> list[Fault]:
    try:
        return msgspec.json.decode(answer.content, type=Problem).faults
    except (msgspec.DecodeError, UnicodeDecodeError):
        return []


def _refusal(answer: HttpAnswer) -> DomainError:
    try:
        problem = msgspec.json.decode(answer.content, type=Problem)
    except msgspec.DecodeError:
        detail = "the generator gave an error that is no problem document"
        return GeneratorFailedError(detail, retry_after=RETRY_SECONDS)
    return REFUSALS[answer.status](problem.detail, faults=problem.faults)


def _is_ready(client: httpx.Client, seconds: float, address: str) -> bool:
    return client.get(f"{address.rstrip('/')}/health/ready", timeout=seconds).status_code == httpx.codes.OK


def _is_ready_anew(address: str) -> bool:
    """Return whether whoever takes a new connection is ready."""
    try:
        with httpx.Client(verify=load_trusted()) as client:
            return _is_ready(client, 2.0, address)
    except httpx.HTTPError:
        return False


def _query_of(names: Sequence[str]) -> str:
    return "&".join(f"name={quote(name, safe='')}" for name in names)


class PictureLine:
    """The connections to one generator, kept alive: made at the first picture, on one event loop."""

    def __init__(self, url: str, seconds: float) -> None:
        self._url = url.rstrip("/")
        self._timeout = ClientTimeout(total=seconds, connect=CONNECT_SECONDS)
        self._session: ClientSession | None = None

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            await asyncio.sleep(0)  # the sockets close in the loop's next iteration, which may be its last
            self._session = None

    async def fetch(self, method: str, path: str, headers: Mapping[str, str], body: bytes | None = None) -> bytes:
        """Return the generator's answer; a connection that broke is tried again once.

        Raises:
            DomainError: as `checked` says; GeneratorAwayError where the generator can't be reached.
        """
        headers = {**headers, **outgoing_headers()}
        try:
            with waiting_for("generator"):
                answer = await self._answer_anew(method, path, headers, body)
        except (TimeoutError, ClientError) as error:
            raise unreachable(error) from error
        return check_answer(answer).content

    async def _answer_anew(self, method: str, path: str, headers: Mapping[str, str], body: bytes | None) -> HttpAnswer:
        try:
            return await self._answer(method, path, headers, body)
        except ServerDisconnectedError:
            return await self._answer(method, path, headers, body)

    async def _answer(self, method: str, path: str, headers: Mapping[str, str], body: bytes | None) -> HttpAnswer:
        if self._session is None:
            self._session = ClientSession(connector=TCPConnector(limit=LARGEST_POOL), timeout=self._timeout)
        address = URL(self._url + path, encoded=True)
        async with self._session.request(method, address, headers=headers, data=body) as response:
            return await whole_answer(response)


class Generator:
    """Typed calls. Each raises what `checked` says, and GeneratorAwayError where the generator can't be reached."""

    def __init__(self, settings: ApiSettings) -> None:
        url = settings.generator_url
        self._practice = {"Authorization": f"Bearer {settings.generator_practice_token}"}
        self._sealed = {"Authorization": f"Bearer {settings.generator_sealed_token}"}
        timeout = httpx.Timeout(settings.generator_timeout_seconds, connect=CONNECT_SECONDS)
        self._client = httpx.Client(
            base_url=url, timeout=timeout, limits=LIMITS, verify=load_trusted(), event_hooks={"request": [add_ids]}
        )
        self._pictures = PictureLine(url, settings.generator_timeout_seconds)
        self._practice_url = (settings.practice_url or url).rstrip("/")
        self._practice_pictures = PictureLine(self._practice_url, settings.generator_timeout_seconds)

    async def close(self) -> None:
        self._client.close()
        await self._pictures.close()
        await self._practice_pictures.close()

    def benchmarks(self) -> BenchmarkList:
        return self._call("GET", "/internal/benchmarks", self._practice, None, BenchmarkList)

    def items(self, request: PracticeRequest) -> PracticeBatch:
        return self._call(
            "POST", f"{self._practice_url}/internal/practice/items", self._practice, request, PracticeBatch
        )

    def count(self, request: CountRequest) -> CountedItems:
        return self._call(
            "POST", f"{self._practice_url}/internal/practice/count", self._practice, request, CountedItems
        )

    def solution(self, request: PracticeItemRequest) -> ItemSolution:
        return self._call(
            "POST", f"{self._practice_url}/internal/practice/solution", self._practice, request, ItemSolution
        )

    def seal(self, request: DrawRequest) -> SealedDraw:
        return self._call("POST", "/internal/sealed/draws", self._sealed, request, SealedDraw)

    def ask(self, submission: str, request: GateRequest) -> AskedItems:
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
        return await self._practice_pictures.fetch("POST", path, headers, msgspec.json.encode(request))

    async def practice_pictures(self, request: PracticeItemRequest, names: Sequence[str]) -> dict[str, bytes]:
        """Return several pictures of an item, by name, in one request."""
        headers = {**self._practice, "Content-Type": "application/json"}
        path = f"/internal/practice/pictures?{_query_of(names)}"
        content = await self._practice_pictures.fetch("POST", path, headers, msgspec.json.encode(request))
        return msgspec.msgpack.decode(content, type=dict[str, bytes])

    async def rows(self, request: RowsRequest) -> PackedRows:
        return await self._fetch_packed("rows", request, PackedRows)

    async def next_rows(self, request: NextRowsRequest) -> PackedRows:
        return await self._fetch_packed("next-rows", request, PackedRows)

    async def plan(self, request: PlanRequest) -> PlannedDataset:
        return msgspec.json.decode(await self._fetch_practice("datasets", request), type=PlannedDataset)

    async def judge(self, request: JudgeRequest) -> JudgedReplies:
        content = await self._fetch_practice("verdicts", request)
        return msgspec.json.decode(content, type=JudgedReplies)

    async def feedback(self, request: PracticeItemRequest) -> PracticeFeedback:
        return msgspec.json.decode(await self._fetch_practice("feedback", request), type=PracticeFeedback)

    async def _fetch_packed(self, path: str, request: msgspec.Struct, kind: type[T]) -> T:
        return msgspec.msgpack.decode(await self._fetch_practice(path, request), type=kind)

    async def _fetch_practice(self, path: str, request: msgspec.Struct) -> bytes:
        headers = {**self._practice, "Content-Type": "application/json"}
        body = msgspec.json.encode(request)
        return await self._practice_pictures.fetch("POST", f"/internal/practice/{path}", headers, body)

    async def sealed_picture(self, submission: str, item: int, name: str) -> bytes:
        path = f"/internal/sealed/draws/{submission}/items/{item}/pictures/{quote(name, safe='')}"
        return await self._pictures.fetch("GET", path, self._sealed)

    async def sealed_pictures(self, submission: str, item: int, names: Sequence[str]) -> dict[str, bytes]:
        """Return several pictures of an item, by name. It takes one request, and the item is made once."""
        path = f"/internal/sealed/draws/{submission}/items/{item}/pictures?{_query_of(names)}"
        content = await self._pictures.fetch("GET", path, self._sealed)
        return msgspec.msgpack.decode(content, type=dict[str, bytes])

    def is_ready(self) -> bool:
        """Return whether a worker that serves sealed draws is ready; where one hangs, new connections meet others."""
        return self._is_one_ready(str(self._client.base_url))

    def is_practice_ready(self) -> bool:
        """Return whether a worker that serves practice items is ready."""
        return self._is_one_ready(self._practice_url)

    def _is_one_ready(self, address: str) -> bool:
        try:
            return _is_ready(self._client, 1.0, address)
        except httpx.TimeoutException:
            pass
        except httpx.HTTPError:
            return False
        pool = ThreadPoolExecutor(ASKED_AGAIN, "ready")
        try:
            asked = [pool.submit(_is_ready_anew, address) for _ in range(ASKED_AGAIN)]
            return any(answer.result() for answer in as_completed(asked))
        finally:
            pool.shutdown(wait=False)

    def _call(self, method: str, path: str, headers: dict[str, str], body: msgspec.Struct | None, kind: type[T]) -> T:
        request = self._client.build_request(method, path, headers=headers, content=encode_body(body))
        if body is not None:
            request.headers["Content-Type"] = "application/json"
        with waiting_for("generator"):
            response = self._send(request)
        return msgspec.json.decode(check_answer(answer_of(response)).content, type=kind)

    def _send(self, request: httpx.Request) -> httpx.Response:
        try:
            return self._client.send(request)
        except httpx.TimeoutException as error:
            raise unreachable(error) from error
        except httpx.TransportError:
            return self._again(request)

    def _again(self, request: httpx.Request) -> httpx.Response:
        try:
            return self._client.send(request)
        except httpx.TransportError as error:
            raise unreachable(error) from error


def encode_body(body: msgspec.Struct | None) -> bytes | None:
    return None if body is None else msgspec.json.encode(body)
