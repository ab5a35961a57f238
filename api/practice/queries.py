"""Reads the query of a list of practice items: our own names, the card's parameters, the card's filters."""

import re
import secrets
from collections.abc import Sequence
from typing import Any, get_args

import msgspec

from api.boards.source_names import SOURCE, split_sources
from api.errors import InvalidInputError
from api.inputs import check_names
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.rows import RowForm, RowPictures
from tetrad.internal.practice import PracticeRequest, RowsWanted

OWN = ("track", "setting", "seed", "offset", "limit", "version")
SEED_DIGEST = re.compile(r"[0-9a-f]{64}")
SEED_INTEGER = re.compile(r"0|[1-9][0-9]{0,15}")
LARGEST_SEED = 2**53 - 1
LARGEST_OFFSET = 2**53 - 1
MOST_ITEMS = 100
ROW_NAMES = ("form", "pictures", "answers", "questions")
"""The names of a query for rows beside those of practice items."""


def practice_request(
    card: Card,
    query: Sequence[tuple[str, str]],
    allowed: Sequence[str] = (),
    *,
    beside: Sequence[str] = (),
    most: int = MOST_ITEMS,
) -> PracticeRequest:
    """Return the request to the generator, which checks sources and values of parameters and filters.

    A name that is a parameter and a filter means the parameter. `allowed` is what the caller may draw from beside
    public sources. `beside` are the names that a route has for itself; `most` is the largest limit there.

    Raises:
        InvalidInputError: for unknown and repeated names, all of them, or a value out of its bounds.
    """
    sources, query = split_sources(query)
    parameters = [parameter.name for parameter in card.parameters if parameter.name not in beside]
    filters = {name: values for name, values in card.filters.items() if name not in {*parameters, *beside}}
    check_names(query, (*OWN, *beside, SOURCE, *parameters, *filters))
    given = dict(query)
    track, setting = card.place(given.get("track"), given.get("setting"))
    return PracticeRequest(
        benchmark=card.name,
        version=card.version,
        track=track,
        setting=setting,
        parameters={name: given[name] for name in parameters if name in given},
        seed=check_seed(given.get("seed")),
        offset=whole("offset", given.get("offset", "0"), 0, LARGEST_OFFSET),
        limit=whole("limit", given.get("limit", "10"), 1, most),
        sources=sources,
        allowed=list(allowed),
        filters={name: with_plus(given[name], values) for name, values in filters.items() if name in given},
    )


def rows_wanted(query: Sequence[tuple[str, str]], address: str) -> RowsWanted:
    """Return how rows are to be made: the names of a query that `ROW_NAMES` lists.

    Raises:
        InvalidInputError: a value is none of those that the name has.
    """
    given = dict(query)

    def one_of(name: str, values: Sequence[str], default: str) -> Any:
        value = given.get(name, default)
        if value not in values:
            raise InvalidInputError.at(name, value, f"is no {name} of rows", f"use {', '.join(values)}")
        return value

    wanted = RowsWanted(
        form=one_of("form", get_args(RowForm), "rows"),
        pictures=one_of("pictures", get_args(RowPictures), "inline"),
        answers=one_of("answers", ("no", "yes"), "no") == "yes",
        every=one_of("questions", ("open", "all"), "open") == "all",
        address=address,
    )
    if wanted.pictures == "none" and wanted.form != "rows":
        remedy = "use pictures=inline or pictures=url, or form=rows"
        raise InvalidInputError.at("pictures", "none", f"leaves out what form={wanted.form} shows", remedy)
    return wanted


def with_plus(text: str, values: Sequence[str]) -> str:
    """Return the value with its plus: `+90` in an address arrives as ` 90`, because a plus encodes a space there."""
    meant = text.replace(" ", "+")
    return meant if text not in values and meant in values else text


def check_seed(text: str | None) -> str:
    """Return the seed, or a random one where none is given.

    Raises:
        InvalidInputError: it is neither an integer below 2^53 nor 64 lowercase hex digits.
    """
    if text is None:
        return str(secrets.randbelow(LARGEST_SEED + 1))
    if SEED_DIGEST.fullmatch(text) or (SEED_INTEGER.fullmatch(text) and int(text) <= LARGEST_SEED):
        return text
    remedy = "use an integer from 0 to 2^53-1 (no sign, no leading zeros) or 64 lowercase hex digits"
    raise InvalidInputError.at("seed", text, "is no seed", remedy)


def whole(field: str, text: str, low: int, high: int) -> int:
    """Return a whole number of a query.

    Raises:
        InvalidInputError: it is none, or out of bounds.
    """
    try:
        number = msgspec.convert(text, int, strict=False)
    except msgspec.ValidationError:
        number = low - 1
    if not low <= number <= high:
        raise InvalidInputError.at(field, text, "is out of bounds", f"use a whole number from {low} to {high}")
    return number


def version_of(query: Sequence[tuple[str, str]]) -> int | None:
    """Return the version of the benchmark that the query names, if it names one."""
    given = dict(query).get("version")
    return None if given is None else whole("version", given, 1, 2**31 - 1)
