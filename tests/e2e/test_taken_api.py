"""Whoever takes the api's process has its environment, its database and its user of Redis. None of it opens a model."""

import httpx
import msgspec
import pytest
from redis import Redis
from redis.exceptions import ResponseError

from tests.instance import Instance
from tetrad.server.clock import now_ms
from tetrad.server.gateway_tokens import GatewayClaims, sign

CALL = {"model": "constant", "messages": [{"role": "user", "content": "Which?"}]}
NOT_ITS_OWN = ("seed_secret", "keys_token", "gateway_token_secret", "judge_token", "redis_gateway", "redis_admin")


@pytest.fixture
def held(instance: Instance) -> dict[str, str]:
    """Return the environment of the api's process."""
    return instance.environment("api")


def test_the_api_s_processes_hold_no_secret_that_signs_or_calls(instance: Instance, held: dict[str, str]) -> None:
    secrets = msgspec.structs.asdict(instance.secrets)
    assert {name for name in NOT_ITS_OWN if any(secrets[name] in value for value in held.values())} == set()


def test_nothing_that_the_api_holds_opens_a_model(instance: Instance, held: dict[str, str]) -> None:
    claims = GatewayClaims(id="gwt_forged", team="t", team_id="t", expires_at=now_ms() + 600_000, budget=2**53 - 1)
    secrets = [value for value in held.values() if len(value) >= 32 and value.isascii() and " " not in value]
    tokens = secrets + [sign(claims, secret.replace(",", "")) for secret in secrets]
    with httpx.Client(base_url=held["TETRAD_API_GATEWAY_URL"], timeout=30) as gateway:
        for token in tokens:
            reply = gateway.post("/v1/chat/completions", json=CALL, headers={"Authorization": f"Bearer {token}"})
            assert reply.status_code in {401, 403}, reply.text
        listing = {"Authorization": f"Bearer {held['TETRAD_API_GATEWAY_TOKEN']}"}
        assert gateway.get("/v1/models", params={"team": "t"}, headers=listing).status_code == 200


def test_an_operator_s_token_at_the_api_makes_none_for_the_gateway(instance: Instance, held: dict[str, str]) -> None:
    with instance.team("taken"):
        headers = {"Authorization": f"Bearer {held['TETRAD_API_OPERATOR_TOKEN']}"}
        asked = {"team": "taken", "budget": 5}
        reply = httpx.post(f"{instance.url}/v1/admin/gateway-tokens", json=asked, headers=headers, timeout=30)
    assert reply.status_code == 201, reply.text
    assert "tetradgw_" not in reply.text


def test_the_api_s_user_of_redis_reads_and_writes_nothing_of_the_gateway_s_ledger(held: dict[str, str]) -> None:
    with Redis.from_url(held["TETRAD_API_REDIS_URL"]) as redis:
        for command in (
            ("HGETALL", "tetrad:{gateway}|ledger"),
            ("DEL", "tetrad:{gateway}|day|day|2026-01-01 instance"),
            ("EVAL", "return redis.call('DEL', 'tetrad:{gateway}|ledger')", "0"),
            ("FLUSHALL",),
            ("SHUTDOWN",),
        ):
            with pytest.raises(ResponseError, match=r"(?i)no permissions"):
                redis.execute_command(*command)
