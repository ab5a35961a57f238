"""Tokens for the gateway: made by operators, checked with the shared secret, revoked, and listed for the gateway."""

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
from tetrad.server.clock import now_ms
from tetrad.server.gateway_tokens import REVOKED_PATH, GatewayTokenError, verify

SECRET, OLD, LEDGER = "s" * 32, "o" * 32, "ledger-token-of-the-tests-00000000000"


@pytest.fixture
def signing(settings: ApiSettings) -> Iterator[Client]:
    secrets = f"{SECRET},{OLD}"
    settings = replace(
        settings, gateway_token_secrets=secrets, ledger_token=LEDGER, gateway_public_url="http://gateway/v1"
    )
    with client_of(settings) as client:
        yield client


def revoked(client: Client) -> Any:
    reply = client.get(REVOKED_PATH, headers={"Authorization": f"Bearer {LEDGER}"})
    assert reply.status_code == 200, reply.text
    return reply.json()["revoked"]


def test_a_token_says_what_it_was_made_for_and_is_shown_once(signing: Client) -> None:
    Team.registered(signing, "team-one")
    operator = Operator(signing)
    body = {"team": "team-one", "purpose": "judge", "models": ["a"], "budget": 5_000_000, "days": 2, "reason": "try"}
    reply = operator.call("POST", "gateway-tokens", body)
    made = reply.json()
    assert (reply.status_code, reply.headers["cache-control"]) == (201, "no-store")
    assert made["url"] == "http://gateway/v1"
    claims = verify(made["token"], SECRET, now_ms())
    assert (claims.id, claims.team, claims.purpose) == (made["about"]["id"], "team-one", "judge")
    assert (claims.models, claims.budget) == (["a"], 5_000_000)
    assert 0 < claims.expires_at - now_ms() - 47 * 3_600_000 < 3_600_000
    (listed,) = operator.get("gateway-tokens?team=team-one")["tokens"]
    assert listed == made["about"]
    assert made["token"] not in str(operator.get("gateway-tokens"))
    assert operator.acts()[0]["act"] == "make-gateway-token"


def test_what_a_team_may_spend_is_set_shown_and_told_to_the_gateway(signing: Client) -> None:
    Team.registered(signing, "team-one")
    Team.registered(signing, "team-two")
    operator = Operator(signing)
    assert operator.get("teams/team-one/model-budget") == {"team": "team-one", "budget": None, "spent": 0}
    body = {"budget": 5_000_000, "reason": "a grant"}
    reply = operator.call("PUT", "teams/team-one/model-budget", body)
    assert (reply.status_code, reply.json()) == (200, {"team": "team-one", "budget": 5_000_000, "spent": 0})
    made = operator.call("POST", "gateway-tokens", {"team": "team-one"}).json()
    team_id = verify(made["token"], SECRET, now_ms()).team_id
    cost = {"id": "one", "epoch": 0, "at": 1, "cost": 1_234_001, "estimated": False, "team": "team-one"}
    settlement = {**cost, "account": "a", "model": "m", "budgets": [f"team|{team_id}"]}
    headers = {"Authorization": f"Bearer {LEDGER}"}
    kept = signing.post("/internal/v1/settlements", json={"settlements": [settlement]}, headers=headers)
    assert kept.status_code == 200, kept.text
    assert operator.get("teams/team-one/model-budget")["spent"] == 1_235, "micro-dollars, rounded up"
    assert signing.get(REVOKED_PATH, headers=headers).json()["budgets"] == {team_id: 5_000_000}
    assert [act["act"] for act in operator.acts()[:2]] == ["make-gateway-token", "set model budget"]
    assert operator.call("PUT", "teams/team-one/model-budget", {"budget": None}).json()["budget"] is None
    assert signing.get(REVOKED_PATH, headers=headers).json()["budgets"] == {}
    for path, wrong, status in (
        ("teams/nobody/model-budget", {"budget": 1}, 404),
        ("teams/team-one/model-budget", {"budget": -1}, 422),
        ("teams/team-one/model-budget", {}, 422),
    ):
        assert operator.call("PUT", path, wrong).status_code == status, path


def test_without_a_purpose_a_token_is_for_sealed_calls(signing: Client) -> None:
    Team.registered(signing, "team-one")
    made = Operator(signing).call("POST", "gateway-tokens", {"team": "team-one"}).json()
    assert verify(made["token"], SECRET, now_ms()).purpose == "sealed"


def test_a_revoked_token_and_those_of_a_suspended_team_are_told_to_the_gateway_alone(signing: Client) -> None:
    team = Team.registered(signing, "team-one")
    operator = Operator(signing)
    first, second = (
        operator.call("POST", "gateway-tokens", {"team": "team-one"}).json()["about"]["id"] for _ in range(2)
    )
    assert revoked(signing) == []
    record = operator.post(f"gateway-tokens/{first}/revoke", reason="lost")
    assert record["revoked_at"] is not None
    assert operator.post(f"gateway-tokens/{first}/revoke") == record, "a second time changes nothing"
    assert [act["act"] for act in operator.acts()].count("revoke-gateway-token") == 1
    assert revoked(signing) == [first]
    operator.post("teams/team-one/suspend", reason="odd")
    assert revoked(signing) == sorted([first, second])
    assert signing.get(REVOKED_PATH, headers=team.headers).status_code == 403
    assert signing.get(REVOKED_PATH).status_code == 401
    operator.refused(404, "gateway-tokens/gwt_0/revoke")
    operator.refused(403, "gateway-tokens", team="team-one")


def test_an_expired_token_is_listed_no_more_as_revoked(signing: Client) -> None:
    Team.registered(signing, "team-one")
    operator = Operator(signing)
    made = operator.call("POST", "gateway-tokens", {"team": "team-one", "days": 1e-5}).json()
    operator.post(f"gateway-tokens/{made['about']['id']}/revoke")
    time.sleep(0.9)
    assert revoked(signing) == []
    with pytest.raises(GatewayTokenError, match="has expired"):
        verify(made["token"], SECRET, now_ms())


def test_a_deployment_without_a_secret_signs_nothing(client: Client) -> None:
    Team.registered(client, "team-one")
    refused = Operator(client).refused(422, "gateway-tokens", team="team-one")
    assert "TETRAD_API_GATEWAY_TOKEN_SECRETS" in refused["detail"]
