"""Reads an upstream's error, whatever its shape: its kind, its code, its words for the caller, the wait.

In order: the kinds by status and by name, the parts of an error, its words. An error may come with a status, or inside
an answer that claims success.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from inference_gateway.providers import ErrorKind, ProviderError
from inference_gateway.secret import Secret
from tetrad.account_errors import is_about_account
from tetrad.error_documents import fields_of_error, holds_error
from tetrad.lenient_json import decode_leniently
from tetrad.waits import wait_of

LONGEST_WORDS = 300  # characters of an upstream's own message that a caller is shown
SUCCESS = 200
_LEAST_ERROR, _LEAST_FAULT, _MOST_ERROR = 400, 500, 599  # statuses
_DIGITS = 3  # of a status
_SLOWING = frozenset({429, 529})
_MOST_ENTRIES = 3  # of a list of faults
_CODE = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
_KINDS: Mapping[int, ErrorKind] = {
    400: "request",
    401: "credentials",
    402: "credentials",
    403: "credentials",
    404: "unknown-model",
    408: "timeout",
    409: "unavailable",
    413: "too-large",
    422: "request",
    425: "unavailable",
    429: "rate-limited",
    503: "overloaded",
    504: "timeout",
    529: "overloaded",
}
_NAMES: Mapping[int, str] = {
    400: "invalid_request_error invalid_argument badrequesterror context_length_exceeded",
    403: "permission_error permission_denied",
    404: "not_found_error model_not_found not_found",
    413: "request_too_large",
    429: (
        "rate_limit_error rate_limit_exceeded rate_limit_reached_error rate_limited too_many_requests tokens requests "
        "resource_exhausted throttling throttling.ratequota throttling.allocationquota throttlingexception 1302 1303"
    ),
    503: "unavailable service_unavailable serviceunavailable 1305",
    504: "timeout_error timeout deadline_exceeded",
    529: "overloaded_error engine_overloaded_error server_overloaded overloaded",
}
_STATUSES: Mapping[str, int] = {name: status for status, names in _NAMES.items() for name in names.split()}
"""Statuses of errors by their names, in lowercase, where an answer with status 200 holds one: OpenAI's, Anthropic's,
Gemini's, Moonshot's, Qwen's (Throttling), Zhipu's (numbers) and vLLM's names.
"""
_PRIVATE = re.compile(
    r"\b(?:org|proj|project|acct|account|user|team|ws|workspace|key|sk|pk|ak)[-_](?=[\w-]*\d)[\w-]{5,}"
    r"|[\w.+-]+@[\w-]+\.[\w.-]+",
    re.IGNORECASE,
)
"""What names an account, a key or a person: the operator's, and no caller's business."""
_SHOWN_WORDS = frozenset({"request", "too-large"})


@dataclass(frozen=True)
class Parts:
    """The fields of an error: OpenAI's and Gemini's have `code`, Anthropic's `type`, Gemini's `status`, too."""

    fields: Mapping[str, Any]

    def names(self) -> list[str]:
        """Return the names that the error gives itself, the most exact one first."""
        details = self.fields.get("details")
        known = details if isinstance(details, list) else []
        reasons = [detail.get("reason") for detail in known if isinstance(detail, Mapping)]
        found = [*reasons, *(self.fields.get(name) for name in ("code", "status", "type", "error_type"))]
        texts = [str(name) for name in found if isinstance(name, str | int) and not isinstance(name, bool)]
        return [name for name in texts if _CODE.fullmatch(name)]

    def words(self) -> str:
        """Return the message, or where it only says that there was an error, the one of the server behind."""
        metadata = self.fields.get("metadata")  # OpenRouter's, about the provider that it asked
        raw = _words(metadata.get("raw")) if isinstance(metadata, Mapping) else ""
        return raw or next((found for name in _MESSAGES if (found := _words(self.fields.get(name)))), "")


_MESSAGES = ("message", "msg", "detail", "error", "error_msg", "errors")


def error_of(status: int, body: bytes, secret: Secret, *, headers: Mapping[str, str] | None = None) -> ProviderError:
    """Return the error for an upstream's status and body."""
    try:
        document = decode_leniently(body)
    except ValueError:
        text = body.decode(errors="replace").strip()
        document = None if text.startswith("<") else {"message": text}  # no page of a proxy
    return _error(status, Parts(fields_of_error(document) or {}), secret, headers or {})


def error_in(document: object, secret: Secret) -> ProviderError | None:
    """Return the error that an answer of status 200 holds in place of a reply, or None."""
    fields = fields_of_error(document) if isinstance(document, list) or holds_error(document) else None
    return None if fields is None else _error(SUCCESS, Parts(fields), secret, {})


def _error(status: int, parts: Parts, secret: Secret, headers: Mapping[str, str]) -> ProviderError:
    names, words = parts.names(), parts.words()
    known = {name.lower() for name in names}
    is_fault_of_server = status >= _LEAST_FAULT
    status = _status(status, known)
    kind = _KINDS.get(status, "unavailable" if status >= _LEAST_FAULT else "request")
    if not is_fault_of_server and is_about_account(known, words):
        kind = "credentials"
    code = next((name for name in names if not name.isdecimal()), "")
    if secret.is_in(words) or secret.is_in(code):
        words = code = ""
    words = " ".join(_PRIVATE.sub("[...]", words).split()) if kind in _SHOWN_WORDS else ""
    wait = wait_of(headers, parts.fields)
    return ProviderError(kind, status=status, code=code, words=words[:LONGEST_WORDS], retry_after=wait)


def _status(status: int, names: Collection[str]) -> int:
    """Return an error's status; inside an answer of 200, that of its names. One that slows us down always counts."""
    numbers = (int(name) for name in names if name.isdecimal() and len(name) == _DIGITS)
    named = [number for number in numbers if _LEAST_ERROR <= number <= _MOST_ERROR]
    named += sorted((_STATUSES[name] for name in names if name in _STATUSES), key=lambda found: found not in _SLOWING)
    if status == SUCCESS:
        return next((found for found in named if found in _SLOWING), named[0] if named else HTTPStatus.BAD_GATEWAY)
    if status in _SLOWING:
        return status
    return next((found for found in named if found in _SLOWING), status)


def _words(value: object) -> str:
    """Return the words of a message: a text, an object that holds one, or a list of faults with their places."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "; ".join(filter(None, map(_words, value[:_MOST_ENTRIES])))
    if not isinstance(value, Mapping):
        return ""
    words = next((found for name in _MESSAGES if (found := _words(value.get(name)))), "")
    place = value.get("loc")
    return f"{'.'.join(map(str, place))}: {words}" if words and isinstance(place, list) else words
