"""The models behind this instance's gateway. Without a gateway, or while it is away, there are none."""

import logging

import httpx
import msgspec

from api.errors import GatewayAwayError
from api.settings import ApiSettings
from tetrad.connections import LIMITS
from tetrad.contracts.accounts import Model
from tetrad.contracts.inference import GatewayModel, GatewayModels
from tetrad.server.request_ids import add_ids, waiting_for
from tetrad.tls import load_trusted

SERVICE = "service"
LIVE_SECONDS = 1.0
RETRY_SECONDS = 5
PATIENCE = httpx.Timeout(3.0, connect=1.0)
log = logging.getLogger(__name__)


class Gateway:
    def __init__(self, settings: ApiSettings) -> None:
        self._client: httpx.Client | None = None
        if settings.gateway_url:
            headers = {"Authorization": f"Bearer {settings.gateway_token}"}
            self._client = httpx.Client(
                base_url=settings.gateway_url,
                headers=headers,
                timeout=PATIENCE,
                limits=LIMITS,
                verify=load_trusted(),
                event_hooks={"request": [add_ids]},
            )

    def models(self) -> list[Model]:
        """Return the chat models that this service can run."""
        if self._client is None:
            return []
        try:
            with waiting_for("gateway"):
                reply = self._client.get("/v1/models").raise_for_status()
            listed = msgspec.json.decode(reply.content, type=GatewayModels)
        except (httpx.HTTPError, msgspec.DecodeError) as error:
            log.warning("the gateway's models are not listed", extra={"error": type(error).__name__})
            return []
        return [_model(model) for model in listed.data if model.kind == "chat"]

    def models_of(self, team: str) -> list[GatewayModel]:
        """Return the chat models that a team may use.

        Raises:
            GatewayAwayError: there is no gateway, or it can't be asked now.
        """
        if self._client is None:
            raise GatewayAwayError("this instance has no gateway, so it runs no models; ask the operator")
        try:
            with waiting_for("gateway"):
                reply = self._client.get("/v1/models", params={"team": team}).raise_for_status()
            listed = msgspec.json.decode(reply.content, type=GatewayModels)
        except (httpx.HTTPError, msgspec.DecodeError) as error:
            detail = "the gateway can't be asked for its models now; nothing was changed; try again in some seconds"
            raise GatewayAwayError(detail, retry_after=RETRY_SECONDS) from error
        return [model for model in listed.data if model.kind == "chat"]

    def is_up(self) -> bool | None:
        """Return whether the gateway answers; None where there is none."""
        if self._client is None:
            return None
        try:
            return self._client.get("/health/live", timeout=LIVE_SECONDS).is_success
        except httpx.HTTPError:
            return False

    def close(self) -> None:
        if self._client is not None:
            self._client.close()


def _model(model: GatewayModel) -> Model:
    return Model(id=model.id, name=model.id, title=model.title, team=SERVICE, kind=SERVICE, url=None, created_at=None)
