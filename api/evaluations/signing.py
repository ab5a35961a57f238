"""Signs the tokens of evaluations' calls. Only the worker does, so the public api holds no secret that opens models."""

from dataclasses import dataclass, field

from msgspec.structs import replace

from api.errors import GatewayAwayError
from api.evaluations.opening import TOKEN_DAYS
from tetrad.server.clock import DAY_MS, now_ms
from tetrad.server.gateway_tokens import GatewayClaims, sign


@dataclass(frozen=True)
class TokenSigner:
    """Makes tokens with the first of these secrets, joined by commas."""

    secrets: str = field(repr=False)

    def sign(self, team: str, team_id: str, token_id: str, **claims: object) -> str:
        """Return a token for calls of a team's evaluation at the gateway.

        Raises:
            GatewayAwayError: this worker has no secret.
        """
        if not self.secrets:
            raise GatewayAwayError("this instance's evaluations worker signs no tokens, so it runs no models")
        base = GatewayClaims(id=token_id, team=team, team_id=team_id, expires_at=now_ms() + TOKEN_DAYS * DAY_MS)
        return sign(replace(base, **claims), self.secrets)
