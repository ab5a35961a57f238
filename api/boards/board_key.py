"""Which board a submission is on: one per benchmark, version, track, setting, ranked parameters and sources."""

from collections.abc import Mapping

from tetrad.canonical import hexdigest
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.wire import ParameterValue


def ranked_parameters(card: Card, parameters: Mapping[str, ParameterValue]) -> dict[str, ParameterValue]:
    """Return the parameters of which another value means another board."""
    return {known.name: parameters[known.name] for known in card.parameters if known.ranked}


def board_of(card: Card, track: str, setting: str, parameters: Mapping[str, ParameterValue], bank: str) -> str:
    """Return the board's name: a digest (64 hex digits) of all that makes it.

    `bank` is what stands for the sources in the identities of its draws. The name is made of the one that boards had
    before sources were part of it, so that rows from then could be moved by their own identity.
    """
    ranked = ranked_parameters(card, parameters)
    return hexdigest(
        "tetrad/board/2", hexdigest("tetrad/board/1", card.name, card.version, track, setting, ranked), bank
    )
