"""A submission's board.

There is one for each benchmark, version, track, setting, ranked parameters, sources and way of putting an item's
questions.
"""

from collections.abc import Mapping

from api.boards.queries import BoardQuery
from tetrad.canonical import hexdigest
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.wire import ParameterValue


def ranked_parameters(card: Card, parameters: Mapping[str, ParameterValue]) -> dict[str, ParameterValue]:
    """Return the ranked parameters: another value of one means another board."""
    return {known.name: parameters[known.name] for known in card.parameters if known.ranked}


def board_of(card: Card, where: BoardQuery, bank: str) -> str:
    """Return the board's name: a digest (64 hex digits) of all that makes it.

    `bank` is the digest of the sources in the identities of its draws.
    """
    ranked = ranked_parameters(card, where.parameters)
    place = (card.name, card.version, where.track, where.setting, ranked, where.conversation, bank)
    return hexdigest("tetrad/board/1", *place)
