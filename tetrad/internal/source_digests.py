"""Compute the digest that stands for a draw's sources in its identity."""

from collections.abc import Mapping
from itertools import product

from tetrad.canonical import hexdigest
from tetrad.contracts.benchmarks import BenchmarkInfo

NO_SOURCE = "none"
"""The digest of a draw from no source."""


def combine_digests(digests: Mapping[str, str]) -> str:
    """Return the digest of a draw from sources of these kinds. A single source's is its own."""
    if len(digests) > 1:
        return hexdigest("tetrad/sources/1", dict(digests))
    return next(iter(digests.values()), NO_SOURCE)


def can_draw(info: BenchmarkInfo, bank: str) -> bool:
    """Tell whether an instance's benchmark can draw from the sources of this digest: the default ones, or others."""
    if bank in {info.bank, *info.banks.values()}:
        return True
    for track in info.card.tracks:
        of_kind: dict[str, dict[str, str]] = {}
        for source in info.sources:
            if track.name in source.tracks:
                of_kind.setdefault(source.kind, {})[source.title] = source.digest
        for digests in product(*(found.values() for found in of_kind.values())):
            if combine_digests(dict(zip(of_kind, digests, strict=True))) == bank:
                return True
    return False
