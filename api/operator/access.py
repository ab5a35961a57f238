"""Operators' tokens: they come from the environment, each under a name, so that the audit log can name the operator."""

import hmac
from dataclasses import dataclass

from api.errors import NotAnOperatorError

UNNAMED = "operator"


@dataclass(frozen=True)
class Operator:
    name: str


def operators(setting: str) -> dict[str, str]:
    """Return the names of the tokens in TETRAD_API_OPERATOR_TOKEN: TOKEN or NAME=TOKEN, joined by commas."""
    entries = (entry.rpartition("=") for entry in setting.split(",") if entry)
    return {token: name or UNNAMED for name, _, token in entries}


def operator_with(setting: str, token: str) -> Operator:
    """Return the operator that has this token.

    Raises:
        NotAnOperatorError: it is no operator's, or the instance has none.
    """
    known = operators(setting)
    found = [name for secret, name in known.items() if hmac.compare_digest(secret.encode(), token.encode())]
    if not found:
        raise NotAnOperatorError("this is no operator's token; a team's key does not open /v1/admin")
    return Operator(found[0])
