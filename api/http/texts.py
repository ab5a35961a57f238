"""Texts that every database keeps: Postgres refuses NUL in text, SQLite would take it."""

from tetrad.server.problems import refuse

NUL = "\x00"
NUL_PROBLEM = "contains the character NUL"
NUL_REMEDY = "remove it: it cannot be stored"


def storable(field: str, text: str | None) -> str | None:
    """Return the text.

    Raises:
        ProblemError: 422, it holds a NUL.
    """
    if text is not None and NUL in text:
        raise refuse(422, field, text.replace(NUL, "\\u0000"), NUL_PROBLEM, NUL_REMEDY)
    return text
