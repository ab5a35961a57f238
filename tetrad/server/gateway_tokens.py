"""Tokens for the gateway, which has no database: it checks their signatures.

The evaluations worker and operators' commands sign them; the public api can't. A token is its claims as JSON and an
HMAC-SHA256 over them, both in base64url. The gateway, which can check tokens, could also sign them; it holds every
provider's key anyway. While secrets are changed, several are accepted, joined by commas; the first one signs.
"""

import base64
import binascii
import hashlib
import hmac

import msgspec

from tetrad.contracts.inference import Purpose

PREFIX = "tetradgw_"
REVOKED_PATH = "/internal/v1/revoked-tokens"
"""The api's route with the ids of revoked tokens that have not expired yet."""


class GatewayTokenError(Exception):
    """A token does not open the gateway; the message gives the reason, never the contents."""


class GatewayClaims(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The contents of a token.

    Without `models` it is for all of them; times are milliseconds since the epoch; budgets are in micro-dollars.

    `budget` is the token's own. Tokens of one `evaluation` share `evaluation_budget`. The team's budget is not in the
    token: the api sends it with the revoked tokens, so that it can be changed. `team_id` names the team in the ledger.
    """

    id: str
    team: str
    team_id: str
    expires_at: int
    purpose: Purpose = "sealed"
    models: list[str] = []
    budget: int | None = None
    evaluation: str | None = None
    evaluation_budget: int | None = None


def sign(claims: GatewayClaims, secrets: str) -> str:
    """Return the token for these claims, signed with the first secret."""
    body = _encode(msgspec.json.encode(claims))
    return f"{PREFIX}{body}.{_encode(_mac(body, _ring(secrets)[0]))}"


def verify(token: str, secrets: str, now: int) -> GatewayClaims:
    """Return the contents of a token.

    Raises:
        GatewayTokenError: it is not a token, none of our secrets signed it, or it has expired.
    """
    body, separator, mac = token.removeprefix(PREFIX).partition(".")
    if not token.startswith(PREFIX) or not separator:
        raise GatewayTokenError("this is not a token of the gateway")
    try:
        given = _decode(mac)
    except (binascii.Error, ValueError) as error:
        raise GatewayTokenError("this token is damaged") from error
    # All are compared, so that the time does not reveal the matching secret.
    if not any([hmac.compare_digest(given, _mac(body, secret)) for secret in _ring(secrets)]):  # noqa: C419
        raise GatewayTokenError("this token was not signed here")
    try:
        claims = msgspec.json.decode(_decode(body), type=GatewayClaims)
    except (binascii.Error, ValueError, msgspec.MsgspecError) as error:
        raise GatewayTokenError("this token is of another version") from error
    if claims.expires_at <= now:
        raise GatewayTokenError("this token has expired")
    return claims


def _ring(secrets: str) -> list[str]:
    return [secret for part in secrets.split(",") if (secret := part.strip())] or [""]


def _mac(body: str, secret: str) -> bytes:
    if not secret:
        raise GatewayTokenError("this deployment signs no tokens: its secret is not set")
    return hmac.new(secret.encode(), body.encode(), hashlib.sha256).digest()


def _encode(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
