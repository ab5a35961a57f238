"""A submission over HTTP: pages are followed, and a service that is away for a moment is waited for."""

import io
import tarfile
from collections.abc import Iterator

import msgspec
import pytest
from litestar import Litestar, Response, get, post
from litestar.params import FromPath, FromQuery
from litestar.testing import TestClient

from tetrad.client import Client, ServiceError
from tetrad.contracts.answers import Answer, SealReceipt
from tetrad.contracts.items import Choice, Picture, Question
from tetrad.contracts.problems import Problem
from tetrad.contracts.submissions import OpenQuestion, QuestionPage
from tetrad.runner import Attempts, RefusedError, ReplyError, SubmissionOverHttp

RECEIPT = SealReceipt(accepted=1, unchanged=0, dry_run=False, state="queued", answered=1)


def question(name: str) -> OpenQuestion:
    picture = Picture(name="1", caption="", url=f"/pictures/{name}")
    asked = Question(id=name, kind="k", text="?", shape=Choice(labels=("A",)), pictures=(picture,))
    return OpenQuestion(item=0, question=asked)


def tar_of(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


class Service:
    """The submission's endpoints in two pages; fails with the given statuses first."""

    def __init__(self) -> None:
        self.failures: list[int] = []
        self.together: list[str] = []
        self.instead: Response[bytes] | None = None

    def say(self, content: bytes) -> Response[bytes]:
        if not self.failures:
            return Response(content, media_type="application/json")
        status = self.failures.pop(0)
        problem = Problem(type="about:blank", title="No", status=status, detail="not now")
        return Response(msgspec.json.encode(problem), status_code=status, headers={"Retry-After": "0"})

    def app(self) -> Litestar:
        @get("/v1/submissions/{name:str}/questions", sync_to_thread=False)
        def questions(name: FromPath[str], cursor: FromQuery[str | None] = None) -> Response[bytes]:
            page = QuestionPage(questions=[question(cursor or name)], next=None if cursor else "second")
            return self.say(msgspec.json.encode(page))

        @get("/pictures/{name:str}", sync_to_thread=False)
        def picture(name: FromPath[str]) -> Response[bytes]:
            return self.say(name.encode())

        @post("/v1/submissions/{name:str}/answers", status_code=200, sync_to_thread=False)
        def seal(name: FromPath[str]) -> Response[bytes]:
            assert name
            return self.say(msgspec.json.encode(RECEIPT))

        @get("/v1/submissions/{name:str}/images", sync_to_thread=False)
        def several_pictures(name: FromPath[str], pictures: FromQuery[str]) -> Response[bytes]:
            self.together.append(pictures)
            return self.instead or self.say(
                tar_of({shown: f"{name} {shown}".encode() for shown in pictures.split(",")})
            )

        return Litestar([questions, picture, seal, several_pictures])


@pytest.fixture
def service() -> Service:
    return Service()


@pytest.fixture
def submission(service: Service) -> Iterator[SubmissionOverHttp]:
    with TestClient(service.app()) as http:
        yield SubmissionOverHttp(Client("", http=http), "first", attempts=Attempts(most=3, pause_seconds=0))


def test_pages_are_followed_to_the_last(submission: SubmissionOverHttp) -> None:
    assert [asked.question.id for asked in submission.questions()] == ["first", "second"]


def test_pictures_come_from_the_address_of_their_question(submission: SubmissionOverHttp) -> None:
    assert submission.picture(question("x"), "1") == b"x"
    with pytest.raises(RefusedError, match="picture '2' has no address"):
        submission.picture(question("x"), "2")


def test_pictures_of_questions_to_come_are_fetched_together_and_once(
    service: Service, submission: SubmissionOverHttp
) -> None:
    first, second = submission.questions()
    assert submission.picture(first, "1") == b"first 0/1"
    assert service.together == ["0/1"], "the second question shows the same picture of the same item"
    assert submission.picture(second, "1") == b"second", "what was taken comes from its own address"


@pytest.mark.parametrize(("status", "content"), [(500, b"{}"), (404, b"none"), (200, b"no tar"), (200, tar_of({}))])
def test_pictures_that_do_not_come_together_are_fetched_alone(
    service: Service, submission: SubmissionOverHttp, status: int, content: bytes
) -> None:
    service.instead = Response(content, status_code=status, media_type="application/x-tar")
    first, _ = submission.questions()
    assert submission.picture(first, "1") == b"first"
    assert service.together, "they were asked for together"


def test_a_service_that_is_away_for_a_moment_is_waited_for(service: Service, submission: SubmissionOverHttp) -> None:
    service.failures = [503, 429]
    assert submission.seal([Answer(item=0, question="q", response="A")]) == RECEIPT


def test_a_service_that_stays_away_is_given_up(service: Service, submission: SubmissionOverHttp) -> None:
    service.failures = [500] * 3
    with pytest.raises(ReplyError, match="not now"):
        submission.seal([Answer(item=0, question="q", response="A")])
    away = SubmissionOverHttp(Client("http://127.0.0.1:9"), "s", attempts=Attempts(most=1))
    with pytest.raises(ReplyError):
        list(away.questions())


def test_a_refusal_comes_through_at_once(service: Service, submission: SubmissionOverHttp) -> None:
    service.failures = [409, 409]
    with pytest.raises(ServiceError):
        submission.seal([Answer(item=0, question="q", response="A")])
    assert service.failures == [409]
