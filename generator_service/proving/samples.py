"""Samples of a benchmark: its first items at every track, setting and value of each parameter."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from generator_service.draws import Draw
from generator_service.items import Item, make_item
from generator_service.mounting import Mounted
from generator_service.parameters import IdentityError, other_values
from tetrad.contracts.items import KeyedQuestion
from tetrad.contracts.wire import Facets, ParameterValue

ITEMS = 1000
SEED = "20"


@dataclass(frozen=True, kw_only=True)
class Place:
    """A track, a setting, and the parameters that differ from their defaults: one at most."""

    track: str
    setting: str
    parameters: Mapping[str, ParameterValue]

    def __str__(self) -> str:
        return ", ".join((self.track, self.setting, *(f"{name}={value}" for name, value in self.parameters.items())))


@dataclass(frozen=True, kw_only=True)
class Sample:
    """The first items of one place's draw, without their pictures."""

    mounted: Mounted
    place: Place
    draw: Draw
    items: tuple[Item, ...]

    @property
    def is_default(self) -> bool:
        return not self.place.parameters

    @property
    def is_whole(self) -> bool:
        return len(self.items) >= most_items(self.mounted)

    def questions(self, items: int | None = None) -> Iterator[tuple[int, Item, KeyedQuestion]]:
        """Yield every question of the first `items` items with its item and the item's place; of all where None."""
        for index, item in enumerate(self.items[:items]):
            for keyed in item.questions:
                yield index, item, keyed


def places(mounted: Mounted) -> Iterator[Place]:
    """Yield every track and setting: under the defaults, then under each other value of each parameter alone.

    Of a range only its ends. Values that the card excludes there are left out, and tracks that lack something.
    """
    card = mounted.benchmark.card
    for track in (track for track in card.tracks if track.name not in mounted.lacking):
        given: list[dict[str, ParameterValue]] = [{}]
        given += [
            {parameter.name: value} for parameter in card.parameters for value in other_values(parameter, track.name)
        ]
        for setting in track.settings:
            for parameters in given:
                try:
                    mounted.identity(track.name, setting, parameters)
                except IdentityError:
                    if not (parameters and card.exclusions):
                        raise
                else:
                    yield Place(track=track.name, setting=setting, parameters=parameters)


def sample_at(mounted: Mounted, place: Place, items: int = ITEMS) -> Sample:
    """Make the first items of the place's draw. A corpus may have fewer."""
    draw = Draw(mounted.benchmark, mounted.identity(place.track, place.setting, place.parameters), SEED)
    made = tuple(make_item(mounted, draw, index) for index in range(min(items, most_items(mounted))))
    return Sample(mounted=mounted, place=place, draw=draw, items=made)


def most_items(mounted: Mounted) -> int:
    """Return the number of items of a whole sample."""
    corpus = mounted.benchmark.card.corpus
    return ITEMS if corpus is None else min(ITEMS, corpus.items)


def fits(where: Mapping[str, Sequence[str]], facets: Facets) -> bool:
    """Tell whether a question has these facets."""
    return all(facets.get(name) in values for name, values in where.items())
