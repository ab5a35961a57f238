"""Check a track, a setting and parameters against a card, and fill in what was left out."""

from collections.abc import Iterator, Mapping

from generator_service.benchmark import Parameters
from tetrad.contracts.benchmarks import Card, Parameter
from tetrad.contracts.problems import Fault
from tetrad.contracts.wire import ParameterValue

LONGEST_VALUE = 200  # characters of a refused value that an error repeats


class IdentityError(Exception):
    """The request names something that is not on the card."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__("; ".join(f"{fault.field}: {fault.problem}" for fault in faults))
        self.faults = faults


def resolve(card: Card, track: str, setting: str, given: Mapping[str, ParameterValue]) -> Parameters:
    """Return all parameters of the card, by name, the given ones checked and the others at their defaults.

    Raises:
        IdentityError: it names every unknown track, setting and parameter, and every value out of its bounds. If there
            are none of these, it names the values that exclude each other.
    """
    faults = [*_place_faults(card, track, setting), *_unknown_faults(card, given)]
    resolved: dict[str, ParameterValue] = {}
    for parameter in card.parameters:
        value = _convert_text(parameter, given.get(parameter.name, parameter.default_on(track)))
        resolved[parameter.name] = value
        if not _legal(parameter, value):
            faults.append(
                fault(f"parameters.{parameter.name}", value, "is not a legal value", _legal_values(parameter))
            )
    faults = faults or list(_exclusion_faults(card, {"track": track, "setting": setting, **resolved}))
    if faults:
        raise IdentityError(faults)
    return resolved


def is_taken(card: Card, track: str, setting: str, given: Mapping[str, ParameterValue]) -> bool:
    """Tell whether items can be drawn on this track and setting with these parameters, the others at their defaults."""
    try:
        resolve(card, track, setting, given)
    except IdentityError:
        return False
    return True


def other_values(parameter: Parameter, track: str) -> list[ParameterValue]:
    """Return the values other than the default of a track. Of a range, only its ends."""
    values = parameter.values or (parameter.minimum, parameter.maximum)
    return [value for value in values if value is not None and value != parameter.default_on(track)]


def _exclusion_faults(card: Card, chosen: Mapping[str, ParameterValue]) -> Iterator[Fault]:
    for exclusion in card.exclusions:
        if all(chosen[name] in values for name, values in exclusion.where.items()):
            field = exclusion.field if exclusion.field in {"track", "setting"} else f"parameters.{exclusion.field}"
            yield Fault(
                field=field, value=str(chosen[exclusion.field]), problem=exclusion.problem, remedy=exclusion.remedy
            )


def _place_faults(card: Card, track: str, setting: str) -> list[Fault]:
    tracks = {known.name: known for known in card.tracks}
    if track not in tracks:
        return [fault("track", track, f"{card.name} has no such track", f"use one of {', '.join(tracks)}")]
    settings = tracks[track].settings
    if setting not in settings:
        return [fault("setting", setting, f"track {track} has no such setting", f"use one of {', '.join(settings)}")]
    return []


def _unknown_faults(card: Card, given: Mapping[str, ParameterValue]) -> list[Fault]:
    known = [parameter.name for parameter in card.parameters]
    remedy = f"use one of {', '.join(known)}" if known else "this benchmark takes no parameters"
    return [
        fault(f"parameters.{name}", value, "is not a parameter of this benchmark", remedy)
        for name, value in given.items()
        if name not in known
    ]


def _convert_text(parameter: Parameter, value: ParameterValue) -> ParameterValue:
    """Convert the text of a query string to the parameter's type. A text that does not fit stays a text."""
    if not isinstance(value, str) or isinstance(parameter.default, str):
        return value
    if isinstance(parameter.default, bool):
        return {"true": True, "false": False}.get(value, value)
    return int(value) if value.isdecimal() and len(value) <= len(str(2**53)) else value


def _legal(parameter: Parameter, value: ParameterValue) -> bool:
    if type(value) is not type(parameter.default):
        return False
    if parameter.values:
        return value in parameter.values
    low, high = parameter.minimum, parameter.maximum
    if not isinstance(value, int) or low is None or high is None:
        return isinstance(value, bool)
    return low <= value <= high and (value - low) % parameter.step == 0


def _legal_values(parameter: Parameter) -> str:
    if parameter.values:
        return f"use one of {', '.join(map(str, parameter.values))}"
    if isinstance(parameter.default, bool):
        return "use true or false"
    steps = f" in steps of {parameter.step}" if parameter.step > 1 else ""
    return f"use a whole number from {parameter.minimum} to {parameter.maximum}{steps}"


def fault(field: str, value: object, problem: str, remedy: str) -> Fault:
    """Return a fault that repeats only the beginning of a long value."""
    return Fault(field=field, value=str(value)[:LONGEST_VALUE], problem=problem, remedy=remedy)
