"""Whatever goes wrong in a service is a problem document, and says no more than it should."""

import re
from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec
import pytest
from litestar import Litestar, get, post
from litestar.exceptions import ImproperlyConfiguredException, NotAuthorizedException
from litestar.params import JSONBody, QueryParameter
from litestar.testing import TestClient

from tetrad.contracts.problems import Fault, Problem
from tetrad.contracts.wire import LINE, Name, Request
from tetrad.server.json_bodies import JsonRequest
from tetrad.server.problems import FAULTS_SHOWN, MEDIA_TYPE, PROBLEM_HANDLERS, ProblemError, refuse
from tetrad.server.tokens import require_token

SECRET = "postgresql://tetrad:hunter2@db/tetrad"


class Order(Request, frozen=True, kw_only=True):
    cups: Annotated[int, msgspec.Meta(ge=1)]
    name: Name = "x"
    size: Literal["small", "large"] = "small"
    milk: Annotated[float, msgspec.Meta(gt=0, lt=1)] | None = None
    guests: Annotated[list[str], msgspec.Meta(min_length=1, max_length=2)] = msgspec.field(default_factory=lambda: [""])
    note: Annotated[str, msgspec.Meta(max_length=3, pattern=LINE)] = ""
    ticket: Annotated[str, msgspec.Meta(pattern="^T[0-9]$")] = "T1"


@get("/refused", sync_to_thread=False)
def refused() -> None:
    raise refuse(422, "cups", "x" * 500, "is no number", "send 1 or more")


@get("/nothing-shown", sync_to_thread=False)
def nothing_shown() -> None:
    raise refuse(422, "cups", None, "is missing", "send 1 or more")


@get("/many", sync_to_thread=False)
def many() -> None:
    faults = [Fault(field=f"f{place}", problem="is wrong", remedy="mend it", line=place) for place in range(250)]
    raise ProblemError(422, "lines are wrong", kind="urn:x", faults=faults, headers={"Retry-After": "3"})


@get("/broken", sync_to_thread=False)
def broken() -> None:
    raise RuntimeError(f"no connection to {SECRET}")


@get("/misconfigured", sync_to_thread=False)
def misconfigured() -> None:
    raise ImproperlyConfiguredException(f"no connection to {SECRET}")


@get("/unauthorized", sync_to_thread=False)
def unauthorized() -> None:
    raise NotAuthorizedException(headers={"WWW-Authenticate": "Bearer"})


@post("/orders", sync_to_thread=False)
def order(data: JSONBody[Order], limit: Annotated[int, QueryParameter(le=5)] = 1) -> int:
    return data.cups * limit


@get("/asked", sync_to_thread=False)
def asked(a: Annotated[str, QueryParameter()]) -> str:
    return a


@get("/docs", sync_to_thread=False)
def reference() -> str:
    return "the reference"


@get("/guarded", sync_to_thread=False, guards=[require_token("first-token", "tökén")])
def guarded() -> str:
    return "in"


@pytest.fixture
def client() -> Iterator[TestClient[Litestar]]:
    routes = [refused, nothing_shown, many, broken, misconfigured, unauthorized, order, asked, guarded]
    app = Litestar(routes, exception_handlers=PROBLEM_HANDLERS, request_class=JsonRequest)
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


def problem(client: TestClient[Litestar], method: str, path: str, body: object = None) -> Problem:
    reply = client.request(method, path, json=body)
    assert reply.headers["content-type"] == MEDIA_TYPE
    said = msgspec.json.decode(reply.content, type=Problem)
    assert said.status == reply.status_code
    assert said.instance == path.partition("?")[0]
    return said


def test_a_refusal_names_the_field_the_value_and_the_remedy(client: TestClient[Litestar]) -> None:
    said = problem(client, "GET", "/refused")
    assert (said.title, said.detail) == ("Unprocessable Entity", "cups: is no number; send 1 or more")
    assert said.faults == [Fault(field="cups", value="x" * 200, problem="is no number", remedy="send 1 or more")]


def test_what_the_query_lacks_is_a_fault(client: TestClient[Litestar]) -> None:
    said = problem(client, "GET", "/asked")
    assert (said.detail, said.faults) == (
        "a: is missing; send it",
        [Fault(field="a", problem="is missing", remedy="send it")],
    )


def test_a_refusal_without_a_value_shows_none(client: TestClient[Litestar]) -> None:
    assert problem(client, "GET", "/nothing-shown").faults[0].value is None


def test_of_many_faults_the_first_hundred_are_shown_and_all_are_counted(client: TestClient[Litestar]) -> None:
    said = problem(client, "GET", "/many")
    assert [fault.line for fault in said.faults] == list(range(FAULTS_SHOWN))
    assert (said.faults_total, said.type) == (250, "urn:x")
    assert client.get("/many").headers["retry-after"] == "3"


@pytest.mark.parametrize("path", ["/broken", "/misconfigured"])
def test_a_fault_of_ours_is_logged_and_not_told(
    client: TestClient[Litestar], caplog: pytest.LogCaptureFixture, path: str
) -> None:
    said = problem(client, "GET", path)
    assert said.status == 500
    assert "try again" in said.detail
    assert "hunter2" not in client.get(path).text
    assert SECRET in caplog.text, "whoever runs it finds the reason"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"cups": 0}, "cups: is less than 1; send 1 or more"),
        ({"cups": "two"}, "cups: is a text, not a whole number; send a whole number"),
        ({"cups": "2"}, "cups: is a text, not a whole number; send a whole number"),
        ({"cups": True}, "cups: is "),
        ({"name": "My Model"}, "name: does not have the required form; send 1 to 64 of a-z, 0-9, dot, "),
        ({"size": "huge"}, "size: is not one of the allowed values; use one of small, large"),
        ({"milk": 1.5}, "milk: is not less than 1.0; send less than 1.0"),
        ({"milk": 0}, "milk: is not more than 0.0; send more than 0.0"),
        ({"milk": []}, "milk: is a list, not a number or null; send a number or null"),
        ({"guests": []}, "guests: is empty; send at least 1"),
        ({"guests": ["a", "b", "c"]}, "guests: has more than 2 entries; send at most 2"),
        ({"note": "long"}, "note: has more than 3 characters; send at most 3"),
        ({"note": "a\nb"}, "note: holds a line break"),
        (
            {"ticket": "x"},
            "ticket: does not have the required form; send it in the form of its pattern in the reference",
        ),
        ({"sugar": 2}, "sugar: is not a field here; leave it out, or correct its name"),
    ],
    ids=str,
)
def test_a_value_that_does_not_fit_is_described_in_words(
    client: TestClient[Litestar], change: dict[str, object], said: str
) -> None:
    found = problem(client, "POST", "/orders", {"cups": 1, **change})
    assert found.status == 422
    assert found.detail.startswith(said)
    assert found.faults[0].remedy
    assert not re.search(r"Expected|regex|\^|/schema|`", found.detail)


@pytest.mark.parametrize(
    ("change", "value"),
    [
        ({"cups": 0}, "0"),
        ({"note": 3}, "3"),
        ({"note": "x" * 300}, "x" * 200),
        ({"milk": True}, "true"),
        ({"guests": ["a", 2]}, "2"),
        ({"guests": []}, "[]"),
        ({"sugar": {"lumps": 2}}, '{"lumps":2}'),
    ],
    ids=str,
)
def test_a_fault_of_a_body_names_the_value_that_was_sent(
    client: TestClient[Litestar], change: dict[str, object], value: str
) -> None:
    assert problem(client, "POST", "/orders", {"cups": 1, **change}).faults[0].value == value


def test_a_fault_of_a_query_names_the_value_that_was_sent(client: TestClient[Litestar]) -> None:
    assert problem(client, "POST", "/orders?limit=9", {"cups": 1}).faults[0].value == "9"


@pytest.mark.parametrize("limit", ["9", "x"])
def test_a_query_that_does_not_fit_names_its_parameter(client: TestClient[Litestar], limit: str) -> None:
    said = problem(client, "POST", f"/orders?limit={limit}", {"cups": 1})
    assert said.status == 422
    assert "limit" in {fault.field for fault in said.faults}


@pytest.mark.parametrize(
    ("body", "status", "field", "problem"),
    [
        (b"", 400, "body", "is empty"),
        (b"{", 400, "body", "is not JSON"),
        (b'{"cups": "\xff"}', 400, "body", "is not UTF-8"),
        (b"\xff", 400, "body", "is not JSON"),
        (b'{"cups": "\\ud83d"}', 400, "body", "is not JSON"),
        (b'{"cups": ' + b"[" * 200_000, 400, "body", "is nested too deep"),
        (b"{}", 422, "cups", "is missing"),
        (b"[1]", 422, "body", "is a list, not a JSON object"),
    ],
)
def test_a_body_that_cannot_be_read_is_400_and_one_that_does_not_fit_is_422(
    client: TestClient[Litestar], body: bytes, status: int, field: str, problem: str
) -> None:
    reply = client.post("/orders", content=body, headers={"Content-Type": "application/json"})
    (fault,) = msgspec.json.decode(reply.content, type=Problem).faults
    assert (reply.status_code, reply.headers["content-type"], fault.field) == (status, MEDIA_TYPE, field)
    assert problem in fault.problem
    assert fault.remedy


def test_litestar_s_own_refusals_are_problems_and_keep_their_headers(client: TestClient[Litestar]) -> None:
    assert problem(client, "GET", "/nowhere").status == 404
    assert problem(client, "DELETE", "/refused").status == 405
    assert problem(client, "GET", "/unauthorized").status == 401
    assert client.get("/unauthorized").headers["www-authenticate"] == "Bearer"


def test_a_path_where_nothing_is_is_named_with_where_to_look(client: TestClient[Litestar]) -> None:
    assert problem(client, "GET", "/nowhere").detail == "nothing is served at '/nowhere'"
    client.app.register(reference)
    assert problem(client, "GET", "/nowhere").detail == "nothing is served at '/nowhere'; see /docs for what is"


def test_a_method_that_is_not_taken_is_named_with_those_that_are(client: TestClient[Litestar]) -> None:
    assert problem(client, "DELETE", "/refused").detail == "'/refused' does not take DELETE; it takes GET, OPTIONS"


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer  ", "Basic first-token", "first-token"])
def test_without_a_service_token_it_is_401_and_says_which_kind(
    client: TestClient[Litestar], header: str | None
) -> None:
    reply = client.get("/guarded", headers={} if header is None else {"Authorization": header})
    assert (reply.status_code, reply.headers["www-authenticate"]) == (401, "Bearer")


@pytest.mark.parametrize("token", ["first-toke", "first-tokenn", "First-Token", "second", "x" * 10_000])
def test_with_another_token_it_is_403(client: TestClient[Litestar], token: str) -> None:
    reply = client.get("/guarded", headers={"Authorization": f"Bearer {token}"})
    assert reply.status_code == 403
    assert "first-token" not in reply.text


@pytest.mark.parametrize("header", ["Bearer first-token", "bearer first-token", "BEARER  first-token "])
def test_each_accepted_token_opens_however_the_scheme_is_written(client: TestClient[Litestar], header: str) -> None:
    assert client.get("/guarded", headers={"Authorization": header}).text == "in"


def test_a_token_outside_ascii_is_refused_and_not_a_crash(client: TestClient[Litestar]) -> None:
    assert client.get("/guarded", headers={b"Authorization": "Bearer tö".encode()}).status_code == 403
