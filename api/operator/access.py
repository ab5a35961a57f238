"""Operators' tokens: they come from the environment, each under a name, so that the audit log can name the operator.

An operator whose name is followed by `:view` changes nothing, and sees no contact. Tokens and invite codes are shown
once, to who makes them, so whoever changes nothing sees none of these either.
"""

import hmac
from dataclasses import dataclass

from api.errors import NotAnOperatorError, ViewOnlyError

UNNAMED = "operator"
VIEW = ":view"
SAFE_METHODS = frozenset({"GET", "HEAD"})


@dataclass(frozen=True)
class Operator:
    """An operator by the name of its token. is_viewing: it changes nothing."""

    name: str
    is_viewing: bool = False

    def check_may(self, method: str) -> None:
        """Check that this operator may send a request of this method.

        Raises:
            ViewOnlyError: it would change something.
        """
        if self.is_viewing and method not in SAFE_METHODS:
            raise ViewOnlyError(f"operator {self.name} may view and change nothing; ask one whose token may")


def operators(setting: str) -> dict[str, Operator]:
    """Return the operators of TETRAD_API_OPERATOR_TOKEN by token: TOKEN, NAME=TOKEN or NAME:view=TOKEN, by commas."""
    entries = (entry.rpartition("=") for entry in setting.split(",") if entry)
    return {token: Operator(name.removesuffix(VIEW) or UNNAMED, name.endswith(VIEW)) for name, _, token in entries}


def operator_with(setting: str, token: str) -> Operator:
    """Return the operator that has this token.

    Raises:
        NotAnOperatorError: it is no operator's, or the instance has none.
    """
    known = operators(setting).items()
    found = [operator for secret, operator in known if hmac.compare_digest(secret.encode(), token.encode())]
    if not found:
        raise NotAnOperatorError("this is no operator's token; a team's key does not open /v1/admin")
    return found[0]
