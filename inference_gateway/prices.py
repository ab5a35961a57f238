"""Published prices of models, as of the day that prices.toml was written. They apply to entries without a price.

A price is found by the host of the entry's address and the upstream's exact name. Another name, a variant of a model
say, has no price here: its operator gives one.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

FILE = Path(__file__).with_name("prices.toml")


class _Line(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    input: float
    output: float
    cached_input: float | None = None


class _PriceFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    source: str
    date: str
    hosts: dict[str, dict[str, _Line]]


@dataclass(frozen=True, kw_only=True)
class KnownPrice:
    """US dollars for a million tokens, with source and date."""

    input: float
    output: float
    cached_input: float | None
    source: str
    date: str


def known_price(address: str, upstream: str) -> KnownPrice | None:
    """Return the published price of the model of this name at an address; None if it is unknown."""
    hosts = _read().hosts
    found: Mapping[str, _Line] = hosts.get(urlsplit(address).hostname or "", {})
    line = found.get(upstream)
    if line is None:
        return None
    prices = _read()
    return KnownPrice(
        input=line.input, output=line.output, cached_input=line.cached_input, source=prices.source, date=prices.date
    )


@cache
def _read() -> _PriceFile:
    return msgspec.convert(tomllib.loads(FILE.read_text("utf-8")), _PriceFile)
