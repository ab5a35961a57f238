"""What a card declares of one question for a model that guesses or sees less: chance, ceilings, drawn places."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from generator_service.items import Item
from generator_service.proving.bounds import AT_MOST, EQUAL, Bound
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.items import DrawIdentity
from tetrad.contracts.wire import Facets
from tetrad.solvers.baselines import LARGEST_GUESS


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A question of a report; `item` makes its item again."""

    card: Card
    identity: DrawIdentity
    facets: Facets
    item: Callable[[], Item]


Declared = Callable[[Asked], Bound | None]
"""None: nothing is declared of this question, and it is left out."""

# Options that stand in no drawn place: "no change" and "doesn't apply" of KiVA's words, "none" of its pictures.
WAYS_OUT = {"classification": 2, "specification": 2, "extrapolation": 1}


def surely(chance: float) -> Declared:
    return lambda _: Bound(relation=EQUAL, chance=chance)


def guessing(asked: Asked) -> Bound | None:
    """Return the chance of who takes any option as often: the card's; of a count one of `random`'s numbers."""
    chance = _uniform(asked)
    if chance is None and asked.facets.get("stage") == "coarse":
        chance = 1 / LARGEST_GUESS
    return None if chance is None else Bound(relation=EQUAL, chance=chance)


def always_one_place(asked: Asked) -> Bound | None:
    """Return the chance of any one of the places that are drawn, where something changes."""
    uniform = _uniform(asked)
    if uniform is None or asked.facets.get("change") == "no":
        return None
    return Bound(relation=EQUAL, chance=1 / (round(1 / uniform) - WAYS_OUT.get(asked.facets.get("stage", ""), 0)))


def words_only(asked: Asked) -> Bound | None:
    """Hold a fixed preference over words to its ceiling, which it reaches where all words are right as often."""
    drawn, ceiling = always_one_place(asked), _ceiling(asked, "text-only")
    if drawn is None or ceiling is None or ceiling <= drawn.chance:
        return drawn
    return Bound(relation=AT_MOST, chance=ceiling)


def partial_sight(solver: str, relation: str = EQUAL) -> Declared:
    def declared(asked: Asked) -> Bound | None:
        ceiling = _ceiling(asked, solver)
        return None if ceiling is None else Bound(relation=relation, chance=ceiling)

    return declared


def _uniform(asked: Asked) -> float | None:
    return next((level.uniform for level in asked.card.chance if _fits(level.where, asked.facets)), None)


def _ceiling(asked: Asked, solver: str) -> float | None:
    """Return the declared ceiling. Words told beforehand don't count: our blind solvers don't read them."""
    identity = asked.identity
    for ceiling in asked.card.ceilings:
        where = {name: values for name, values in ceiling.where.items() if name != "told"}
        meant = ceiling.solver == solver and ceiling.track in {None, identity.track}
        if meant and ceiling.parameters.items() <= identity.parameters.items() and _fits(where, asked.facets):
            return ceiling.value
    return None


def _fits(where: Mapping[str, tuple[str, ...]], facets: Facets) -> bool:
    return all(facets.get(name) in values for name, values in where.items())
