"""Remove sources. It is refused while a draw or a report needs one."""

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import msgspec

from generator_service.benchmark import Benchmark
from generator_service.finding import find_benchmarks
from generator_service.sealing.record import CLOSING, draws_of
from generator_service.sources.parts import part_digest
from generator_service.sources.serving import ServedSources
from generator_service.sources.store import Head, SourceError, SourceMissingError, SourceStore
from tetrad.internal.source_digests import combine_digests


def remove_source(
    store: SourceStore,
    kind: str,
    name: str,
    *,
    record: str | None,
    retire: bool = False,
    with_reports: bool = False,
    folders: Sequence[Path] = (),
) -> list[Head]:
    """Remove every source of this name. With `retire`, only stop offering it to new draws.

    Raises:
        SourceMissingError: there is none.
        SourceError: open draws need it, or reports do and `with_reports` does not give them up.
    """
    heads = [head for head in store.heads(kind) if head.name == name]
    if not heads:
        known = ", ".join(head.title for head in store.heads()) or "none"
        raise SourceMissingError(f"there is no source {kind}:{name} in the store; there are: {known}")
    with store.lock():
        if retire:
            changed = [msgspec.structs.replace(head, retired=True) for head in heads]
            for head in changed:
                store.replace_head(head)
            return changed
        if any(head.recipe for head in heads):
            raise SourceError(
                f"{kind}:{name} can't be removed: it is drawn by our own code, and the next start would make it again"
            )
        digests = {digest for head in heads for digest in digests_with(store, head, folders)}
        opened, revealed = draws_of(record, digests)
        if opened:
            raise SourceError(f"{opened} open draws need {kind}:{name}; {CLOSING}")
        if revealed and not with_reports:
            raise SourceError(
                f"{revealed} reports can be verified and scored again only with {kind}:{name}; keep it for them and "
                "offer it no longer (--retire), or give them up (--with-reports)"
            )
        store.remove(heads)
        return heads


def digests_with(store: SourceStore, head: Head, folders: Sequence[Path] = ()) -> set[str]:
    """Return every digest that stands in the identities of draws from this source, alone or with others."""
    found = {head.digest, *(part_digest(head.digest, part, head.practice_permille) for part in ("practice", "sealed"))}
    sources = ServedSources(store)
    for benchmark in find_benchmarks(folders):
        found |= set(_combinations(sources, benchmark, head))
    return found


def _combinations(sources: ServedSources, benchmark: Benchmark, head: Head) -> Iterator[str]:
    for kinds in {benchmark.kinds_of(track.name) for track in benchmark.card.tracks}:
        if head.kind in kinds:
            for heads in product(*([head] if kind == head.kind else sources.store.heads(kind) for kind in kinds)):
                for part in (None, "practice", "sealed"):
                    try:
                        yield combine_digests(
                            {
                                head.kind: sources.digest(head, part, benchmark.tables.get(head.kind, ()))
                                for head in heads
                            }
                        )
                    except SourceMissingError:
                        continue  # a table that no draw can have used
