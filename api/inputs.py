"""Checks ids and texts of requests before any table is asked."""

import re

from api.errors import InvalidInputError, not_found

NUL = "\x00"  # Postgres refuses it in text; SQLite would take it
NUL_PROBLEM = "contains the character NUL"
NUL_REMEDY = "remove it: it cannot be stored"
ID_BODY = re.compile(r"[0-9a-f]{32}")


def known_id(prefix: str, value: str, what: str) -> str:
    """Return the id if it has the form of one of ours.

    Raises:
        NotFoundError: this can be no id of that kind.
    """
    head, _, body = value.partition("_")
    if head != prefix or not ID_BODY.fullmatch(body):
        raise not_found(what, value)
    return value


def storable(field: str, text: str | None) -> str | None:
    """Return the text if every database can keep it.

    Raises:
        InvalidInputError: it holds a NUL.
    """
    if text is not None and NUL in text:
        raise InvalidInputError.at(field, text.replace(NUL, "\\u0000"), NUL_PROBLEM, NUL_REMEDY)
    return text
