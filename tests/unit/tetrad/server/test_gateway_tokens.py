"""Signed tokens: what was signed comes back, and nothing else passes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tetrad.server.gateway_tokens import GatewayClaims, GatewayTokenError, sign, verify

SECRET, OTHER = "s" * 32, "o" * 32
CLAIMS = GatewayClaims(id="gwt_1", team="t", team_id="t", expires_at=1_000, purpose="practice", models=["a"], budget=7)


def test_what_is_signed_is_verified_with_any_secret_of_the_ring() -> None:
    token = sign(CLAIMS, f"{SECRET},{OTHER}")
    assert verify(token, SECRET, 0) == CLAIMS
    assert verify(token, f"{OTHER},{SECRET}", 999) == CLAIMS


@pytest.mark.parametrize(
    ("token", "secrets", "now", "problem"),
    [
        (sign(CLAIMS, SECRET), OTHER, 0, "was not signed here"),
        (sign(CLAIMS, SECRET), SECRET, 1_000, "has expired"),
        (sign(CLAIMS, SECRET), "", 0, "signs no tokens"),
        ("tetradgw_abc", SECRET, 0, "is not a token"),
        ("sk-1.2", SECRET, 0, "is not a token"),
        ("tetradgw_abc.x", SECRET, 0, "damaged"),
    ],
)
def test_what_does_not_open_the_gateway_is_told_why(token: str, secrets: str, now: int, problem: str) -> None:
    with pytest.raises(GatewayTokenError, match=problem):
        verify(token, secrets, now)


@given(st.integers(9, 200), st.sampled_from("Aa0_-"))
def test_a_token_with_a_changed_character_does_not_pass(place: int, letter: str) -> None:
    token = sign(CLAIMS, SECRET)
    at = place % (len(token) - 1)  # the last character's lowest bits carry nothing
    changed = token[:at] + letter + token[at + 1 :]
    if changed != token:
        with pytest.raises(GatewayTokenError):
            verify(changed, SECRET, 0)
