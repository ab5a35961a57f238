"""JSON bodies that can't be decoded: each is answered with 400 and the reason."""

from typing import Any

from litestar import Request
from litestar.exceptions import SerializationException

from tetrad.server.problems import SENT, refuse

REMEDY = "send one JSON text in UTF-8 (RFC 8259), with the fields of this request"


class JsonRequest(Request[Any, Any, Any]):
    """A request whose errors name the fault of its body. Litestar itself only detects broken JSON."""

    async def json(self) -> Any:
        """Return the decoded body, and keep it for faults to name its values.

        Raises: ProblemError: 400, it is not JSON, not UTF-8, or nested too deep.
        """
        try:
            self.state[SENT] = await super().json()
        except UnicodeDecodeError as error:
            raise refuse(400, "body", None, "is not UTF-8", REMEDY) from error
        except RecursionError as error:
            raise refuse(400, "body", None, "is nested too deep", REMEDY) from error
        except SerializationException as error:
            raise refuse(400, "body", None, f"is not JSON ({error})", REMEDY) from error
        return self.state[SENT]
