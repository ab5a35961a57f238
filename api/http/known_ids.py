"""Ids in paths: what does not look like one of ours is 404 before any table is asked."""

import re

from tetrad.server.problems import ProblemError

ID_BODY = re.compile(r"[0-9a-f]{32}")


def known_id(prefix: str, value: str, what: str) -> str:
    """Return the id.

    Raises:
        ProblemError: 404, this can be no id of that kind.
    """
    head, _, body = value.partition("_")
    if head != prefix or not ID_BODY.fullmatch(body):
        raise not_found(what, value)
    return value


def not_found(what: str, value: str) -> ProblemError:
    """Return the one answer to a thing that is not there and to one that is another's."""
    return ProblemError(404, f"there is no {what} {value[:80]!r}, or it is not yours to see")
