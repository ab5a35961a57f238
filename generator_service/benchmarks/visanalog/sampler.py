"""List the strata of a draw, and draw the Scene of a stratum from random streams: the only user of randomness.

Streams, one a purpose: "source" (picture A), "query" (picture C and the facts asked of it), "options" (the grid, its
right corner, the program), "places" (the order of the options). A picture of which nothing can be asked is drawn again,
before any program is drawn; acceptance never looks at pixels.
"""

from collections.abc import Collection, Sequence
from functools import lru_cache, partial
from math import lcm
from typing import Protocol

from generator_service.benchmark import Parameters, Stratum, Streams
from generator_service.benchmarks.visanalog.bank import VisAnalogBank
from generator_service.benchmarks.visanalog.composing import compose
from generator_service.benchmarks.visanalog.facts import option_values
from generator_service.benchmarks.visanalog.families import BY_NAME, Family, families_of, family_name
from generator_service.benchmarks.visanalog.grids import Grid, choose, grids, has_zoom
from generator_service.benchmarks.visanalog.photographs import families as of_photographs
from generator_service.benchmarks.visanalog.photographs.sampler import sample_photographs
from generator_service.benchmarks.visanalog.scenes import families as of_scenes
from generator_service.benchmarks.visanalog.scenes.composing import compose_scene
from generator_service.benchmarks.visanalog.scenes.families import BY_NAME as OF_SCENES
from generator_service.benchmarks.visanalog.spec import (
    COLOUR,
    CORNER,
    CUT,
    FACES,
    LEVEL,
    NAMING,
    OF_SPECIAL,
    OF_THE_PAPER,
    ORDER,
    PERSON_LOOK,
    PHOTOGRAPHS,
    QUARTER,
    SCENES,
    SIDE_OF,
    TURNED,
    Fact,
    Gathering,
    Picture,
    Scene,
    Stander,
    Thing,
)
from tetrad.contracts.wire import Facets
from tetrad.streams import Stream

Composed = Picture | Gathering
ASKED_OF_ZOOMS = (CORNER,)
"""The one family of one fact that a zoom can answer. Of one step, a zoom makes a corner of each of its grids right;
otherwise zooms would be too rare for a board."""
_MOST_DRAWS = 1000  # the rarest family is accepted once in about ten


class NoQuestionError(RuntimeError):
    """No picture of many can be asked about in a family: the family is impossible, which is a defect."""


def strata(track: str, _setting: str, parameters: Parameters) -> tuple[Stratum, ...]:
    """Return the strata: the number of steps, each as often, and the family of question.

    Settings show the same items in other ways.
    """
    return _strata(track, int(parameters["steps"]))


@lru_cache(maxsize=16)
def _strata(track: str, steps: int) -> tuple[Stratum, ...]:
    counts = (1, 2, 3, 4) if steps == OF_THE_PAPER else (steps,)
    families = {count: _names(track, count) for count in counts}
    places = lcm(*(len(names) for names in families.values()))
    return tuple(
        Stratum(facets={"steps": str(count), "asked": name}, weight=places // len(names))
        for count, names in families.items()
        for name in names
    )


def _names(track: str, steps: int) -> tuple[str, ...]:
    """Return the families that ask for programs of so many steps on a track."""
    if track == PHOTOGRAPHS:
        return of_photographs.families_of(steps)
    return of_scenes.families_of(steps) if track == SCENES else tuple(map(family_name, families_of(steps)))


def sample(  # noqa: PLR0917 - as `Benchmark.sample`
    bank: VisAnalogBank, track: str, setting: str, parameters: Parameters, facets: Facets, streams: Streams
) -> Scene:
    """Draw an item of a stratum: A, C and the facts, the grid, its right corner, the program."""
    steps, space = int(facets["steps"]), str(parameters["search_space"])
    if track == PHOTOGRAPHS:
        return sample_photographs(bank.of_photographs(), setting, space, facets["asked"], steps, streams)
    is_scene = track == SCENES
    family = (OF_SCENES if is_scene else BY_NAME)[facets["asked"]]
    composed: Compose = _scene if is_scene else partial(_picture, bank)
    query, facts, found = _question(composed, family, steps, streams)
    chosen = choose(found, option_values(query.things, facts), streams)
    return Scene(
        item=f"{streams('item').word():016x}",
        setting=setting,
        search_space=space,
        source=composed((), streams("source"), posed=False),
        query=query,
        program=chosen.program,
        facts=facts,
        options=chosen.options,
        right=chosen.right,
    )


class Compose(Protocol):
    """Composes a picture that has the wanted ones of sign, clock and arrow. posed: turned and mirrored as a whole."""

    def __call__(self, wanted: Collection[str], stream: Stream, *, posed: bool, cut: bool = False) -> Composed: ...


def _picture(
    bank: VisAnalogBank, wanted: Collection[str], stream: Stream, *, posed: bool, cut: bool = False
) -> Picture:
    del posed  # each thing has a pose of its own
    return compose(bank.kinds, wanted, stream, rims=cut)


def _scene(wanted: Collection[str], stream: Stream, *, posed: bool, cut: bool = False) -> Gathering:
    return compose_scene(wanted, stream, rims=cut, posed=posed)


def _question(
    composed: Compose, family: Family, steps: int, streams: Streams
) -> tuple[Composed, tuple[Fact, ...], list[Grid]]:
    """Compose C and draw what is asked of it.

    Where a fact tells how something is turned, C is shown in any pose, or an upright answer would be the likeliest.
    Elsewhere its people stand upright: who stands where is drawn, so that tells nothing.
    """
    special = [OF_SPECIAL[kind] for kind in family if kind in OF_SPECIAL]
    posed = not TURNED.isdisjoint(family)
    for turn in range(_MOST_DRAWS):
        stream = streams("query", turn)
        query = composed(special, stream, posed=posed, cut=CUT in family)
        facts = _facts(family, query.things, stream)
        found = grids(option_values(query.things, facts), facts, steps, query.things)
        if family == ASKED_OF_ZOOMS and steps == 1:
            found = [grid for grid in found if has_zoom(grid)]
        if found:
            return query, facts, found
    raise NoQuestionError(f"none of {_MOST_DRAWS} pictures can be asked for {family} and {steps} steps")


def _facts(family: Family, things: Sequence[Thing | Stander], stream: Stream) -> tuple[Fact, ...]:
    """Draw what the facts are about. A colour is that of the first thing that the fact before it names."""
    whole = [place for place, thing in enumerate(things) if thing.marked]
    found: list[Fact] = []
    for kind in family:
        if kind in NAMING:
            found.append(Fact(kind, place=stream.below(4)))
        elif kind in OF_SPECIAL:
            own = next(place for place, thing in enumerate(things) if thing.name == OF_SPECIAL[kind])
            found.append(Fact(kind, things=(own,)))
        elif kind in {SIDE_OF, LEVEL, ORDER}:
            found.append(Fact(kind, things=stream.sample(whole, 3 if kind == ORDER else 2)))
        elif kind == COLOUR:
            found.append(_colour(found, whole, stream))
        elif kind == FACES and found and found[0].kind == QUARTER:
            found.append(Fact(FACES))
        elif kind in {FACES, PERSON_LOOK}:
            found.append(Fact(kind, things=(stream.choice(whole),)))
    return tuple(found)


def _colour(before: Sequence[Fact], whole: Sequence[int], stream: Stream) -> Fact:
    if not before:
        return Fact(COLOUR, things=(stream.choice(whole),))
    return Fact(COLOUR, things=before[0].things[:1])
