"""Teams, keys and models."""

import json
import re
from datetime import UTC, datetime
from typing import get_args

import pytest
import sqlalchemy as sa
from litestar import Litestar, get
from litestar.testing import TestClient
from msgspec.structs import replace

from api.app import create_app
from api.openapi import DOCUMENT
from api.settings import ApiSettings
from api.upstream.gateway import Gateway
from tests.integration.api.conftest import BOTH_DATABASES, Client
from tests.integration.api.operator import Operator
from tests.integration.api.team import Team
from tests.ports import free_port
from tetrad.contracts.accounts import Scope

SCOPES = get_args(Scope)


def test_a_team_is_registered_with_a_key_that_may_do_everything(client: Client) -> None:
    reply = client.post("/v1/teams", json={"name": "north", "title": "The North"})
    assert reply.status_code == 201
    made = reply.json()
    assert re.fullmatch(r"tetrad_[A-Za-z0-9_-]{43}", made["key"])
    assert made["about"]["scopes"] == ["read", "submit", "admin"]
    assert made["key"].startswith(made["about"]["prefix"])
    assert re.fullmatch(r"team_[0-9a-f]{32}", made["team"]["id"])
    assert datetime.fromisoformat(made["team"]["created_at"]).tzinfo == UTC
    me = client.get("/v1/teams/me", headers={"Authorization": f"Bearer {made['key']}"})
    assert me.json() == made["team"]
    taken = client.post("/v1/teams", json={"name": "north"})
    assert (taken.status_code, taken.json()["faults"][0]["field"]) == (409, "name")


def test_keys_are_kept_as_hashes_only(team: Team, engine: sa.Engine) -> None:
    with engine.connect() as connection:
        rows = [str(row) for row in connection.execute(sa.text("SELECT * FROM keys"))]
    assert len(rows) == 1
    assert team.key not in rows[0]
    assert team.key[12:] not in rows[0]


def test_registration_can_be_closed(settings: ApiSettings) -> None:
    with TestClient(create_app(replace(settings, registration="closed"))) as client:
        reply = client.post("/v1/teams", json={"name": "north"})
    assert (reply.status_code, reply.json()["title"]) == (403, "Forbidden")


UNPRINTABLE = {
    "nothing": "\0",
    "escape": "\x1b[2Jwiped",
    "line feed": "one\ntwo",
    "line feed at the end": "one\n",
    "carriage return": "one\rtwo",
    "next line": "one\x85two",
    "line separator": "one\u2028two",
    "override": "\u202egnirts",
    "isolate": "\u2066one",
    "mark": "one\u200ftwo",
    "tags": "one\U000e0041\U000e007ftwo",
}


@pytest.mark.parametrize("text", UNPRINTABLE.values(), ids=UNPRINTABLE)
def test_what_would_deceive_on_a_terminal_is_refused_where_it_is_taken(
    client: Client, team: Team, operator: Operator, text: str
) -> None:
    refused = {
        "title": client.post("/v1/teams", json={"name": "north", "title": text}),
        "contact": client.post("/v1/teams", json={"name": "north", "contact": text}),
        "url": team.post("/v1/models", {"name": "other", "url": f"https://example.org/{text}"}),
        "reason": operator.call("POST", "teams/team-one/suspend", {"reason": text}),
    }
    for field, reply in refused.items():
        (fault,) = reply.json()["faults"]
        assert (reply.status_code, fault["field"]) == (422, field)
        told = f"{fault['problem']}; {fault['remedy']}"
        assert "direction of text" in told
        assert "on one line" in told
    assert team.post("/v1/models", {"name": "other", "title": text}).status_code == 422


@pytest.mark.parametrize("name", ["north\n", "\nnorth"])
def test_a_name_ends_where_its_line_does(client: Client, name: str) -> None:
    assert client.post("/v1/teams", json={"name": name}).status_code == 422


def test_titles_may_be_in_any_script(client: Client, team: Team) -> None:
    assert client.post("/v1/teams", json={"name": "north", "title": "Équipe № 1 — 北 שלום 👩‍🚀"}).status_code == 201
    url = "https://例え.jp/模型?q=1#top"
    assert team.post("/v1/models", {"name": "other", "url": url}).json()["url"] == url


@pytest.mark.parametrize("name", ["admin", "operator", "tetrad", "baselines"])
def test_names_that_speak_for_the_service_are_no_teams(client: Client, name: str) -> None:
    reply = client.post("/v1/teams", json={"name": name})
    (fault,) = reply.json()["faults"]
    assert (reply.status_code, fault["field"], fault["value"]) == (422, "name", name)
    assert "choose another" in fault["remedy"]
    assert client.post("/v1/teams", json={"name": f"{name}s-friends"}).status_code == 201


@pytest.mark.parametrize("body", [{"name": "No Slug"}, {"name": "north", "colour": "red"}, {}])
def test_a_wrong_registration_is_refused(client: Client, body: dict[str, str]) -> None:
    reply = client.post("/v1/teams", json=body)
    assert reply.status_code == 422
    assert reply.headers["Content-Type"] == "application/problem+json"


@BOTH_DATABASES
def test_text_that_postgres_cannot_keep_is_refused_everywhere(team: Team) -> None:
    body = {"benchmark": "trio", "track": "plain", "model": "model-one", "size": 5, "nonce": "a\0b"}
    reply = team.post("/v1/submissions", body)
    assert (reply.status_code, reply.json()["faults"][0]["field"]) == (422, "nonce")


def test_a_revoked_key_is_nobodys(team: Team, client: Client) -> None:
    made = team.post("/v1/keys", {"name": "second"})
    assert made.status_code == 201
    about = made.json()["about"]
    assert about["scopes"] == ["read", "submit"]
    second = {"Authorization": f"Bearer {made.json()['key']}"}
    assert client.get("/v1/teams/me", headers=second).status_code == 200
    assert client.delete(f"/v1/keys/{about['id']}", headers=team.headers).status_code == 204
    refused = client.get("/v1/teams/me", headers=second)
    assert refused.status_code == 401
    assert refused.headers["WWW-Authenticate"].startswith("Bearer")
    assert client.delete(f"/v1/keys/{about['id']}", headers=team.headers).status_code == 204
    listed = team.get("/v1/keys").json()["keys"]
    assert [key["revoked_at"] is None for key in listed] == [True, False]


@BOTH_DATABASES
def test_the_last_key_with_admin_stays(team: Team, client: Client) -> None:
    reply = client.delete(f"/v1/keys/{team.key_id}", headers=team.headers)
    assert reply.status_code == 409
    team.post("/v1/keys", {"name": "other", "scopes": ["admin"]})
    assert client.delete(f"/v1/keys/{team.key_id}", headers=team.headers).status_code == 204


def test_another_teams_key_cannot_be_revoked(team: Team, client: Client) -> None:
    other = Team.registered(client, "other")
    for name in (team.key_id, "key_" + "0" * 32, "garbage"):
        assert client.delete(f"/v1/keys/{name}", headers=other.headers).status_code == 404


def test_scopes_hold(team: Team, client: Client) -> None:
    submission = team.open()
    made = team.post("/v1/keys", {"name": "reader", "scopes": ["read"]}).json()
    reader = Team(client, made["key"], made["about"]["id"])
    assert reader.get(f"/v1/submissions/{submission}").status_code == 200
    for refused in (
        reader.get(f"/v1/submissions/{submission}/questions"),
        reader.seal(submission, {"item": 0, "question": "what-0", "answer": "A"}),
        reader.get("/v1/keys"),
        reader.post("/v1/keys", {"name": "more"}),
        reader.post("/v1/models", {"name": "more"}),
    ):
        assert refused.status_code == 403
        assert "scope" in refused.json()["detail"]


def with_scopes(team: Team, *scopes: str) -> Team:
    made = team.post("/v1/keys", {"name": "-".join(scopes), "scopes": [*scopes]}).json()
    return Team(team.client, made["key"], made["about"]["id"])


def test_a_key_that_submits_registers_a_name_and_opens_with_it(team: Team) -> None:
    job = with_scopes(team, "read", "submit")
    made = job.post("/v1/models", {"name": "of-a-job"})
    assert (made.status_code, made.json()["title"]) == (201, "of-a-job")
    assert job.open(model="of-a-job").startswith("sub_")
    for shown in ({"title": "Buy here"}, {"url": "https://phishing.example"}):
        refused = job.post("/v1/models", {"name": "another", **shown})
        assert (refused.status_code, [fault["field"] for fault in refused.json()["faults"]]) == (403, [*shown])
        assert "scope admin" in refused.json()["faults"][0]["remedy"]
        assert team.post("/v1/models", {"name": f"with-{next(iter(shown))}", **shown}).status_code == 201


def test_a_key_that_submits_can_t_use_up_the_team_s_names(team: Team, operator: Operator) -> None:
    """A job's key may leak. The team still has names left then, and a key to register them with."""
    assert operator.call("PATCH", "teams/team-one/caps", {"models": 10}).is_success
    job = with_scopes(team, "submit")
    given = [job.post("/v1/models", {"name": f"m{number}"}).status_code for number in range(10)]
    assert given == [201] * 8 + [403] * 2, "one was there, and one is left"
    assert team.post("/v1/models", {"name": "the-last"}).status_code == 201
    assert team.post("/v1/models", {"name": "too-many"}).status_code == 403


def test_each_operation_asks_for_the_scope_that_the_document_names_and_no_other(team: Team, client: Client) -> None:
    bodies = {
        "createKey": {"name": "more"},
        "registerModel": {"name": "more"},
        "openSubmission": {"benchmark": "trio", "model": "model-one"},
        "sealAnswers": {"answers": []},
        "openEvaluation": {"benchmark": "trio", "models": ["model-one"]},
        "pauseEvaluation": {},
        "orderDataset": {"benchmark": "trio", "seed": "1", "count": 10, "form": "recipe"},
    }
    keys = {scope: team.post("/v1/keys", {"name": scope, "scopes": [scope]}).json()["key"] for scope in SCOPES}
    nobody = "0" * 32
    place = {
        "submission": f"sub_{nobody}",
        "key": f"key_{nobody}",
        "evaluation": f"evl_{nobody}",
        "dataset": f"dst_{nobody}",
        "number": 0,
        "item": 0,
        "name": "x",
    }
    asked: dict[str, set[str]] = {}
    for path, operations in json.loads(DOCUMENT.read_bytes())["paths"].items():
        for method, operation in operations.items():
            [needed] = operation.get("security", [{}])[0].get("key", [None])
            for scope in SCOPES if needed else ():
                headers = {"Authorization": f"Bearer {keys[scope]}"}
                body = bodies.get(operation["operationId"])
                reply = client.request(method, path.format(**place), headers=headers, json=body)
                refused = reply.status_code == 403 and f"needs a key with scope {needed}" in reply.json()["detail"]
                assert refused == (scope != needed), (operation["operationId"], scope, reply.text)
                asked.setdefault(needed, set()).add(operation["operationId"])
    assert {scope: len(names) for scope, names in asked.items()} == {"read": 14, "submit": 13, "admin": 3}


@pytest.mark.parametrize("header", [{}, {"Authorization": "Basic x"}, {"Authorization": "Bearer tetrad_wrong"}])
def test_without_a_good_key_nothing_of_a_team_is_open(client: Client, header: dict[str, str]) -> None:
    for path in ("/v1/teams/me", "/v1/keys", "/v1/submissions"):
        assert client.get(path, headers=header).status_code == 401


def test_a_wrong_key_is_an_error_even_where_none_is_needed(client: Client) -> None:
    assert client.get("/v1/models").json() == {"models": [], "next": None}
    assert client.get("/v1/models", headers={"Authorization": "Bearer wrong"}).status_code == 401


def test_models_have_names_that_never_change(team: Team) -> None:
    made = team.post("/v1/models", {"name": "fine", "title": "Fine", "url": "https://example.org"})
    assert made.status_code == 201
    assert (made.json()["kind"], made.json()["team"]) == ("team", "team-one")
    taken = team.post("/v1/models", {"name": "fine"})
    assert taken.status_code == 409
    assert [model["name"] for model in team.get("/v1/models").json()["models"]] == ["model-one", "fine"]


def gateway_app() -> Litestar:
    @get("/v1/models", sync_to_thread=False)
    def models() -> dict[str, object]:
        shown = {"provider": "in-process", "title": "T"}
        chat, embedder = {"id": "random", "kind": "chat", **shown}, {"id": "pixels", "kind": "embedding", **shown}
        return {"object": "list", "data": [chat, embedder]}

    return Litestar([models], openapi_config=None)


def test_chat_models_of_the_gateway_are_the_services_own(settings: ApiSettings) -> None:
    gateway = Gateway(replace(settings, gateway_url="http://gateway.test", gateway_token="token"))
    gateway.close()
    with TestClient(gateway_app()) as client:
        gateway._client = client
        listed = gateway.models()
    assert [(model.name, model.kind, model.created_at) for model in listed] == [("random", "service", None)]


def test_a_gateway_that_is_away_only_lacks_its_models(settings: ApiSettings) -> None:
    away = f"http://127.0.0.1:{free_port()}"
    with TestClient(create_app(replace(settings, gateway_url=away))) as client:
        team = Team.registered(client, "north")
        assert [model["name"] for model in team.get("/v1/models").json()["models"]] == ["model-one"]
