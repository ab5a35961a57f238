"""Describe a request of the client as data, with the decoder of its answer.

A request that takes one line stands at its verb in `AsyncClient`; longer ones stand here. `Client` is made from it.
"""

import tarfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from typing import Any, Generic, Literal, TypeAlias, TypeVar
from urllib.parse import quote
from uuid import uuid4

import httpx
import msgspec

from tetrad.canonical import hexdigest
from tetrad.client.errors import NonceError
from tetrad.contracts.accounts import (
    ApiKey,
)
from tetrad.contracts.answers import Answer, AnswerBatch, PracticeAnswer, PracticeAnswers, PracticeFeedback, SealReceipt
from tetrad.contracts.datasets import Dataset, DatasetRequest
from tetrad.contracts.evaluations import (
    Comparison,
    Evaluation,
    EvaluationRequest,
    ModelCallPage,
    PauseRequest,
)
from tetrad.contracts.reports import Report, Verification, VerificationRequest
from tetrad.contracts.rows import Row, RowPictures
from tetrad.contracts.submissions import (
    QuestionPage,
    RevealedPage,
    Submission,
    SubmissionRequest,
)
from tetrad.contracts.training import NextRows, PracticeReply, PracticeVerdict
from tetrad.contracts.wire import ParameterValue

LONGEST_DOCUMENT = 2**20  # bytes of answers in one JSON document; the service takes some more
T = TypeVar("T")
NONCE_PURPOSE = "tetrad/nonce/1"
JSON = "application/json"
NDJSON = "application/x-ndjson"
GZIP = b"\x1f\x8b"  # how a gzip file begins

Place: TypeAlias = tuple[int, str]
"""An item's number and the name of one of its pictures."""

AnswerForm: TypeAlias = Literal["json", "ndjson", "csv"]
ANSWER_FORMS: dict[AnswerForm, str] = {"json": JSON, "ndjson": "application/x-ndjson", "csv": "text/csv"}

ReportForm: TypeAlias = Literal["json", "markdown", "csv", "junit"]
REPORT_FORMS: dict[ReportForm, str] = {
    "json": JSON,
    "markdown": "text/markdown",
    "csv": "text/csv",
    "junit": "application/xml",
}


@dataclass(frozen=True, kw_only=True)
class Call(Generic[T]):
    """One request and the decoder of its answer."""

    method: str
    path: str
    decode: Callable[[httpx.Response], T]
    query: Mapping[str, str | int | bool] = field(default_factory=dict)
    body: bytes | None = None
    accept: str = JSON
    content_type: str = JSON
    more_headers: Mapping[str, str] = field(default_factory=dict)

    def arguments(self, authorization: Mapping[str, str]) -> dict[str, Any]:
        """Return the request as keyword arguments of httpx."""
        typed = {} if self.body is None else {"Content-Type": self.content_type}
        return {
            "method": self.method,
            "url": self.path,
            "params": dict(self.query) or None,
            "content": self.body,
            "headers": {"Accept": self.accept, **typed, **self.more_headers, **authorization},
        }


def path_of(pattern: str, *segments: str) -> str:
    """Return the path with its segments filled in. Segments may hold any character."""
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


def create(path: str, body: msgspec.Struct, kind: type[T], key: str | None) -> Call[T]:
    """Return a request that creates something. Repeated under the same idempotency key, it creates nothing more."""
    return replace(post(path, body, kind), more_headers={"Idempotency-Key": key or uuid4().hex})


def _raw(path: str, accept: str) -> Call[bytes]:
    return Call(method="GET", path=path, decode=lambda reply: reply.content, accept=accept)


def revoke_key(key_id: str) -> Call[ApiKey | None]:
    def decode(reply: httpx.Response) -> ApiKey | None:
        return msgspec.json.decode(reply.content, type=ApiKey) if reply.content else None

    return Call(method="DELETE", path=path_of("/v1/keys/{}", key_id), decode=decode)


def check(item: str, answers: Sequence[PracticeAnswer]) -> Call[PracticeFeedback]:
    return post(path_of("/v1/items/{}/answers", item), PracticeAnswers(answers=list(answers)), PracticeFeedback)


def items_query(  # noqa: PLR0917 -- the names of a query
    track: str | None,
    setting: str | None,
    seed: int | str | None,
    version: int | None,
    source: str | Sequence[str] | None,
    parameters: Mapping[str, ParameterValue],
) -> dict[str, ParameterValue]:
    """Return the query for practice items of a draw. Several sources are given as one text, joined by commas."""
    named = source if isinstance(source, str) or source is None else ",".join(source)
    own = query_of(track=track, setting=setting, seed=seed, version=version, source=named)
    return {**own, **parameters}


def rows_query(pictures: RowPictures, questions: str, *, answers: bool) -> dict[str, ParameterValue]:
    return {"pictures": pictures, "questions": questions, "answers": "yes" if answers else "no"}


def rows(path: str, query: Mapping[str, ParameterValue]) -> Call[bytes]:
    return replace(_raw(path, NDJSON), query=query)


def next_rows(name: str, items: Sequence[NextRows], query: Mapping[str, ParameterValue]) -> Call[list[Row]]:
    named = {field: value for field, value in query.items() if field != "questions"}
    return replace(_lines(path_of("/v1/benchmarks/{}/rows", name), items, Row), query=named)


def judge(name: str, replies: Sequence[PracticeReply]) -> Call[list[PracticeVerdict]]:
    return _lines(path_of("/v1/benchmarks/{}/verdicts", name), replies, PracticeVerdict)


def _lines(path: str, lines: Sequence[msgspec.Struct], kind: type[T]) -> Call[list[T]]:
    """Return a request of lines of JSON that is answered with lines."""
    decoder = msgspec.json.Decoder(kind)
    return Call(
        method="POST",
        path=path,
        decode=lambda reply: decoder.decode_lines(reply.content),
        body=msgspec.json.Encoder().encode_lines(lines),
        accept=NDJSON,
        content_type=NDJSON,
    )


def picture(url: str) -> Call[bytes]:
    return _raw(url, "image/png")


def submission_pictures(submission_id: str, wanted: Sequence[Place]) -> Call[dict[Place, bytes]]:
    return Call(
        method="GET",
        path=path_of("/v1/submissions/{}/images", submission_id),
        query={"pictures": ",".join(f"{item}/{name}" for item, name in wanted)},
        decode=_unpack_places,
        accept="application/x-tar",
    )


def practice_pictures(item: str, names: Sequence[str]) -> Call[dict[str, bytes]]:
    return Call(
        method="GET",
        path=path_of("/v1/items/{}/images", item),
        query={"pictures": ",".join(names)},
        decode=_unpack,
        accept="application/x-tar",
    )


def _unpack_places(reply: httpx.Response) -> dict[Place, bytes]:
    places = {tuple(path.split("/", 1)): content for path, content in _unpack(reply).items()}
    try:
        return {(int(item), name): content for (item, name), content in places.items()}
    except ValueError as error:
        raise msgspec.DecodeError(f"no archive of an item's pictures: {error}") from error


def _unpack(reply: httpx.Response) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    try:
        with tarfile.open(fileobj=BytesIO(reply.content)) as archive:
            for entry in archive:
                file = archive.extractfile(entry)
                found[entry.name] = b"" if file is None else file.read()
    except tarfile.TarError as error:
        raise msgspec.DecodeError(f"no archive: {error}") from error
    return found


def open_submission(request: SubmissionRequest, key: str | None) -> Call[Submission]:
    key = key or uuid4().hex
    asked = _with_nonce(request, key)
    call = create("/v1/submissions", asked, Submission, key)
    return replace(call, decode=lambda reply: _opened_with(asked, call.decode(reply)))


def questions(
    submission_id: str, cursor: str | None, limit: int, items: Sequence[int] | None = None
) -> Call[QuestionPage]:
    listed = None if items is None else ",".join(map(str, items))
    query = query_of(cursor=cursor, limit=limit, items=listed)
    return get(path_of("/v1/submissions/{}/questions", submission_id), QuestionPage, query)


def seal(submission_id: str, answers: Sequence[Answer], *, dry_run: bool) -> Call[SealReceipt]:
    """Return an upload: one JSON document, or lines of JSON if one document would be too long."""
    call = post(path_of("/v1/submissions/{}/answers", submission_id), AnswerBatch(answers=list(answers)), SealReceipt)
    if len(call.body or b"") > LONGEST_DOCUMENT:
        lines = b"".join(msgspec.json.encode(answer) + b"\n" for answer in answers)
        return upload(submission_id, lines, "ndjson", dry_run=dry_run)
    return replace(call, query=_flag(dry_run=dry_run))


def upload(submission_id: str, body: bytes, form: AnswerForm, *, dry_run: bool) -> Call[SealReceipt]:
    return Call(
        method="POST",
        path=path_of("/v1/submissions/{}/answers", submission_id),
        decode=_as(SealReceipt),
        query=_flag(dry_run=dry_run),
        body=body,
        content_type=ANSWER_FORMS[form],
        more_headers={"Content-Encoding": "gzip"} if body.startswith(GZIP) else {},
    )


def bundle(submission_id: str) -> Call[bytes]:
    return _raw(path_of("/v1/submissions/{}/questions", submission_id), "application/x-tar")


def follow(submission_id: str, after: int) -> Call[bytes]:
    call = _raw(path_of("/v1/submissions/{}/events", submission_id), "text/event-stream")
    return replace(call, more_headers={"Last-Event-ID": str(after)} if after else {})


def report_text(submission_id: str, form: ReportForm, fail_under: float | None) -> Call[str]:
    return Call(
        method="GET",
        path=path_of("/v1/submissions/{}/report", submission_id),
        decode=lambda reply: reply.content.decode(),
        query=query_of(fail_under=None if fail_under is None else str(fail_under)),
        accept=REPORT_FORMS[form],
    )


def revealed_items(submission_id: str, cursor: str | None, limit: int) -> Call[RevealedPage]:
    return get(path_of("/v1/submissions/{}/items", submission_id), RevealedPage, query_of(cursor=cursor, limit=limit))


def verify(claimed: Report, key: str | None) -> Call[Verification]:
    return create("/v1/verifications", VerificationRequest(report=claimed), Verification, key)


def evaluate(request: EvaluationRequest, key: str | None) -> Call[Evaluation]:
    """Return the request to evaluate. Its nonce is derived from the idempotency key, as that of a submission."""
    key = key or uuid4().hex
    nonce = request.nonce or hexdigest(NONCE_PURPOSE, key)
    return create("/v1/evaluations", msgspec.structs.replace(request, nonce=nonce), Evaluation, key)


def pause_evaluation(evaluation_id: str, hours: float) -> Call[Evaluation]:
    return post(path_of("/v1/evaluations/{}/pause", evaluation_id), PauseRequest(hours=hours), Evaluation)


def model_calls(submission_id: str, cursor: str | None, limit: int) -> Call[ModelCallPage]:
    path = path_of("/v1/evaluations/calls/{}", submission_id)
    return get(path, ModelCallPage, query_of(cursor=cursor, limit=limit))


def compare(a: str, b: str, margin: float | None) -> Call[Comparison]:
    query = query_of(a=a, b=b, margin=None if margin is None else str(margin))
    return get("/v1/comparisons", Comparison, query)


def order_dataset(request: DatasetRequest, *, dry_run: bool) -> Call[Dataset]:
    return replace(post("/v1/datasets", request, Dataset), query=_flag(dry_run=dry_run))


def dataset_shard(dataset_id: str, number: int) -> Call[bytes]:
    return _raw(path_of("/v1/datasets/{}/shards/{}", dataset_id, str(number)), "*/*")


def _flag(**flags: bool) -> dict[str, str | int | bool]:
    return {name: "true" for name, flag in flags.items() if flag}


def _with_nonce(request: SubmissionRequest, key: str) -> SubmissionRequest:
    """Return the request with a nonce: its own, or one derived from the idempotency key.

    The client draws the nonce, so the service can't have chosen the seed beforehand. A repeated request must be equal,
    so its nonce is derived from the idempotency key.
    """
    return request if request.nonce else msgspec.structs.replace(request, nonce=hexdigest(NONCE_PURPOSE, key))


def _opened_with(asked: SubmissionRequest, opened: Submission) -> Submission:
    """Return the submission, if it was opened with the nonce of the request.

    Raises:
        NonceError: it was opened with another.
    """
    if opened.nonce != asked.nonce:
        raise NonceError(
            f"submission {opened.id} was opened with the nonce {opened.nonce!r}, not with {asked.nonce!r} as asked: its"
            " seed may have been chosen beforehand; leave it unanswered and ask the operator"
        )
    return opened
