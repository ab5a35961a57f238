"""Options that commands share: NAME=VALUE, where VALUE is a number, true, false or a text; ids, and random seeds."""

import re
import secrets
from typing import Annotated, TypeAlias

from cyclopts import Parameter

from tetrad.client import TetradError
from tetrad.contracts.wire import ParameterValue


def _check_id(_: object, text: str) -> None:
    if not text.strip():
        raise ValueError("Give the id of a submission, as `tetrad submissions` lists it.")


SubmissionId: TypeAlias = Annotated[str, Parameter(help="the submission's id.", validator=_check_id)]
INTEGER = re.compile(r"-?[0-9]{1,18}")


class ParameterTextError(TetradError):
    """A text is not NAME=VALUE, or two texts give one name different values."""


def random_seed() -> str:
    """Return a seed of a practice draw: an integer from 0 to 2^53-1."""
    return str(secrets.randbelow(2**53))


def parse_parameters(texts: list[str], *, option: str = "--parameter") -> dict[str, ParameterValue]:
    """Return the parameters by name.

    Args:
        texts: the values of the option, NAME=VALUE.
        option: the option's name, for errors.

    Raises:
        ParameterTextError: a text has no equals sign, or a name has two values.
    """
    parsed: dict[str, ParameterValue] = {}
    for name, value in (_parse(text, option) for text in texts):
        if parsed.setdefault(name, value) != value:
            raise ParameterTextError(
                f"{name} is given as {parsed[name]} and as {value}; it takes one value: leave one out"
            )
    return parsed


def keep_given(**given: str | None) -> dict[str, ParameterValue]:
    """Return the parameters that were given. The service has defaults for the others."""
    return {name: value for name, value in given.items() if value is not None}


def _parse(text: str, option: str) -> tuple[str, ParameterValue]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise ParameterTextError(f"{option} {text!r} is not NAME=VALUE; `tetrad benchmarks NAME` lists both")
    if value in {"true", "false"}:
        return name, value == "true"
    return name, int(value) if INTEGER.fullmatch(value) else value
