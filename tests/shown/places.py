"""The places of submissions: every track and setting of a card, and every other value of its parameters."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from generator_service.parameters import is_taken, other_values
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.wire import ParameterValue


@dataclass(frozen=True, kw_only=True)
class Place:
    """One board's worth of items. `parameters` are those that differ from the defaults."""

    track: str
    setting: str
    parameters: Mapping[str, ParameterValue] = field(default_factory=dict)

    @property
    def way(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in self.parameters.items()) or "default"


def boards(card: Card) -> list[Place]:
    """Return every track and setting under the defaults."""
    return [Place(track=track.name, setting=setting) for track in card.tracks for setting in track.settings]


def ways(card: Card) -> Iterator[Place]:
    """Yield the parameters' other values (of a range its ends) in every setting that takes them.

    On the first track; on every one where a ceiling depends on the parameter, or reports group by what it chooses.
    """
    declared = {name for ceiling in card.ceilings for name in ceiling.parameters} | {*card.filters}
    for parameter in card.parameters:
        for board in boards(card):
            if parameter.name in declared or board.track == card.tracks[0].name:
                given = ({parameter.name: value} for value in other_values(parameter, board.track))
                places = (replace(board, parameters=parameters) for parameters in given)
                yield from (one for one in places if is_taken(card, one.track, one.setting, one.parameters))
