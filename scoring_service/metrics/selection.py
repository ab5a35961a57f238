"""Which questions a metric is about, by their facets."""

from collections.abc import Mapping
from typing import TypeAlias

from tetrad.contracts.wire import Facets

Where: TypeAlias = Mapping[str, tuple[str, ...]]
"""Facet to the values that are selected; a question lacking the facet is not."""


def fits(facets: Facets, where: Where) -> bool:
    for name, values in where.items():  # noqa: SIM110 - `all` with a generator takes three times as long
        if facets.get(name) not in values:
            return False
    return True
