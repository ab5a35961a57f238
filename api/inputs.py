"""Checks ids, texts and query names of requests before any table is asked."""

import re
from collections import Counter
from collections.abc import Sequence

from api.errors import InvalidInputError, not_found
from tetrad.contracts.problems import LONGEST_VALUE, Fault

NUL = "\x00"  # Postgres refuses it in text; SQLite would take it
NUL_PROBLEM = "contains the character NUL"
NUL_REMEDY = "remove it: it cannot be stored"
ID_BODY = re.compile(r"[0-9a-f]{32}")
FAULTS_IN_DETAIL = 5
PICTURES_AT_ONCE = 32  # of a request: they are in memory together


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


def split_pictures(listed: str) -> list[str]:
    """Return the pictures that a list joined by commas names, each once.

    Raises:
        InvalidInputError: there are too many.
    """
    pictures = listed.split(",")
    if len(pictures) > PICTURES_AT_ONCE:
        problem = f"names {len(pictures)} pictures"
        raise InvalidInputError.at("pictures", listed, problem, f"name up to {PICTURES_AT_ONCE} in a request")
    return list(dict.fromkeys(pictures))


def check_names(query: Sequence[tuple[str, str]], known: Sequence[str]) -> None:
    """Check that the query has known names only, each once: a misspelt one would count for nothing.

    Raises:
        InvalidInputError: it has others; each is a fault.
    """
    names = Counter(name for name, _ in query)
    remedy = f"use {', '.join(known)}" if known else "leave it out: nothing is asked by query here"
    faults = [
        Fault(field=name, value=value[:LONGEST_VALUE], problem="is no query name here", remedy=remedy)
        for name, value in query
        if name not in known
    ]
    repeated = sorted(name for name, times in names.items() if times > 1)
    faults += [Fault(field=name, problem="is given more than once", remedy="give it once") for name in repeated]
    if faults:
        detail = "; ".join(f"{fault.field}: {fault.problem}" for fault in faults[:FAULTS_IN_DETAIL])
        raise InvalidInputError(detail, faults=faults)
