"""Reads the query of a board: a track, a setting, ranked parameters of the card and a way of putting the questions.

What is left out is as the card says.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast, get_args

from api.errors import InvalidInputError
from api.inputs import check_names
from tetrad.contracts.benchmarks import Card, Conversation, ConversationChoice, Parameter
from tetrad.contracts.wire import ParameterValue

OWN = ("track", "setting", "version", "conversation")


@dataclass(frozen=True)
class BoardQuery:
    track: str
    setting: str
    parameters: dict[str, ParameterValue]
    conversation: Conversation


def board_query(card: Card, query: Sequence[tuple[str, str]]) -> BoardQuery:
    """Return the board that the query asks for.

    Raises:
        InvalidInputError: an unknown or repeated name, or a value that is not on the card.
    """
    ranked = [parameter for parameter in card.parameters if parameter.ranked]
    check_names(query, (*OWN, *(parameter.name for parameter in ranked)))
    given = dict(query)
    settings = {track.name: track.settings for track in card.tracks}
    track, setting = card.place(given.get("track"), given.get("setting"))
    _check("track", track, tuple(settings))
    _check("setting", setting, settings[track])
    parameters = {
        parameter.name: _value(parameter, given[parameter.name])
        if parameter.name in given
        else parameter.default_on(track)
        for parameter in ranked
    }
    chosen = given.get("conversation", "as-card")
    _check("conversation", chosen, get_args(ConversationChoice))
    conversation = resolve_conversation(card, setting, cast("ConversationChoice", chosen))
    return BoardQuery(track, setting, parameters, conversation)


def check_board(
    card: Card,
    track: str | None,
    setting: str | None,
    parameters: Mapping[str, ParameterValue],
    conversation: ConversationChoice,
) -> BoardQuery:
    """Return the board that these values name; None stands for what is not named.

    Raises:
        InvalidInputError: an unknown name, or a value that is not on the card.
    """
    place = [(name, value) for name, value in (("track", track), ("setting", setting)) if value is not None]
    place.append(("conversation", conversation))
    return board_query(card, [*place, *((name, value_text(value)) for name, value in parameters.items())])


def resolve_conversation(card: Card, setting: str, chosen: ConversationChoice) -> Conversation:
    """Return how questions are put where this was chosen. An unknown setting passes: others refuse it.

    Raises:
        InvalidInputError: an item has one question, but for its repeats, or its questions are to be put apart.
    """
    known = {known_setting.name: known_setting for known_setting in card.settings}
    if chosen == "joined" and setting in known and not known[setting].can_join:
        problem = (
            f"setting {setting} puts each question in a fresh context"
            if known[setting].apart
            else f"setting {setting} asks one question of an item (its repeats are conversations of their own)"
        )
        raise InvalidInputError.at("conversation", chosen, problem, "leave it out, or use fresh or as-card")
    return card.conversation(setting, chosen)


def _check(field: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise InvalidInputError.at(
            field, value, f"there is no such {field} on the card", f"use one of {', '.join(known)}"
        )


def _value(parameter: Parameter, text: str) -> ParameterValue:
    """Read a value as the card writes it; the text is compared, so 01 is not 1."""
    legal = {value_text(value): value for value in legal_values(parameter)}
    if text not in legal:
        shown = ", ".join(list(legal)[:20])
        raise InvalidInputError.at(parameter.name, text, "is not a legal value", f"use one of {shown}")
    return legal[text]


def parameter_values(parameter: Parameter) -> list[str]:
    """Return the legal values of a parameter as a query writes them."""
    return [value_text(value) for value in legal_values(parameter)]


def legal_values(parameter: Parameter) -> Sequence[ParameterValue]:
    """Return the legal values of a parameter."""
    if parameter.values:
        return parameter.values
    if isinstance(parameter.default, bool):
        return (False, True)
    if parameter.minimum is None or parameter.maximum is None:
        return (parameter.default,)
    return range(parameter.minimum, parameter.maximum + 1, parameter.step)


def value_text(value: ParameterValue) -> str:
    """Write a value as a query does."""
    return str(value).lower() if isinstance(value, bool) else str(value)
