"""msgspec's messages about a value as a problem and a remedy in words: for routes, and for lines of an upload.

It stands alone because the api's domain words its faults by it, and imports nothing of HTTP.
"""

import re
from collections.abc import Callable, Sequence
from typing import get_args

from tetrad.contracts.accounts import Url
from tetrad.contracts.wire import UNPRINTABLE, Digest, Name

UNPRINTABLE_TOLD = repr(UNPRINTABLE)[1:-1]  # as msgspec writes a pattern into a message
MISSING = re.compile(r"missing required field `([^`]{1,100})`")
UNKNOWN = re.compile(r"contains unknown field `([^`]{1,100})`")
PLACE = re.compile(r" - at `\$\.?([^`]*)`$")
KINDS = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "a JSON object",
    "null": "null",
}
FORMS = {
    get_args(Name)[1].pattern: "1 to 64 of a-z, 0-9, dot, underscore and hyphen, a letter or digit first",
    get_args(Digest)[1].pattern: "a SHA-256 as 64 hex digits, in lowercase",
    get_args(Url)[1].pattern: (
        "an address on one line that begins with http:// or https://, without spaces, control characters, tags, and "
        "marks that turn the direction of text"
    ),
}
"""The patterns of our contracts in words."""


def in_words(message: str, values: Sequence[str] = ()) -> tuple[str, str]:
    """Return msgspec's message about a value as a problem and a remedy in words.

    `values` are the allowed values of the field, if its type lists them.
    """
    if message.startswith("Invalid enum value"):
        return (
            "is not one of the allowed values",
            f"use one of {', '.join(values)}" if values else "use one of the values in the reference",
        )
    for form, told in WORDS:
        if (found := form.search(message)) is not None:
            return told(*found.groups())
    return message, "correct it"


def find_place(message: str) -> tuple[str, str]:
    """Return the field that a decoder's message says it is about, "" for the whole value, and the problem in words."""
    place = PLACE.search(message)
    return "" if place is None else place[1], in_words(PLACE.sub("", message))[0]


def find_field(message: str) -> str:
    """Return the field that a decoder's message is about: one that is unknown or missing, or else its place."""
    apart = UNKNOWN.search(message) or MISSING.search(message)
    return find_place(message)[0] if apart is None else apart[1]


def _wrong_form(pattern: str) -> tuple[str, str]:
    if UNPRINTABLE_TOLD in pattern and not pattern.startswith("^https"):
        problem = "holds a line break, another control character, a tag, or one that turns the direction of text"
        return problem, "write it on one line, without such characters"
    form = FORMS.get(pattern.replace(r"\\", "\\"), "it in the form of its pattern in the reference")
    return "does not have the required form", f"send {form}"


def _wrong_length(kind: str, sign: str, bound: str) -> tuple[str, str]:
    unit = "entries" if kind == "array" else "characters"
    if sign == "<=":
        return f"has more than {bound} {unit}", f"send at most {bound}"
    return ("is empty" if bound == "1" else f"has fewer than {bound} {unit}"), f"send at least {bound}"


def _out_of_bounds(sign: str, bound: str) -> tuple[str, str]:
    return {
        ">=": (f"is less than {bound}", f"send {bound} or more"),
        "<=": (f"is more than {bound}", f"send {bound} or less"),
        ">": (f"is not more than {bound}", f"send more than {bound}"),
        "<": (f"is not less than {bound}", f"send less than {bound}"),
    }[sign]


def _wrong_kind(expected: str, got: str) -> tuple[str, str]:
    wanted = " or ".join(dict.fromkeys(KINDS.get(word.strip(), word.strip()) for word in expected.split("|")))
    return f"is {KINDS.get(got, got)}, not {wanted}", f"send {wanted}"


WORDS: Sequence[tuple[re.Pattern[str], Callable[..., tuple[str, str]]]] = (
    (re.compile(r"matching regex '(.*)'"), _wrong_form),
    (re.compile(r"Expected `(\w+)(?: \| null)?` of length (>=|<=) (\d+)"), _wrong_length),
    (re.compile(r"Expected `\w+(?: \| null)?` (>=|<=|>|<) (-?[\d.]+)"), _out_of_bounds),
    (re.compile(r"Expected `([\w |]+)`, got `(\w+)`"), _wrong_kind),
    (UNKNOWN, lambda _: ("is not a field here", "leave it out, or correct its name")),
    (MISSING, lambda _: ("is missing", "send it")),
    (re.compile(r"Input data was truncated"), lambda: ("ends early", "send it whole")),
)
"""msgspec's messages, each with the function that words it."""
