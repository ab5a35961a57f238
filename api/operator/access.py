"""Who may operate: tokens of the environment, each under a name, so that the log of acts can say who it was.

The routes stand on the public listener: one port, one kind of error, and one prefix (/v1/admin) that a proxy can keep
from the outside. A team's key is no operator's token, whatever its scopes: it is refused before any row is read.
"""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from litestar import Request
from litestar.di import NamedDependency, Provide

from api.access import CHALLENGE
from api.services import Services
from tetrad.serving.problems import ProblemError
from tetrad.serving.tokens import bearer_token

UNNAMED = "operator"


@dataclass(frozen=True)
class Operator:
    name: str


def operators(setting: str) -> dict[str, str]:
    """Return the names of the tokens in TETRAD_API_OPERATOR_TOKEN: TOKEN or NAME=TOKEN, joined by commas."""
    entries = (entry.rpartition("=") for entry in setting.split(",") if entry)
    return {token: name or UNNAMED for name, _, token in entries}


def operator_of(request: Request[Any, Any, Any], services: NamedDependency[Services]) -> Operator:
    """Return who operates.

    Raises:
        ProblemError: 401 without a token; 403 with one that is no operator's, or where the instance has none.
    """
    token = bearer_token(request)
    if token is None:
        raise ProblemError(401, "an operator's token is needed (TETRAD_API_OPERATOR_TOKEN)", headers=CHALLENGE)
    known = operators(services.settings.operator_token)
    found = [name for secret, name in known.items() if hmac.compare_digest(secret.encode(), token.encode())]
    if not found:
        raise ProblemError(403, "this is no operator's token; a team's key does not open /v1/admin")
    return Operator(found[0])


OPERATOR: Mapping[str, Provide] = {"operator": Provide(operator_of, sync_to_thread=False)}
"""The dependency `operator: Operator`."""
