"""Signing in on the pages: what opens a session, what ends it, and what it opens nothing of."""

import hashlib
import logging
import re
from collections.abc import Iterator

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from api.database.schema import sessions
from api.settings import ApiSettings
from tests.integration.api.assembled import client_of
from tests.integration.api.conftest import BOTH_DATABASES, Client
from tests.integration.api.operator import Operator
from tests.integration.api.team import Team
from tests.signed_in import BROWSER, PUBLIC, Person

NAME = "__Host-tetrad-session"


@pytest.fixture
def settings(settings: ApiSettings) -> ApiSettings:
    return replace(settings, public_url=PUBLIC)


@pytest.fixture
def person(client: Client, team: Team) -> Person:
    return Person.signed_in(client, team.key)


def is_in(person: Person) -> bool:
    return "team-one" in person.get("/team").text


@BOTH_DATABASES
def test_a_key_opens_a_session_whose_token_is_kept_nowhere(client: Client, team: Team, engine: sa.Engine) -> None:
    person = Person(client)
    person.get("/team")
    visit = person.cookie
    assert person.sign_in(team.key).headers["location"] == "/team"
    name, _, token = person.cookie.partition("=")
    line = person.seen[-1].lower()
    assert (name, token.startswith("session_")) == (NAME, True)
    assert token != visit.partition("=")[2], "the token is new at the sign-in"
    for part in ("; httponly", "; secure", "; samesite=strict", "; path=/", "; max-age=43200"):
        assert part in line
    assert "domain" not in line
    assert is_in(person)
    with engine.connect() as connection:
        (row,) = connection.execute(sa.select(sessions)).all()
    assert row.id == hashlib.sha256(token.encode()).hexdigest()
    assert row.key_id == team.key_id
    before = person.cookie
    assert person.sign_in(team.key).status_code == 303
    assert person.cookie != before
    assert not is_in(Person(client, before)), "the session before it has ended"


@BOTH_DATABASES
def test_a_session_ends_with_a_sign_out_its_time_its_key_and_its_team_and_none_comes_back(
    client: Client, team: Team, engine: sa.Engine, operator: Operator
) -> None:
    left, late, revoked, suspended = (Person.signed_in(client, team.key) for _ in range(4))
    cookie = left.cookie
    assert left.post("/team/sign-out").status_code == 303
    assert left.cookie == ""
    assert not is_in(Person(client, cookie))
    digest = hashlib.sha256(late.cookie.partition("=")[2].encode()).hexdigest()
    with engine.begin() as connection:
        connection.execute(sa.update(sessions).where(sessions.c.id == digest).values(expires_at=1))
    assert not is_in(late)
    other = team.post("/v1/keys", {"name": "other", "scopes": ["read", "admin"]}).json()
    revoked = Person.signed_in(client, other["key"])
    assert is_in(revoked)
    asks_on = Person(client, revoked.cookie)
    assert asks_on.get("/team/running").status_code == 200
    team.client.delete(f"/v1/keys/{other['about']['id']}", headers=team.headers)
    assert asks_on.get("/team/running").status_code == 401, "an open page that looks for progress is told"
    assert not is_in(revoked)
    kept = suspended.cookie
    assert is_in(suspended)
    operator.post("teams/team-one/suspend", reason="a test")
    assert not is_in(suspended)
    operator.post("teams/team-one/approve", reason="a test")
    assert not is_in(Person(client, kept)), "it has ended for good"
    with engine.connect() as connection:
        assert late.cookie
        ids = set(connection.execute(sa.select(sessions.c.id)).scalars())
    assert digest not in ids, "a later sign-in has swept it away"


def test_a_session_may_do_what_its_key_may(client: Client, team: Team) -> None:
    reader = team.post("/v1/keys", {"name": "reader", "scopes": ["read"]}).json()["key"]
    person = Person.signed_in(client, reader)
    page = person.get("/team").text
    assert "team-one" in page
    assert 'action="/team/keys"' not in page
    for path, fields in (
        ("/team/keys", {"name": "more", "scope": "read"}),
        (f"/team/keys/{team.key_id}/revoke", {}),
        ("/team/models", {"name": "more"}),
        ("/team/evaluations", {"model": "x"}),
    ):
        assert person.post(path, fields).status_code == 403, path
    assert team.get("/v1/teams/me").status_code == 200


@pytest.mark.parametrize("origin", [None, "null", "https://evil.example", "http://tetrad.example", "http://testserver"])
def test_a_form_from_elsewhere_does_nothing(person: Person, team: Team, origin: str | None) -> None:
    for path in ("/team/sign-out", "/team/models", "/team/keys", "/team/sign-in"):
        reply = person.post(path, {"name": "mine", "key": team.key}, origin=origin)
        assert (path, reply.status_code) == (path, 403)
    assert is_in(person)
    assert [model["name"] for model in team.get("/v1/models").json()["models"]] == ["model-one"]


def test_a_form_without_the_token_of_its_session_does_nothing(client: Client, person: Person, team: Team) -> None:
    other = Person.signed_in(client, team.key)
    for token in ("", "0" * 64, other.form_token()):
        assert person.post("/team/models", {"name": "mine"}, token=token).status_code == 403
    assert person.get("/team/sign-out").status_code == 405
    assert (
        client.post("/team/models", json={"name": "mine"}, headers=person.headers | {"Origin": PUBLIC}).status_code
        == 415
    )
    assert person.post("/team/models", {"name": "mine"}).status_code == 303
    assert "mine" in {model["name"] for model in team.get("/v1/models").json()["models"]}


def test_no_route_of_the_api_reads_the_cookie(client: Client, person: Person, team: Team) -> None:
    """Each route that a key opens answers the cookie as it answers nobody."""
    looked = 0
    for route in client.app.routes:
        for handler in getattr(route, "route_handlers", ()):
            if not route.path.startswith(("/v1/", "/internal/")):
                continue
            path = re.sub(r"{\w+:\w+}", "1", route.path)
            for method in handler.http_methods - {"OPTIONS"}:
                replies = [client.request(method, path, headers=headers) for headers in (person.headers, BROWSER)]
                assert replies[0].status_code == replies[1].status_code, (method, path)
                looked += replies[0].status_code == 401
    assert looked > 25
    assert client.get("/v1/teams/me", headers={"Cookie": person.cookie}).status_code == 401
    assert person.get("/team").status_code == 200


def test_a_key_is_taken_over_https_or_on_the_machine_itself(settings: ApiSettings) -> None:
    """The address that asks is the tests' own, which is no loopback; a proxy that nobody trusts says what it likes."""
    with client_of(replace(settings, public_url="")) as client:
        person = Person(client)
        page = person.get("/team", **{"X-Forwarded-Proto": "https"})
        assert "HTTPS" in page.text
        assert "/team/sign-in" not in page.text
        assert person.cookie.startswith("tetrad-session="), "a browser refuses __Host- over HTTP"
        assert "secure" not in person.seen[-1].lower()
        token = hashlib.sha256(f"tetrad/form/1\n{person.cookie.partition('=')[2]}".encode()).hexdigest()
        reply = person.sign_in("tetrad_x", token=token, origin="http://testserver.local")
        assert (reply.status_code, "HTTPS" in reply.text) == (403, True)


def test_attempts_are_refused_with_words_and_the_key_is_in_no_log_and_no_page(
    client: Client, team: Team, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    person = Person(client)
    wrong = "tetrad_" + "w" * 43
    reply = person.sign_in(wrong)
    assert (reply.status_code, "unknown or revoked" in reply.text) == (401, True)
    assert wrong not in reply.text
    assert person.sign_in("").status_code == 401
    assert Person.signed_in(client, team.key)
    said = caplog.text + "".join(repr(vars(record)) for record in caplog.records)
    assert team.key not in said
    assert wrong not in said


@pytest.fixture
def in_a_hurry(settings: ApiSettings, valkey: str) -> Iterator[Client]:
    with client_of(replace(settings, redis_url=valkey, sign_ins_per_minute=3)) as client:
        yield client


def test_attempts_to_sign_in_are_counted_by_address_and_by_key(in_a_hurry: Client) -> None:
    person = Person(in_a_hurry)
    assert [person.sign_in(f"tetrad_{number}").status_code for number in range(4)] == [401, 401, 401, 429]


def test_a_new_key_is_shown_once_and_sent_again_it_is_another(person: Person, team: Team) -> None:
    fields = {"name": "nightly", "scope": ["read", "submit"], "once": "x" * 30}
    first = person.post("/team/keys", fields)
    assert first.status_code == 200
    assert first.headers["cache-control"] == "private, no-store"
    (key,) = re.findall(r"tetrad_[\w-]{43}", first.text)
    assert key not in person.get("/team").text
    assert key[:12] in person.get("/team").text
    (again,) = re.findall(r"tetrad_[\w-]{43}", person.post("/team/keys", fields).text)
    assert again != key
    current = [made["name"] for made in team.get("/v1/keys").json()["keys"] if made["revoked_at"] is None]
    assert sorted(current) == ["first", "nightly"]
    assert person.post("/team/keys", {"name": "Not A Name", "scope": "read"}).status_code == 422
    assert person.post("/team/keys", {"name": "none"}).status_code == 422
    assert person.post(f"/team/keys/{team.key_id}/revoke").status_code == 409, "the last key with admin"
