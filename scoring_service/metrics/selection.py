"""Selects the questions of a metric by their facets."""

from collections.abc import Mapping
from typing import TypeAlias

from tetrad.contracts.wire import Facets

Where: TypeAlias = Mapping[str, tuple[str, ...]]
"""Facet to the values that are selected; a question lacking the facet is not."""


def fits(facets: Facets, where: Where) -> bool:
    return all(facets.get(name) in values for name, values in where.items())
