"""Options of a registry entry as the struct of its provider."""

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from inference_gateway.providers import OptionsError

S = TypeVar("S", bound=msgspec.Struct)


def options_as(options: Mapping[str, object], kind: type[S]) -> S:
    """Convert the options. Raises: OptionsError: one is unknown or wrong."""
    try:
        return msgspec.convert(options, kind)
    except msgspec.ValidationError as error:
        known = ", ".join(kind.__struct_fields__) or "none"
        raise OptionsError(f"{error}; options are {known}") from error


class ExtraFields(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`extra`: further fields of every request (of Gemini's generationConfig), as a temperature of an older model."""

    extra: dict[str, Any] = {}
