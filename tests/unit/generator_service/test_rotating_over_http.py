"""Rotation over HTTP: two tokens at a door, draws whose secret is missing, draws that are let go."""

import pytest
from litestar import Litestar
from litestar.testing import TestClient
from msgspec.structs import replace

from generator_service.app import create_app
from generator_service.sealing.secret_ring import MissingSecretError, secret_id
from generator_service.settings import PREFIX, GeneratorSettings
from tetrad.server.settings import SettingsError, load_settings

Client = TestClient[Litestar]
OLD, NEW = "old-" * 10, "new-" * 10
DRAW = {"nonce": "n", "benchmark": "toy", "track": "toy", "setting": "full", "parameters": {}, "size": 2}
DOORS: dict[str, tuple[str, str, dict[str, list[str]] | None]] = {
    "practice_token": ("GET", "/internal/benchmarks", None),
    "sealed_token": ("GET", "/internal/sealed/draws", None),
    "keys_token": ("POST", "/internal/keys/draws/sub_none", {"answers": []}),
}


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.fixture
def sealed(client: Client, settings: GeneratorSettings) -> Client:
    client.headers.update(bearer(settings.sealed_token))
    for name in ("sub_1", "sub_2"):
        assert client.post("/internal/sealed/draws", json=DRAW | {"submission": name}).status_code == 201
    return client


@pytest.mark.parametrize("field", DOORS)
def test_each_door_takes_the_new_token_and_the_old_one_meanwhile(settings: GeneratorSettings, field: str) -> None:
    method, path, body = DOORS[field]
    with TestClient(create_app(replace(settings, **{field: f"{NEW},{OLD}"}))) as client:
        statuses = [
            client.request(method, path, json=body, headers=bearer(token)).status_code
            for token in (NEW, OLD, getattr(settings, field))
        ]
    assert [status == 403 for status in statuses] == [False, False, True]


@pytest.mark.parametrize("text", ["short", f"{OLD},", f"{OLD},{NEW},{'x' * 32}", f"{OLD}, {NEW}"])
def test_tokens_that_are_none_or_too_many_are_refused_by_their_variable(text: str) -> None:
    with pytest.raises(SettingsError, match="TETRAD_GENERATOR_KEYS_TOKEN: "):
        load_settings(GeneratorSettings, PREFIX, {"TETRAD_GENERATOR_KEYS_TOKEN": text})


def test_open_draws_are_listed_with_their_secret_and_let_go(sealed: Client, settings: GeneratorSettings) -> None:
    secret = secret_id(settings.seed_secret)
    listed = sealed.get("/internal/sealed/draws").json()
    assert (listed["loaded"], listed["next"]) == ([secret], None)
    assert [(draw["submission"], draw["secret"]) for draw in listed["draws"]] == [("sub_1", secret), ("sub_2", secret)]
    reply = sealed.post("/internal/sealed/draws/close", json={"submissions": ["sub_1"]})
    assert (reply.status_code, reply.json()) == (200, {"closed": 1})
    assert [draw["submission"] for draw in sealed.get("/internal/sealed/draws").json()["draws"]] == ["sub_2"]
    asked = sealed.post("/internal/sealed/draws/sub_1/questions", json={"items": [{"item": 0}]})
    assert asked.status_code == 409


def test_scoring_lets_go_of_draws_by_its_own_door_and_learns_nothing_of_them(
    sealed: Client, settings: GeneratorSettings
) -> None:
    keys = bearer(settings.keys_token)
    body = {"submissions": ["sub_1", "sub_none"]}
    for token in (settings.sealed_token, settings.practice_token):
        assert sealed.post("/internal/keys/close", json=body, headers=bearer(token)).status_code == 403
    for closed in (1, 0):  # the same again is fine
        reply = sealed.post("/internal/keys/close", json=body, headers=keys)
        assert (reply.status_code, reply.json()) == (200, {"closed": closed})
    assert [draw["submission"] for draw in sealed.get("/internal/sealed/draws").json()["draws"]] == ["sub_2"]
    assert sealed.post("/internal/keys/draws/sub_1", json={"answers": []}, headers=keys).status_code == 409


@pytest.mark.usefixtures("sealed")
def test_a_start_without_a_secret_that_open_draws_need_is_refused(settings: GeneratorSettings) -> None:
    rotated = replace(settings, seed_secret=NEW)
    with pytest.raises(MissingSecretError, match=f"2 open draws need {secret_id(settings.seed_secret)}"):
        create_app(rotated)
    given_up = replace(rotated, lost_secrets=secret_id(settings.seed_secret))
    with TestClient(create_app(given_up)) as client:
        assert client.get("/internal/sealed/draws", headers=bearer(settings.sealed_token)).json()["draws"] == []


@pytest.mark.usefixtures("sealed")
def test_a_replica_that_is_behind_answers_503_for_a_draw_of_a_secret_it_lacks(
    settings: GeneratorSettings, client: Client
) -> None:
    ahead = replace(settings, seed_secret=f"{NEW},{settings.seed_secret}")
    with TestClient(create_app(ahead)) as other:
        made = other.post("/internal/sealed/draws", json=DRAW | {"submission": "sub_3"}, headers=client.headers)
        assert made.status_code == 201
    reply = client.post("/internal/sealed/draws/sub_3/questions", json={"items": [{"item": 0}]})
    assert (reply.status_code, secret_id(NEW) in reply.json()["detail"]) == (503, True)
