"""Refuses a query with names that its route doesn't know: a misspelt one would count for nothing."""

from collections import Counter
from collections.abc import Sequence

from api.errors import InvalidInputError
from tetrad.contracts.problems import LONGEST_VALUE, Fault

FAULTS_IN_DETAIL = 5


def check_names(query: Sequence[tuple[str, str]], known: Sequence[str]) -> None:
    """Check that the query has known names only, each once.

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
