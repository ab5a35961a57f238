"""The health of the models that a caller may use. The gateway's own health is in its probes."""

from typing import Any

from litestar import Request, get
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from litestar.types import Guard

from inference_gateway.access import Caller
from inference_gateway.calls import Calls
from inference_gateway.providers import HealthyModel
from inference_gateway.registry import UnknownModelError
from tetrad.contracts.inference import ModelReadiness


def model_health(calls: Calls, guard: Guard) -> HTTPRouteHandler:
    """Return the route that asks the server of one model."""

    @get("/v1/health/{model:path}", guards=[guard], security=[{"token": []}])
    async def health(request: Request[Caller, Any, Any], model: FromPath[str]) -> ModelReadiness:
        """Ask a model's server whether it is ready. `ready` is null for providers that can't be asked at no cost."""
        name = model.removeprefix("/")
        visible = {one.id: one for one in calls.models(request.auth)}
        if name not in visible:
            raise UnknownModelError(name, "chat or embedding", sorted(visible))
        opened = visible[name].asked or visible[name]
        asked = opened.chat or opened.embedding
        if not isinstance(asked, HealthyModel):
            return ModelReadiness(id=name, ready=True if opened.entry.provider == "in-process" else None)
        found = await asked.health()
        return ModelReadiness(id=name, ready=found.ready, detail=found.detail, configuration=found.configuration)

    return health
