"""The query of a board: a track, a setting and ranked parameters of the card, defaults for what is left out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from api.http.query_names import check_names
from tetrad.contracts.benchmarks import Card, Parameter
from tetrad.contracts.wire import ParameterValue
from tetrad.server.problems import refuse

OWN = ("track", "setting", "version")


@dataclass(frozen=True)
class BoardQuery:
    track: str
    setting: str
    parameters: dict[str, ParameterValue]


def board_query(card: Card, query: Sequence[tuple[str, str]]) -> BoardQuery:
    """Return which board is asked for.

    Raises:
        ProblemError: 422, an unknown or repeated name, or a value that is not on the card.
    """
    ranked = [parameter for parameter in card.parameters if parameter.ranked]
    check_names(query, (*OWN, *(parameter.name for parameter in ranked)))
    given = dict(query)
    settings = {track.name: track.settings for track in card.tracks}
    track, setting = card.place(given.get("track"), given.get("setting"))
    _check("track", track, tuple(settings))
    _check("setting", setting, settings[track])
    parameters = {
        parameter.name: _value(parameter, given[parameter.name]) if parameter.name in given else parameter.default
        for parameter in ranked
    }
    return BoardQuery(track, setting, parameters)


def checked_board(
    card: Card, track: str | None, setting: str | None, parameters: Mapping[str, ParameterValue]
) -> BoardQuery:
    """Return the same board named by values instead of by a query; None is what is not named.

    Raises:
        ProblemError: 422, an unknown name, or a value that is not on the card.
    """
    place = [(name, value) for name, value in (("track", track), ("setting", setting)) if value is not None]
    return board_query(card, [*place, *((name, _text(value)) for name, value in parameters.items())])


def _check(field: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise refuse(422, field, value, f"there is no such {field} on the card", f"use one of {', '.join(known)}")


def _value(parameter: Parameter, text: str) -> ParameterValue:
    """Read a value as the card writes it; the text is compared, so 01 is not 1."""
    legal = {_text(value): value for value in _legal(parameter)}
    if text not in legal:
        shown = ", ".join(list(legal)[:20])
        raise refuse(422, parameter.name, text, "is not a legal value", f"use one of {shown}")
    return legal[text]


def _legal(parameter: Parameter) -> Sequence[ParameterValue]:
    if parameter.values:
        return parameter.values
    if isinstance(parameter.default, bool):
        return (False, True)
    if parameter.minimum is None or parameter.maximum is None:
        return (parameter.default,)
    return range(parameter.minimum, parameter.maximum + 1, parameter.step)


def _text(value: ParameterValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
