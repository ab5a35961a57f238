"""What a request is told when the object store fails: it is ours, and passes."""

import logging
from typing import Any

from litestar import Request, Response

from tetrad.server.objects import StoreError
from tetrad.server.problems import ProblemError, problem_response

RETRY_AFTER = {"Retry-After": "30"}
log = logging.getLogger(__name__)


def on_store_error(request: Request[Any, Any, Any], error: StoreError) -> Response[bytes]:
    log.error("the object store failed", extra={"path": request.url.path, "error": str(error)})
    problem = ProblemError(503, "the object store cannot be reached; try again", headers=RETRY_AFTER)
    return problem_response(request, problem)
