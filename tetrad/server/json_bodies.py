"""JSON bodies that can't be decoded: each is answered with 400 and the reason. A text is no number: that is 422."""

import re
from typing import Any

import msgspec
from litestar import Request
from litestar.exceptions import SerializationException, ValidationException

from tetrad.server.problems import SENT, refuse

REMEDY = "send one JSON text in UTF-8 (RFC 8259), with the fields of this request"
TEXT = re.compile(r"(?P<message>.*got `str`) - at `\$\.?(?P<key>[^`]*)`$")


class JsonRequest(Request[Any, Any, Any]):
    """A request whose errors name the fault of its body. Litestar itself only detects broken JSON."""

    async def json(self) -> Any:
        """Return the decoded body, and keep it for faults to name its values.

        Raises:
            ProblemError: 400, it is not JSON, not UTF-8, or nested too deep.
            ValidationException: a text stands where a number or the like is asked for. Litestar would convert it.
        """
        try:
            self.state[SENT] = await super().json()
            self._refuse_texts(self.state[SENT])
        except UnicodeDecodeError as error:
            raise refuse(400, "body", None, "is not UTF-8", REMEDY) from error
        except RecursionError as error:
            raise refuse(400, "body", None, "is nested too deep", REMEDY) from error
        except SerializationException as error:
            raise refuse(400, "body", None, f"is not JSON ({error})", REMEDY) from error
        return self.state[SENT]

    def _refuse_texts(self, sent: Any) -> None:
        field = self.route_handler.parsed_data_field
        kind = None if field is None else field.annotation
        if not (isinstance(kind, type) and issubclass(kind, msgspec.Struct)):
            return
        try:
            msgspec.convert(_write_whole(sent), type=kind)
        except msgspec.ValidationError as error:
            if found := TEXT.fullmatch(str(error)):
                raise ValidationException(extra=[found.groupdict()]) from error


def _write_whole(part: Any) -> Any:
    """Return the JSON with 5 for 5.0: JSON has one kind of number, and some languages write only the second."""
    if isinstance(part, dict):
        return {name: _write_whole(below) for name, below in part.items()}
    if isinstance(part, list):
        return [_write_whole(below) for below in part]
    return int(part) if isinstance(part, float) and part.is_integer() else part
