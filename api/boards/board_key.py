"""Which board a submission is on: one per benchmark, version, track, setting and ranked parameters."""

from collections.abc import Mapping

from tetrad.canonical import hexdigest
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.wire import ParameterValue


def ranked_parameters(card: Card, parameters: Mapping[str, ParameterValue]) -> dict[str, ParameterValue]:
    """Return the parameters of which another value means another board."""
    return {known.name: parameters[known.name] for known in card.parameters if known.ranked}


def board_of(card: Card, track: str, setting: str, parameters: Mapping[str, ParameterValue]) -> str:
    """Return the board's name: a digest (64 hex digits) of all that makes it."""
    ranked = ranked_parameters(card, parameters)
    return hexdigest("tetrad/board/1", card.name, card.version, track, setting, ranked)
