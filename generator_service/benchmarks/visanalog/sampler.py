"""Draw a Scene from random streams: the only user of randomness.

Streams, one a purpose: "source" (picture A), "query" (picture C and the facts asked of it), "options" (the grid, its
right corner, the program), "places" (the order of the options). A picture of which nothing can be asked is drawn again,
before any program is drawn; acceptance never looks at pixels.
"""

from collections.abc import Sequence

from generator_service.benchmark import Parameters, Streams
from generator_service.benchmarks.visanalog.bank import VisAnalogBank
from generator_service.benchmarks.visanalog.composing import compose
from generator_service.benchmarks.visanalog.facts import option_values
from generator_service.benchmarks.visanalog.families import BY_NAME, Family
from generator_service.benchmarks.visanalog.grids import Grid, choose, grids
from generator_service.benchmarks.visanalog.photographs.sampler import sample_photographs
from generator_service.benchmarks.visanalog.spec import (
    COLOUR,
    CUT,
    LEVEL,
    NAMING,
    OF_SPECIAL,
    ORDER,
    PHOTOGRAPHS,
    SIDE_OF,
    Fact,
    Picture,
    Scene,
    Thing,
)
from tetrad.contracts.wire import Facets
from tetrad.streams import Stream

_MOST_DRAWS = 1000  # the rarest family is accepted once in about ten


class NoQuestionError(RuntimeError):
    """No picture of many can be asked about in a family: the family is impossible, which is a defect."""


def sample(  # noqa: PLR0917 - as `Benchmark.sample`
    bank: VisAnalogBank, track: str, setting: str, parameters: Parameters, facets: Facets, streams: Streams
) -> Scene:
    """Draw an item of a stratum: A, C and the facts, the grid, its right corner, the program."""
    steps, space = int(facets["steps"]), str(parameters["search_space"])
    if track == PHOTOGRAPHS:
        return sample_photographs(bank.of_photographs(), setting, space, facets["asked"], steps, streams)
    family = BY_NAME[facets["asked"]]
    query, facts, found = _question(bank, family, steps, streams)
    chosen = choose(found, streams)
    return Scene(
        item=f"{streams('item').word():016x}",
        setting=setting,
        search_space=space,
        source=compose(bank.kinds, (), streams("source"), rims=False),
        query=query,
        program=chosen.program,
        facts=facts,
        options=chosen.options,
        right=chosen.right,
    )


def _question(
    bank: VisAnalogBank, family: Family, steps: int, streams: Streams
) -> tuple[Picture, tuple[Fact, ...], list[Grid]]:
    special = [OF_SPECIAL[kind] for kind in family if kind in OF_SPECIAL]
    for turn in range(_MOST_DRAWS):
        stream = streams("query", turn)
        query = compose(bank.kinds, special, stream, rims=CUT in family)
        facts = _facts(family, query.things, stream)
        if found := grids(option_values(query.things, facts), facts, steps):
            return query, facts, found
    raise NoQuestionError(f"none of {_MOST_DRAWS} pictures can be asked for {family} and {steps} steps")


def _facts(family: Family, things: Sequence[Thing], stream: Stream) -> tuple[Fact, ...]:
    """Draw what the facts are about. A colour is that of the first thing that the fact before it names."""
    whole = [place for place, one in enumerate(things) if one.round]
    found: list[Fact] = []
    for kind in family:
        if kind in NAMING:
            found.append(Fact(kind, place=stream.below(4)))
        elif kind in OF_SPECIAL:
            own = next(place for place, one in enumerate(things) if one.name == OF_SPECIAL[kind])
            found.append(Fact(kind, things=(own,)))
        elif kind in {SIDE_OF, LEVEL, ORDER}:
            found.append(Fact(kind, things=stream.sample(whole, 3 if kind == ORDER else 2)))
        elif kind == COLOUR:
            found.append(_colour(found, whole, stream))
    return tuple(found)


def _colour(before: Sequence[Fact], whole: Sequence[int], stream: Stream) -> Fact:
    if not before:
        return Fact(COLOUR, things=(stream.choice(whole),))
    return Fact(COLOUR, things=before[0].things[:1])
