"""The asynchronous client: struct in, struct out, over HTTP."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from types import TracebackType
from typing import IO, Literal, Self, TypeVar

import httpx

from tetrad.client import calls
from tetrad.client.calls import AnswerForm, Call, ReportForm, create, get, path_of, post, query_of
from tetrad.client.errors import UnreachableError
from tetrad.client.event_lines import PAUSE_SECONDS, RECONNECTIONS, EventLines
from tetrad.client.replies import Waits, answer, unreachable
from tetrad.client.row_pages import LARGEST_PAGE, PAGE, Stretch, read_ahead_async
from tetrad.connections import LIMITS
from tetrad.contracts.accounts import (
    ApiKey,
    KeyList,
    KeyRequest,
    Model,
    ModelList,
    ModelRequest,
    NewApiKey,
    Registration,
    Team,
    TeamRequest,
)
from tetrad.contracts.answers import Answer, PracticeAnswer, PracticeFeedback, SealReceipt
from tetrad.contracts.benchmarks import BenchmarkInfo, BenchmarkList, Counted
from tetrad.contracts.datasets import Dataset, DatasetEvent, DatasetManifest, DatasetPage, DatasetRequest
from tetrad.contracts.evaluations import (
    Comparison,
    ComparisonTable,
    Evaluation,
    EvaluationList,
    EvaluationQueue,
    EvaluationRequest,
    EvaluationResult,
    ModelCallPage,
    ResumeRequest,
)
from tetrad.contracts.items import PracticeItem, PracticePage, Solution
from tetrad.contracts.leaderboards import Board
from tetrad.contracts.log import LogPage
from tetrad.contracts.reports import Report, Verification
from tetrad.contracts.rows import Row, RowPictures
from tetrad.contracts.submissions import (
    Event,
    QuestionPage,
    RevealedPage,
    Submission,
    SubmissionList,
    SubmissionRequest,
)
from tetrad.contracts.training import NextRows, PracticeReply, PracticeVerdict
from tetrad.contracts.versions import ServiceVersions
from tetrad.contracts.wire import ParameterValue
from tetrad.prepared_structs import prepare_structs
from tetrad.tls import load_trusted

T = TypeVar("T")
CONNECT_RETRIES = 3
TIMEOUT_SECONDS = 120.0
NO_PARAMETERS: Mapping[str, ParameterValue] = {}


class AsyncClient:
    """Every verb of the public API. Raises ServiceError when refused, UnreachableError when no answer comes.

    `http` is for tests: any httpx client with a base address.
    """

    def __init__(self, url: str, key: str | None = None, *, http: httpx.AsyncClient | None = None) -> None:
        prepare_structs()
        transport = httpx.AsyncHTTPTransport(verify=load_trusted(), limits=LIMITS, retries=CONNECT_RETRIES)
        try:
            self._http = http or httpx.AsyncClient(base_url=url, transport=transport, timeout=TIMEOUT_SECONDS)
        except httpx.InvalidURL as error:
            raise unreachable(url, error) from error
        self._authorization = {} if key is None else {"Authorization": f"Bearer {key}"}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def register_team(
        self,
        name: str,
        *,
        title: str | None = None,
        contact: str | None = None,
        invite: str | None = None,
        idempotency_key: str | None = None,
    ) -> Registration:
        """Register a team. The reply holds its first API key, which is shown only once."""
        request = TeamRequest(name=name, title=title, contact=contact, invite=invite)
        return await self._send(create("/v1/teams", request, Registration, idempotency_key))

    async def team(self) -> Team:
        return await self._send(get("/v1/teams/me", Team))

    async def keys(self, *, cursor: str | None = None, limit: int = 100) -> KeyList:
        return await self._send(get("/v1/keys", KeyList, query_of(cursor=cursor, limit=limit)))

    async def new_key(self, request: KeyRequest, *, idempotency_key: str | None = None) -> NewApiKey:
        """Make another API key. It is shown only in this reply."""
        return await self._send(create("/v1/keys", request, NewApiKey, idempotency_key))

    async def revoke_key(self, key_id: str) -> ApiKey | None:
        return await self._send(calls.revoke_key(key_id))

    async def models(self, *, cursor: str | None = None, limit: int = 100) -> ModelList:
        return await self._send(get("/v1/models", ModelList, query_of(cursor=cursor, limit=limit)))

    async def register_model(self, request: ModelRequest, *, idempotency_key: str | None = None) -> Model:
        return await self._send(create("/v1/models", request, Model, idempotency_key))

    async def versions(self) -> ServiceVersions:
        return await self._send(get("/v1/versions", ServiceVersions))

    async def benchmarks(self) -> BenchmarkList:
        return await self._send(get("/v1/benchmarks", BenchmarkList))

    async def benchmark(self, name: str) -> BenchmarkInfo:
        return await self._send(get(path_of("/v1/benchmarks/{}", name), BenchmarkInfo))

    async def count_items(self, name: str, **query: ParameterValue) -> Counted:
        """Return how many of `size` items will count on the board; size, track, setting and parameters by name."""
        return await self._send(get(path_of("/v1/benchmarks/{}/counted", name), Counted, query))

    async def practice(
        self,
        name: str,
        *,
        track: str | None = None,
        setting: str | None = None,
        seed: int | str | None = None,
        offset: int = 0,
        limit: int = 10,
        version: int | None = None,
        source: str | Sequence[str] | None = None,
        parameters: Mapping[str, ParameterValue] = NO_PARAMETERS,
    ) -> PracticePage:
        """Return fresh items. `parameters` are those of the benchmark's card, and its filters."""
        query = calls.items_query(track, setting, seed, version, source, parameters)
        more = {**query, "offset": offset, "limit": limit}
        return await self._send(get(path_of("/v1/benchmarks/{}/items", name), PracticePage, more))

    def rows(
        self,
        name: str,
        *,
        count: int | None = None,
        track: str | None = None,
        setting: str | None = None,
        seed: int | str | None = None,
        offset: int = 0,
        version: int | None = None,
        source: str | Sequence[str] | None = None,
        pictures: RowPictures = "inline",
        answers: bool = True,
        questions: Literal["open", "all"] = "open",
        prefetch: int = 64,
        parameters: Mapping[str, ParameterValue] = NO_PARAMETERS,
    ) -> AsyncIterator[Row]:
        """Return an iterator over the rows of `count` fresh items, or of items without end.

        Rows are fetched while those before them are worked on: up to `prefetch` of them wait. A connection that
        breaks is opened again where it broke off. `tetrad.contracts.rows` describes the columns. `parameters` are those
        of the benchmark's card, and its filters.
        """
        query = calls.items_query(track, setting, seed, version, source, parameters)
        query |= calls.rows_query(pictures, questions, answers=answers)
        path = path_of("/v1/benchmarks/{}/rows", name)
        # Without a count nobody knows how far it is read, and a request is charged with all of its items.
        most = LARGEST_PAGE if self._authorization and count is not None else PAGE
        return read_ahead_async(self._rows(path, Stretch(query, offset, count, most)), prefetch)

    async def _rows(self, path: str, stretch: Stretch) -> AsyncIterator[Row]:
        while not stretch.is_over:
            try:
                async with self._stream(calls.rows(path, stretch.next_page())) as reply:
                    stretch.begin(reply)
                    async for line in reply.aiter_lines():
                        for row in stretch.take(line):
                            yield row
                    for row in stretch.end_page():
                        yield row
            except UnreachableError:
                if not stretch.may_go_on():
                    raise
                await asyncio.sleep(PAUSE_SECONDS)

    async def next_rows(
        self,
        name: str,
        items: Sequence[NextRows],
        *,
        pictures: RowPictures = "inline",
        answers: bool = True,
    ) -> list[Row]:
        """Return a row for each question of these items that is open after the answers to it so far."""
        query = calls.rows_query(pictures, "open", answers=answers)
        return await self._send(calls.next_rows(name, items, query))

    async def judge(self, name: str, replies: Sequence[PracticeReply]) -> list[PracticeVerdict]:
        """Return a verdict on each of up to 10,000 replies to practice questions, in their order."""
        return await self._send(calls.judge(name, replies))

    async def order_dataset(self, request: DatasetRequest, *, dry_run: bool = False) -> Dataset:
        """Order a data set, or only estimate it. The same order again is the same data set, and counts once."""
        return await self._send(calls.order_dataset(request, dry_run=dry_run))

    async def dataset(self, dataset_id: str) -> Dataset:
        return await self._send(get(path_of("/v1/datasets/{}", dataset_id), Dataset))

    async def datasets(self, *, cursor: str | None = None, limit: int = 50) -> DatasetPage:
        return await self._send(get("/v1/datasets", DatasetPage, query_of(cursor=cursor, limit=limit)))

    async def dataset_manifest(self, dataset_id: str) -> DatasetManifest:
        return await self._send(get(path_of("/v1/datasets/{}/manifest", dataset_id), DatasetManifest))

    async def dataset_events(self, dataset_id: str) -> list[DatasetEvent]:
        return await self._send(get(path_of("/v1/datasets/{}/events", dataset_id), list[DatasetEvent]))

    async def dataset_shard(self, dataset_id: str, number: int, file: IO[bytes]) -> None:
        """Write a shard to the file. The API key goes to the service alone, not to an object store."""
        call = calls.dataset_shard(dataset_id, number)
        async with self._stream(call) as reply:
            if reply.status_code != httpx.codes.SEE_OTHER:
                async for chunk in reply.aiter_bytes():
                    file.write(chunk)
                return
            address = reply.headers["Location"]
        try:
            async with self._http.stream("GET", address) as reply:
                if reply.is_error:
                    await reply.aread()
                    answer(call, reply)
                async for chunk in reply.aiter_bytes():
                    file.write(chunk)
        except httpx.RequestError as error:
            raise unreachable(self._http.base_url, error) from error

    async def cancel_dataset(self, dataset_id: str) -> Dataset:
        """Give your team's order up. The data set goes when nobody holds one for some days."""
        return await self._send(post(path_of("/v1/datasets/{}/cancel", dataset_id), None, Dataset))

    async def practice_item(self, item: str) -> PracticeItem:
        return await self._send(get(path_of("/v1/items/{}", item), PracticeItem))

    async def solution(self, item: str) -> Solution:
        return await self._send(get(path_of("/v1/items/{}/solution", item), Solution))

    async def check(self, item: str, answers: Sequence[PracticeAnswer]) -> PracticeFeedback:
        """Check up to 100 answers to a practice item, several to one question if you like, such as samples of a model.

        The verdicts are in the order of the answers. The reply names the questions that are open next; of several
        answers to one question the last decides.
        """
        return await self._send(calls.check(item, answers))

    async def picture(self, url: str) -> bytes:
        """Return a picture's PNG; the question has its address."""
        return await self._send(calls.picture(url))

    async def practice_pictures(self, item: str, names: Sequence[str]) -> dict[str, bytes]:
        """Return up to 32 pictures of a practice item in one request, by name."""
        return await self._send(calls.practice_pictures(item, names))

    async def submission_pictures(
        self, submission_id: str, wanted: Sequence[tuple[int, str]]
    ) -> dict[tuple[int, str], bytes]:
        """Return up to 32 pictures of opened questions in one request, by item and name."""
        return await self._send(calls.submission_pictures(submission_id, wanted))

    async def open_submission(self, request: SubmissionRequest, *, idempotency_key: str | None = None) -> Submission:
        """Open a submission. The same idempotency key (a UUID) returns the submission that was opened first."""
        return await self._send(calls.open_submission(request, idempotency_key))

    async def submission(self, submission_id: str) -> Submission:
        return await self._send(get(path_of("/v1/submissions/{}", submission_id), Submission))

    async def submissions(self, *, cursor: str | None = None, limit: int = 50) -> SubmissionList:
        return await self._send(get("/v1/submissions", SubmissionList, query_of(cursor=cursor, limit=limit)))

    async def questions(
        self, submission_id: str, *, cursor: str | None = None, limit: int = 100, items: Sequence[int] | None = None
    ) -> QuestionPage:
        """Return one page of open questions, of these items alone if named (100 at most).

        The call opens those that the sealed answers lead to.
        """
        return await self._send(calls.questions(submission_id, cursor, limit, items))

    async def seal(self, submission_id: str, answers: Sequence[Answer], *, dry_run: bool = False) -> SealReceipt:
        """Seal answers to open questions. A repeated answer is accepted, a different one is refused."""
        return await self._send(calls.seal(submission_id, answers, dry_run=dry_run))

    async def upload(self, submission_id: str, body: bytes, form: AnswerForm, *, dry_run: bool = False) -> SealReceipt:
        """Seal answers from a file as it is: JSON, NDJSON or CSV, plain or gzip."""
        return await self._send(calls.upload(submission_id, body, form, dry_run=dry_run))

    async def bundle(self, submission_id: str, file: IO[bytes]) -> None:
        """Write all open questions with their pictures to the file: a tar archive, for working offline."""
        async with self._stream(calls.bundle(submission_id)) as reply:
            async for chunk in reply.aiter_bytes():
                file.write(chunk)

    async def finish(self, submission_id: str) -> Submission:
        return await self._send(post(path_of("/v1/submissions/{}/finish", submission_id), None, Submission))

    async def events(self, submission_id: str) -> list[Event]:
        return await self._send(get(path_of("/v1/submissions/{}/events", submission_id), list[Event]))

    async def follow(self, submission_id: str, *, after: int = 0) -> AsyncIterator[Event]:
        """Yield events with ids above `after` as they come, until the last one. Lost connections are opened again."""
        lines = EventLines(after)
        failures = 0
        while not lines.is_over:
            try:
                async with self._stream(calls.follow(submission_id, lines.last)) as reply:
                    lines.begin(reply)
                    async for line in reply.aiter_lines():
                        if event := lines.take(line):
                            failures = 0
                            yield event
            except UnreachableError:
                failures += 1
                if failures > RECONNECTIONS:
                    raise
            if not lines.is_over:
                await asyncio.sleep(PAUSE_SECONDS)

    async def report(self, submission_id: str) -> Report:
        return await self._send(get(path_of("/v1/submissions/{}/report", submission_id), Report))

    async def report_text(self, submission_id: str, form: ReportForm, *, fail_under: float | None = None) -> str:
        """Return the report as the service writes it: json, markdown, csv or junit.

        With `fail_under`, a share, a test case of junit fails if the score is below.
        """
        return await self._send(calls.report_text(submission_id, form, fail_under))

    async def revealed_items(self, submission_id: str, *, cursor: str | None = None, limit: int = 50) -> RevealedPage:
        return await self._send(calls.revealed_items(submission_id, cursor, limit))

    async def commitments(self, *, after: int = 0, limit: int = 1000) -> LogPage:
        return await self._send(get("/v1/commitments", LogPage, query_of(after=after, limit=limit)))

    async def verify(self, claimed: Report, *, idempotency_key: str | None = None) -> Verification:
        """Ask this instance to regenerate the draw and check the report; poll `verification`."""
        return await self._send(calls.verify(claimed, idempotency_key))

    async def verification(self, verification_id: str) -> Verification:
        return await self._send(get(path_of("/v1/verifications/{}", verification_id), Verification))

    async def leaderboard(self, name: str, **query: ParameterValue) -> Board:
        return await self._send(get(path_of("/v1/leaderboards/{}", name), Board, query))

    async def evaluate(self, request: EvaluationRequest, *, idempotency_key: str | None = None) -> Evaluation:
        """Have the service evaluate its models. What is expected is in the reply, before anything is spent."""
        return await self._send(calls.evaluate(request, idempotency_key))

    async def evaluation(self, evaluation_id: str) -> Evaluation:
        return await self._send(get(path_of("/v1/evaluations/{}", evaluation_id), Evaluation))

    async def evaluations(self, *, cursor: str | None = None, limit: int = 50) -> EvaluationList:
        return await self._send(get("/v1/evaluations", EvaluationList, query_of(cursor=cursor, limit=limit)))

    async def evaluation_queue(self) -> EvaluationQueue:
        return await self._send(get("/v1/evaluations/queue", EvaluationQueue))

    async def pause_evaluation(self, evaluation_id: str, *, hours: float = 1.0) -> Evaluation:
        """Pause for some hours. Questions in flight are still answered."""
        return await self._send(calls.pause_evaluation(evaluation_id, hours))

    async def resume_evaluation(self, evaluation_id: str, *, budget: int | None = None) -> Evaluation:
        """Go on with a paused evaluation. `budget`: a larger one, in micro-dollars."""
        request = ResumeRequest(budget=budget)
        return await self._send(post(path_of("/v1/evaluations/{}/resume", evaluation_id), request, Evaluation))

    async def cancel_evaluation(self, evaluation_id: str) -> Evaluation:
        """End it now. What is unanswered is as the rule of its request says."""
        return await self._send(post(path_of("/v1/evaluations/{}/cancel", evaluation_id), None, Evaluation))

    async def follow_evaluation(self, evaluation_id: str, *, every_seconds: float = 1.0) -> AsyncIterator[Evaluation]:
        """Yield the evaluation now and whenever it has changed, until it is done."""
        told: Evaluation | None = None
        while told is None or told.state != "done":
            shown = await self.evaluation(evaluation_id)
            if shown != told:
                told = shown
                yield shown
            if shown.state != "done":
                await asyncio.sleep(every_seconds)

    async def evaluation_result(self, evaluation_id: str) -> EvaluationResult:
        return await self._send(get(path_of("/v1/evaluations/{}/result", evaluation_id), EvaluationResult))

    async def model_calls(self, submission_id: str, *, cursor: str | None = None, limit: int = 500) -> ModelCallPage:
        """Return a page of the calls of one run: usage, waits, stop reasons."""
        return await self._send(calls.model_calls(submission_id, cursor, limit))

    async def compare(self, a: str, b: str, *, margin: float | None = None) -> Comparison:
        """Compare submission b with a: paired if both answered one draw."""
        return await self._send(calls.compare(a, b, margin))

    async def compare_board(self, name: str, **query: ParameterValue) -> ComparisonTable:
        """Compare all pairs of a board's ranked rows, with Holm's correction."""
        return await self._send(get(path_of("/v1/comparisons/{}", name), ComparisonTable, query))

    async def _send(self, call: Call[T]) -> T:
        waits = Waits()
        while True:
            reply = await self._request(call)
            pause = waits.before_again(reply)
            if pause is None:
                return answer(call, reply)
            await asyncio.sleep(pause)

    async def _request(self, call: Call[T]) -> httpx.Response:
        try:
            return await self._http.request(**call.arguments(self._authorization))
        except (httpx.RequestError, httpx.InvalidURL) as error:
            raise unreachable(self._http.base_url, error) from error

    @asynccontextmanager
    async def _stream(self, call: Call[bytes]) -> AsyncIterator[httpx.Response]:
        waits = Waits()
        pause: float | None = 0.0
        try:
            while pause is not None:
                await asyncio.sleep(pause)
                async with self._http.stream(**call.arguments(self._authorization)) as reply:
                    pause = waits.before_again(reply)
                    if pause is None and reply.is_error:
                        await reply.aread()
                        answer(call, reply)
                    if pause is None:
                        yield reply
        except (httpx.RequestError, httpx.InvalidURL) as error:
            raise unreachable(self._http.base_url, error) from error
