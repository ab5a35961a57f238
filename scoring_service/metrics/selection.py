"""Which questions a metric is about, by their facets."""

from collections.abc import Callable, Mapping
from typing import TypeAlias, TypeVar

from tetrad.contracts.wire import Facets

Where: TypeAlias = Mapping[str, tuple[str, ...]]
"""Facet to the values that are selected; a question lacking the facet is not."""


Known = TypeVar("Known")


def once_each(of: Callable[[Facets], Known]) -> Callable[[Facets], Known]:
    """Return `of`, worked out once for each facets object: a draw's many questions share few (`Chance.shared`)."""
    found: dict[int, tuple[Facets, Known]] = {}  # by identity; holding the object keeps its id from being used again

    def known(facets: Facets) -> Known:
        entry = found.get(id(facets))
        if entry is None:
            entry = found[id(facets)] = (facets, of(facets))
        return entry[1]

    return known


def fits(facets: Facets, where: Where) -> bool:
    for name, values in where.items():  # noqa: SIM110 - `all` with a generator takes three times as long
        if facets.get(name) not in values:
            return False
    return True
