"""The api's replies when the generator fails in odd ways."""

from collections.abc import Iterator

import httpx
import msgspec
import pytest
from msgspec.structs import replace

from api.errors import DomainError, SourceUnavailableError
from api.http.problems import problem_of, status_of
from api.settings import ApiSettings
from api.upstream.generator import Generator
from tetrad.contracts.problems import Fault, Problem


def generator_that(answers: "Iterator[httpx.Response | Exception]", settings: ApiSettings) -> Generator:
    def handle(_: httpx.Request) -> httpx.Response:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    generator = Generator(replace(settings, generator_url="http://generator.test"))
    generator._client = httpx.Client(base_url="http://generator.test", transport=httpx.MockTransport(handle))
    return generator


LISTED = httpx.Response(200, content=b'{"benchmarks": []}')
BROKEN = httpx.RemoteProtocolError("the connection was closed")


def test_a_connection_that_broke_is_tried_again_once(settings: ApiSettings) -> None:
    assert generator_that(iter([BROKEN, LISTED]), settings).benchmarks().benchmarks == []
    with pytest.raises(DomainError) as caught:
        generator_that(iter([BROKEN, BROKEN]), settings).benchmarks()
    assert status_of(caught.value) == 503


def test_what_a_source_lacks_is_told_in_the_generator_s_own_faults_and_what_is_for_operators_is_not(
    settings: ApiSettings,
) -> None:
    fault = Fault(field="track", value="photographs", problem="can't be served: no table", remedy="tetrad source mine")
    problem = Problem(type="about:blank", title="", status=503, detail="the file jumping_3.jpg", faults=[fault])
    with pytest.raises(SourceUnavailableError) as caught:
        generator_that(iter([httpx.Response(503, content=msgspec.json.encode(problem))]), settings).benchmarks()
    told = problem_of(caught.value)
    assert (told.status, told.faults, told.headers["Retry-After"]) == (503, [fault], "60")
    assert told.detail == "track photographs: can't be served: no table; tetrad source mine"


def test_a_generator_that_does_not_answer_in_time_is_not_asked_again(settings: ApiSettings) -> None:
    with pytest.raises(DomainError) as caught:
        generator_that(iter([httpx.ReadTimeout("slow")]), settings).benchmarks()
    assert status_of(caught.value) == 503


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (httpx.Response(404, content=b"<html>"), 502),
        (httpx.Response(403), 502),
        (httpx.Response(503), 503),
        (httpx.Response(429, headers={"Retry-After": "9"}), 503),
    ],
)
def test_errors_that_are_not_the_callers_become_ours(
    answer: httpx.Response, status: int, settings: ApiSettings
) -> None:
    with pytest.raises(DomainError) as caught:
        generator_that(iter([answer]), settings).benchmarks()
    assert status_of(caught.value) == status
    assert problem_of(caught.value).headers["Retry-After"] == answer.headers.get("Retry-After", "5")
