"""Settings: one typed struct a service, filled from environment variables, checked once at start."""

from collections.abc import Mapping
from typing import TypeVar

import msgspec

from tetrad.server.value_words import in_words

S = TypeVar("S", bound=msgspec.Struct)


class SettingsError(Exception):
    """Settings are wrong; the message names each variable and the remedy."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """A service's settings. Field `database_url` of a struct loaded with prefix X is the variable X_DATABASE_URL."""


def load_settings(kind: type[S], prefix: str, environ: Mapping[str, str]) -> S:
    """Read the fields of `kind` from variables named PREFIX_FIELD.

    Raises:
        SettingsError: a variable is missing, or its value does not convert to the field's type and bounds.
    """
    found: dict[str, object] = {}
    wrong: list[str] = []
    for field in msgspec.structs.fields(kind):
        variable = variable_name(prefix, field.name)
        if variable in environ:
            try:
                found[field.name] = msgspec.convert(environ[variable], field.type, strict=False)
            except msgspec.ValidationError as error:
                wrong.append(f"{variable}: {in_words(str(error))[0]}")
        elif field.required:
            wrong.append(f"{variable} is not set")
    if wrong:
        raise SettingsError("; ".join(wrong) + " (docs/variables.md lists every variable)")
    return kind(**found)


def variable_name(prefix: str, field: str) -> str:
    return f"{prefix}_{field}".upper()


def variables(kind: type[msgspec.Struct], prefix: str) -> dict[str, bool]:
    """Return every variable the struct reads, and whether it must be set."""
    return {variable_name(prefix, field.name): field.required for field in msgspec.structs.fields(kind)}
