"""Names in a query: one that a route doesn't know is refused, so that nobody's `dry-run` is taken for nothing."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler
from litestar.params import QueryParameter

from tetrad.contracts.problems import Fault
from tetrad.server.problems import ProblemError

CARD_NAMES = {"card_names": True}
"""`opt` of a route whose names depend on a card: it looks itself."""


async def known_query_names(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """Be a guard: let a request pass whose query has names of its route only, each once.

    Async, for Litestar takes a thread for a guard that is not.

    Raises:
        ProblemError: 422, it has others.
    """
    if connection.scope["query_string"] and not handler.opt.get("card_names"):
        check_names(list(connection.query_params.multi_items()), _names_of(handler))


def check_names(query: Sequence[tuple[str, str]], known: Sequence[str]) -> None:
    """Refuse unknown and repeated names, each by name."""
    names = Counter(name for name, _ in query)
    remedy = f"use {', '.join(known)}" if known else "leave it out: nothing is asked by query here"
    faults = [
        Fault(field=name, value=value[:200], problem="is no query name here", remedy=remedy)
        for name, value in query
        if name not in known
    ]
    repeated = sorted(name for name, times in names.items() if times > 1)
    faults += [Fault(field=name, problem="is given more than once", remedy="give it once") for name in repeated]
    if faults:
        raise ProblemError(422, "; ".join(f"{fault.field}: {fault.problem}" for fault in faults[:5]), faults=faults)


@lru_cache(maxsize=256)
def _names_of(handler: BaseRouteHandler) -> tuple[str, ...]:
    parameters = handler.parsed_fn_signature.parameters.items()
    return tuple(
        str(field.kwarg_definition.name or name)
        for name, field in parameters
        if isinstance(field.kwarg_definition, QueryParameter)
    )
