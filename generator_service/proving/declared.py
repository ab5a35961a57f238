"""A card's declarations about one question for a model that guesses or sees less: chance, ceilings, drawn places."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from generator_service.items import Item
from generator_service.proving.bounds import EQUAL, Bound
from generator_service.proving.samples import fits
from tetrad.contracts.benchmarks import Card, Ceiling
from tetrad.contracts.items import DrawIdentity
from tetrad.contracts.wire import Facets, ParameterValue


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A question of a report; `item` makes its item again."""

    card: Card
    identity: DrawIdentity
    facets: Facets
    item: Callable[[], Item]


Declared = Callable[[Asked], Bound | None]
"""None: nothing is declared of this question, and it is left out."""


def surely(chance: float) -> Declared:
    return lambda _: Bound(relation=EQUAL, chance=chance)


def guessing(asked: Asked) -> Bound | None:
    """Return the card's chance level: the score of a model that takes each option equally often."""
    chance = uniform_of(asked)
    return None if chance is None else Bound(relation=EQUAL, chance=chance)


def partial_sight(solver: str, relation: str = EQUAL, *, whatever: Collection[str] = ()) -> Declared:
    """Return the card's ceiling of this solver. The facets `whatever` may have any value."""

    def find_bound(asked: Asked) -> Bound | None:
        ceiling = ceiling_of(asked, solver, whatever=whatever)
        return None if ceiling is None else Bound(relation=relation, chance=ceiling)

    return find_bound


def uniform_of(asked: Asked) -> float | None:
    """Return the chance level that the card declares for the question."""
    return next((level.uniform for level in asked.card.chance if fits(level.where, asked.facets)), None)


def ceiling_of(asked: Asked, solver: str, *, whatever: Collection[str] = ()) -> float | None:
    """Return the ceiling that the card declares. The facets `whatever` may have any value."""
    for ceiling in ceilings_under(asked.card, asked.identity.track, asked.identity.parameters):
        where = {name: values for name, values in ceiling.where.items() if name not in whatever}
        if ceiling.solver == solver and fits(where, asked.facets):
            return ceiling.value
    return None


def ceilings_under(card: Card, track: str, parameters: Mapping[str, ParameterValue]) -> list[Ceiling]:
    """Return the ceilings that hold on a track under these parameters, all of them given."""
    return [
        ceiling
        for ceiling in card.ceilings
        if ceiling.track in {None, track} and ceiling.parameters.items() <= parameters.items()
    ]
