"""Tokens for the gateway: recorded for operators, revoked, and listed for the gateway."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from api.settings import ApiSettings
from tests.integration.api.assembled import client_of
from tests.integration.api.conftest import Client
from tests.integration.api.operator import Operator
from tests.integration.api.team import Team
from tetrad.server.gateway_tokens import REVOKED_PATH

LEDGER = "ledger-token-of-the-tests-00000000000"


@pytest.fixture
def granting(settings: ApiSettings) -> Iterator[Client]:
    settings = replace(settings, ledger_token=LEDGER, gateway_public_url="http://gateway/v1")
    with client_of(settings) as client:
        yield client


def revoked(client: Client) -> Any:
    reply = client.get(REVOKED_PATH, headers={"Authorization": f"Bearer {LEDGER}"})
    assert reply.status_code == 200, reply.text
    return reply.json()["revoked"]


def test_a_token_is_recorded_and_left_to_the_operator_s_command_to_sign(granting: Client) -> None:
    Team.registered(granting, "team-one")
    operator = Operator(granting)
    body = {"team": "team-one", "purpose": "judge", "models": ["a"], "budget": 5_000_000, "days": 2, "reason": "try"}
    reply = operator.call("POST", "gateway-tokens", body)
    made = reply.json()
    assert (reply.status_code, reply.headers["cache-control"]) == (201, "no-store")
    assert made["url"] == "http://gateway/v1"
    assert set(made) == {"team_id", "url", "about"}, "the api has no secret to sign a token with"
    about = made["about"]
    assert (about["team"], about["purpose"], about["models"], about["budget"]) == (
        "team-one",
        "judge",
        ["a"],
        5_000_000,
    )
    (listed,) = operator.get("gateway-tokens?team=team-one")["tokens"]
    assert listed == about
    assert operator.acts()[0]["act"] == "make-gateway-token"


def test_what_a_team_may_spend_is_set_shown_and_told_to_the_gateway(granting: Client) -> None:
    Team.registered(granting, "team-one")
    Team.registered(granting, "team-two")
    operator = Operator(granting)
    assert operator.get("teams/team-one/model-budget") == {"team": "team-one", "budget": None, "spent": 0}
    body = {"budget": 5_000_000, "reason": "a grant"}
    reply = operator.call("PUT", "teams/team-one/model-budget", body)
    assert (reply.status_code, reply.json()) == (200, {"team": "team-one", "budget": 5_000_000, "spent": 0})
    made = operator.call("POST", "gateway-tokens", {"team": "team-one"}).json()
    team_id = made["team_id"]
    cost = {"id": "one", "epoch": 0, "at": 1, "cost": 1_234_001, "estimated": False, "team": "team-one"}
    settlement = {**cost, "account": "a", "model": "m", "budgets": [f"team|{team_id}"]}
    headers = {"Authorization": f"Bearer {LEDGER}"}
    kept = granting.post("/internal/v1/settlements", json={"settlements": [settlement]}, headers=headers)
    assert kept.status_code == 200, kept.text
    assert operator.get("teams/team-one/model-budget")["spent"] == 1_235, "micro-dollars, rounded up"
    assert granting.get(REVOKED_PATH, headers=headers).json()["budgets"] == {team_id: 5_000_000}
    assert [act["act"] for act in operator.acts()[:2]] == ["make-gateway-token", "set model budget"]
    assert operator.call("PUT", "teams/team-one/model-budget", {"budget": None}).json()["budget"] is None
    assert granting.get(REVOKED_PATH, headers=headers).json()["budgets"] == {}
    for path, wrong, status in (
        ("teams/nobody/model-budget", {"budget": 1}, 404),
        ("teams/team-one/model-budget", {"budget": -1}, 422),
        ("teams/team-one/model-budget", {}, 422),
    ):
        assert operator.call("PUT", path, wrong).status_code == status, path


def test_without_a_purpose_a_token_is_for_sealed_calls(granting: Client) -> None:
    Team.registered(granting, "team-one")
    made = Operator(granting).call("POST", "gateway-tokens", {"team": "team-one"}).json()
    assert made["about"]["purpose"] == "sealed"


def test_a_revoked_token_and_those_of_a_suspended_team_are_told_to_the_gateway_alone(granting: Client) -> None:
    team = Team.registered(granting, "team-one")
    operator = Operator(granting)
    first, second = (
        operator.call("POST", "gateway-tokens", {"team": "team-one"}).json()["about"]["id"] for _ in range(2)
    )
    assert revoked(granting) == []
    record = operator.post(f"gateway-tokens/{first}/revoke", reason="lost")
    assert record["revoked_at"] is not None
    assert operator.post(f"gateway-tokens/{first}/revoke") == record, "a second time changes nothing"
    assert [act["act"] for act in operator.acts()].count("revoke-gateway-token") == 1
    assert revoked(granting) == [first]
    operator.post("teams/team-one/suspend", reason="odd")
    assert revoked(granting) == sorted([first, second])
    assert granting.get(REVOKED_PATH, headers=team.headers).status_code == 403
    assert granting.get(REVOKED_PATH).status_code == 401
    operator.refused(404, "gateway-tokens/gwt_0/revoke")
    operator.refused(403, "gateway-tokens", team="team-one")


def test_an_expired_token_is_listed_no_more_as_revoked(granting: Client) -> None:
    Team.registered(granting, "team-one")
    operator = Operator(granting)
    made = operator.call("POST", "gateway-tokens", {"team": "team-one", "days": 1e-5}).json()
    operator.post(f"gateway-tokens/{made['about']['id']}/revoke")
    time.sleep(0.9)
    assert revoked(granting) == []
