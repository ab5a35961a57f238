"""Every request the client can make, as data: how it is asked and how its answer is decoded.

`Client` and `AsyncClient` have the same verbs because both only send these.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar
from urllib.parse import quote

import httpx
import msgspec

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
from tetrad.contracts.answers import Answer, AnswerBatch, PracticeAnswer, PracticeAnswers, PracticeFeedback, SealReceipt
from tetrad.contracts.benchmarks import BenchmarkInfo, BenchmarkList
from tetrad.contracts.draws import LogPage
from tetrad.contracts.items import PracticeItem, PracticePage, Solution
from tetrad.contracts.leaderboards import Board
from tetrad.contracts.reports import Report, Verification, VerificationRequest
from tetrad.contracts.submissions import (
    Event,
    QuestionPage,
    RevealedPage,
    Submission,
    SubmissionList,
    SubmissionRequest,
)
from tetrad.contracts.wire import ParameterValue

T = TypeVar("T")
JSON = "application/json"


@dataclass(frozen=True, kw_only=True)
class Call(Generic[T]):
    """One request and the decoder of its answer."""

    method: str
    path: str
    decode: Callable[[httpx.Response], T]
    query: Mapping[str, str | int | bool] = field(default_factory=dict)
    body: bytes | None = None
    accept: str = JSON

    @property
    def headers(self) -> dict[str, str]:
        typed = {} if self.body is None else {"Content-Type": JSON}
        return {"Accept": self.accept, **typed}


def _path(pattern: str, *segments: str) -> str:
    return pattern.format(*(quote(segment, safe="") for segment in segments))


def _as(kind: type[T]) -> Callable[[httpx.Response], T]:
    return lambda reply: msgspec.json.decode(reply.content, type=kind)


def query_of(**values: str | int | bool | None) -> dict[str, str | int | bool]:
    return {name: value for name, value in values.items() if value is not None}


def get(path: str, kind: type[T], query: Mapping[str, str | int | bool] | None = None) -> Call[T]:
    return Call(method="GET", path=path, decode=_as(kind), query=query or {})


def post(path: str, body: msgspec.Struct | None, kind: type[T]) -> Call[T]:
    content = None if body is None else msgspec.json.encode(body)
    return Call(method="POST", path=path, decode=_as(kind), body=content)


def register_team(name: str, title: str | None, contact: str | None) -> Call[Registration]:
    return post("/v1/teams", TeamRequest(name=name, title=title, contact=contact), Registration)


def team() -> Call[Team]:
    return get("/v1/teams/me", Team)


def keys() -> Call[KeyList]:
    return get("/v1/keys", KeyList)


def new_key(request: KeyRequest) -> Call[NewApiKey]:
    return post("/v1/keys", request, NewApiKey)


def revoke_key(key_id: str) -> Call[ApiKey | None]:
    def decode(reply: httpx.Response) -> ApiKey | None:
        return msgspec.json.decode(reply.content, type=ApiKey) if reply.content else None

    return Call(method="DELETE", path=_path("/v1/keys/{}", key_id), decode=decode)


def models() -> Call[ModelList]:
    return get("/v1/models", ModelList)


def register_model(request: ModelRequest) -> Call[Model]:
    return post("/v1/models", request, Model)


def benchmarks() -> Call[BenchmarkList]:
    return get("/v1/benchmarks", BenchmarkList)


def benchmark(name: str) -> Call[BenchmarkInfo]:
    return get(_path("/v1/benchmarks/{}", name), BenchmarkInfo)


def practice(name: str, query: Mapping[str, str | int | bool]) -> Call[PracticePage]:
    return get(_path("/v1/benchmarks/{}/items", name), PracticePage, query)


def practice_item(item: str) -> Call[PracticeItem]:
    return get(_path("/v1/items/{}", item), PracticeItem)


def solution(item: str) -> Call[Solution]:
    return get(_path("/v1/items/{}/solution", item), Solution)


def check(item: str, answers: Sequence[PracticeAnswer]) -> Call[PracticeFeedback]:
    return post(_path("/v1/items/{}/answers", item), PracticeAnswers(answers=list(answers)), PracticeFeedback)


def picture(url: str) -> Call[bytes]:
    return Call(method="GET", path=url, decode=lambda reply: reply.content, accept="image/png")


def open_submission(request: SubmissionRequest) -> Call[Submission]:
    return post("/v1/submissions", request, Submission)


def submission(submission_id: str) -> Call[Submission]:
    return get(_path("/v1/submissions/{}", submission_id), Submission)


def submissions(cursor: str | None, limit: int) -> Call[SubmissionList]:
    return get("/v1/submissions", SubmissionList, query_of(cursor=cursor, limit=limit))


def questions(submission_id: str, cursor: str | None, limit: int) -> Call[QuestionPage]:
    return get(_path("/v1/submissions/{}/questions", submission_id), QuestionPage, query_of(cursor=cursor, limit=limit))


def seal(submission_id: str, answers: Sequence[Answer], *, dry_run: bool) -> Call[SealReceipt]:
    call = post(_path("/v1/submissions/{}/answers", submission_id), AnswerBatch(answers=list(answers)), SealReceipt)
    return Call(method=call.method, path=call.path, decode=call.decode, body=call.body, query=_flag(dry_run=dry_run))


def finish(submission_id: str) -> Call[Submission]:
    return post(_path("/v1/submissions/{}/finish", submission_id), None, Submission)


def events(submission_id: str) -> Call[list[Event]]:
    return get(_path("/v1/submissions/{}/events", submission_id), list[Event])


def report(submission_id: str) -> Call[Report]:
    return get(_path("/v1/submissions/{}/report", submission_id), Report)


def report_markdown(submission_id: str) -> Call[str]:
    path = _path("/v1/submissions/{}/report", submission_id)
    return Call(method="GET", path=path, decode=lambda reply: reply.text, accept="text/markdown")


def revealed(submission_id: str, cursor: str | None, limit: int) -> Call[RevealedPage]:
    return get(_path("/v1/submissions/{}/items", submission_id), RevealedPage, query_of(cursor=cursor, limit=limit))


def commitments(after: int, limit: int) -> Call[LogPage]:
    return get("/v1/commitments", LogPage, query_of(after=after, limit=limit))


def verify(claimed: Report) -> Call[Verification]:
    return post("/v1/verifications", VerificationRequest(report=claimed), Verification)


def verification(verification_id: str) -> Call[Verification]:
    return get(_path("/v1/verifications/{}", verification_id), Verification)


def leaderboard(name: str, query: Mapping[str, ParameterValue]) -> Call[Board]:
    return get(_path("/v1/leaderboards/{}", name), Board, query)


def _flag(**flags: bool) -> dict[str, str | int | bool]:
    return {name: "true" for name, flag in flags.items() if flag}
