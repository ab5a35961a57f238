"""A submission's board.

There is one for each benchmark, version, track, setting, ranked parameters and way of putting an item's questions.
"""

from collections.abc import Mapping

from tetrad.canonical import hexdigest
from tetrad.contracts.benchmarks import Card, Conversation
from tetrad.contracts.wire import ParameterValue


def ranked_parameters(card: Card, parameters: Mapping[str, ParameterValue]) -> dict[str, ParameterValue]:
    """Return the ranked parameters: another value of one means another board."""
    return {known.name: parameters[known.name] for known in card.parameters if known.ranked}


def board_of(
    card: Card, track: str, setting: str, parameters: Mapping[str, ParameterValue], conversation: Conversation
) -> str:
    """Return the board's name: a digest (64 hex digits) of all that makes it.

    Fresh contexts are left out of it: before conversations there was nothing else, and those rows stay on their boards.
    """
    ranked = ranked_parameters(card, parameters)
    joined = () if conversation == "fresh" else (conversation,)
    return hexdigest("tetrad/board/1", card.name, card.version, track, setting, ranked, *joined)
