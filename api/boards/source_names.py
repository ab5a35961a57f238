"""The sources that a query names: `source=KIND:NAME`, repeated or joined by commas."""

import re
from collections.abc import Sequence

from api.errors import InvalidInputError
from tetrad.contracts.benchmarks import BenchmarkInfo, SourceInfo
from tetrad.internal.source_digests import combine_digests

SOURCE = "source"
MOST = 8
DIGEST = re.compile(r"[0-9a-f]{64}")


def split_sources(query: Sequence[tuple[str, str]]) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the sources that a query names, and the rest of the query.

    Raises:
        InvalidInputError: it names more than a draw can have.
    """
    named = [source for name, value in query if name == SOURCE for source in value.split(",") if source]
    if len(named) > MOST:
        raise InvalidInputError.at(SOURCE, len(named), "is more sources than a draw has", f"name at most {MOST}")
    return named, [(name, value) for name, value in query if name != SOURCE]


def sources_digest(info: BenchmarkInfo, track: str, named: Sequence[str]) -> str:
    """Return what stands in identities of draws from the sources named, the defaults for the others.

    A digest instead of a name is used as it is, so that boards of sources that are no longer served stay readable.

    Raises: InvalidInputError: the track draws from no source of this name, or two sources have one kind.
    """
    if not named:
        return info.bank_of(track)
    if len(named) == 1 and DIGEST.fullmatch(named[0]):
        return named[0]
    here = [source for source in info.sources if track in source.tracks]
    chosen: dict[str, SourceInfo] = {source.kind: source for source in here if source.default}
    taken: set[str] = set()
    for name in named:
        found = next((source for source in here if source.title == name), None)
        if found is None:
            known = ", ".join(source.title for source in here)
            remedy = f"use one of {known}" if known else "leave it out"
            raise InvalidInputError.at(
                SOURCE, name, f"{info.card.name} draws from no such source on track {track}", remedy
            )
        if found.kind in taken:
            raise InvalidInputError.at(
                SOURCE, name, f"is a second source of the kind {found.kind}", "name one of a kind"
            )
        taken.add(found.kind)
        chosen[found.kind] = found
    return combine_digests({kind: source.digest for kind, source in chosen.items()})
