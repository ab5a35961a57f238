"""`GET /metrics` of a service with an HTTP port: for Prometheus, with a token of its own."""

import hmac
from typing import Any

from litestar import Request, Response, get
from litestar.handlers import HTTPRouteHandler
from prometheus_client import CONTENT_TYPE_LATEST

from tetrad.server.metrics import Metrics
from tetrad.server.problems import ProblemError
from tetrad.server.tokens import bearer_token

CHALLENGE = {"WWW-Authenticate": "Bearer"}


def metrics_route(metrics: Metrics, token: str, variable: str) -> HTTPRouteHandler:
    """Return the route that Prometheus reads with the metrics token, which `variable` sets.

    Without a token in the settings it serves nothing.
    """

    @get("/metrics", sync_to_thread=True, include_in_schema=False)
    def read(request: Request[Any, Any, Any]) -> Response[bytes]:
        """Show the numbers of all processes of this service."""
        check_metrics_token(bearer_token(request), token, variable)
        return Response(metrics.exposition(), media_type=CONTENT_TYPE_LATEST)

    return read


def check_metrics_token(given: str | None, token: str, variable: str) -> None:
    """Let only the metrics token pass.

    Raises:
        ProblemError: 404, there is none in the settings; 401, it is another.
    """
    if not token:
        raise ProblemError(404, f"there are no metrics here; set {variable}")
    if given is None or not hmac.compare_digest(given.encode(), token.encode()):
        raise ProblemError(401, "send the metrics token as Authorization: Bearer TOKEN", headers=CHALLENGE)
