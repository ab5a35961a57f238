"""An operator's command signs what the operator asked for, whatever a taken api records of it."""

import pytest

from tetrad.cli.operator import gateway_tokens
from tetrad.cli.operator.connecting import NoTokenError, signing_secrets
from tetrad.contracts.inference import GatewayTokenRecord, GatewayTokenRequest, GrantedGatewayToken
from tetrad.server.clock import now_ms, rfc3339
from tetrad.server.gateway_tokens import verify

SECRET = "s" * 32
DAY_MS = 86_400_000


@pytest.mark.parametrize(("recorded_days", "days"), [(2, 2), (400, 2), (1, 1)])
def test_a_token_has_the_budget_models_and_days_that_were_asked_for(recorded_days: int, days: int) -> None:
    request = GatewayTokenRequest(team="lynx", purpose="practice", models=["a"], budget=5, days=2)
    about = GatewayTokenRecord(
        id="gwt_1",
        team="lynx",
        purpose="judge",
        models=[],
        budget=10**12,
        created_at=rfc3339(now_ms()),
        expires_at=rfc3339(now_ms() + recorded_days * DAY_MS),
    )
    granted = GrantedGatewayToken(team_id="team_lynx", url="http://gateway/v1", about=about)
    claims = verify(gateway_tokens._sign(request, granted, f"{SECRET},{'o' * 32}").token, SECRET, now_ms())
    assert (claims.id, claims.team, claims.team_id) == ("gwt_1", "lynx", "team_lynx")
    assert (claims.purpose, claims.models, claims.budget) == ("practice", ["a"], 5)
    assert abs(claims.expires_at - now_ms() - days * DAY_MS) < 60_000


def test_without_a_secret_it_is_said_where_one_comes_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TETRAD_GATEWAY_TOKEN_SECRETS", raising=False)
    with pytest.raises(NoTokenError, match="set TETRAD_GATEWAY_TOKEN_SECRETS"):
        signing_secrets("https://tetrad.example.org")
    monkeypatch.setenv("TETRAD_GATEWAY_TOKEN_SECRETS", SECRET)
    assert signing_secrets("https://tetrad.example.org") == SECRET
