"""Which questions a metric is about, by their facets."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias, TypeVar

from tetrad.contracts.wire import Facets

Where: TypeAlias = Mapping[str, tuple[str, ...]]
"""Facet to the values that are selected; a question lacking the facet is not."""


Known = TypeVar("Known")


def of_each(facets: Sequence[Facets], of: Callable[[Facets], Known]) -> Iterator[Known]:
    """Yield `of` each, worked out once for each object: a draw's many questions share few (`Chance.shared`).

    By identity, which is safe as long as `facets` holds them, and in C throughout: metrics pass here with every
    question many times.
    """
    places = [id(one) for one in facets]
    known = {place: of(one) for place, one in dict(zip(places, facets, strict=True)).items()}
    return map(known.__getitem__, places)


def fits(facets: Facets, where: Where) -> bool:
    for name, values in where.items():  # noqa: SIM110 - `all` with a generator takes three times as long
        if facets.get(name) not in values:
            return False
    return True
