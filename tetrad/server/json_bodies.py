"""JSON bodies that no decoder takes: each is the sender's fault, and is told so."""

from typing import Any

from litestar import Request
from litestar.exceptions import SerializationException

from tetrad.server.problems import refuse

REMEDY = "send one JSON text in UTF-8 (RFC 8259), with the fields of this request"


class JsonRequest(Request[Any, Any, Any]):
    """A request that says of its body what is wrong with it; Litestar knows of broken JSON only."""

    async def json(self) -> Any:
        """Return the decoded body.

        Raises:
            ProblemError: 400, it is no JSON, no UTF-8, or nested too deep.
        """
        try:
            return await super().json()
        except UnicodeDecodeError as error:
            raise refuse(400, "body", None, "is no UTF-8", REMEDY) from error
        except RecursionError as error:
            raise refuse(400, "body", None, "is nested too deep", REMEDY) from error
        except SerializationException as error:
            raise refuse(400, "body", None, f"is no JSON ({error})", REMEDY) from error
