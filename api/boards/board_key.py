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

    `bank` is the digest of the sources in the identities of its draws. The name is made of the one that boards had
    before sources were part of it, so that rows from then could be moved by their own identity. Fresh contexts are left
    out of it: before conversations there was nothing else, and those rows stay on their boards.
    """
    ranked = ranked_parameters(card, where.parameters)
    joined = () if where.conversation == "fresh" else (where.conversation,)
    place = hexdigest("tetrad/board/1", card.name, card.version, where.track, where.setting, ranked, *joined)
    return hexdigest("tetrad/board/2", place, bank)
