"""The licences of what a track draws: exactly its own sources, and our words and drawings."""

from collections.abc import Sequence

import msgspec

from tetrad.contracts.benchmarks import BenchmarkInfo, SourceInfo


class Licence(msgspec.Struct, frozen=True, kw_only=True):
    """The licence of one source, as `licences.json` has it."""

    source: str
    spdx: str
    credit: tuple[str, ...]
    may_train: bool
    may_redistribute: bool


OURS = Licence(
    source="tetrad: words, rules, and pictures drawn without a source",
    spdx="Apache-2.0",
    credit=("The Tetrad authors",),
    may_train=True,
    may_redistribute=True,
)


def licences_of(info: BenchmarkInfo, track: str, named: Sequence[str] = ()) -> tuple[Licence, ...]:
    """Return the licences of a track's items: ours, and that of each source that they are drawn from.

    `named` are the sources that replace the default ones of their kinds.
    """
    chosen = {title.partition(":")[0] for title in named}

    def is_drawn(source: SourceInfo) -> bool:
        if track not in source.tracks:
            return False
        return source.title in named if source.kind in chosen else source.default

    drawn = [
        Licence(
            source=source.title,
            spdx=source.spdx,
            credit=source.credits,
            may_train=source.may_train,
            may_redistribute=source.may_redistribute,
        )
        for source in info.sources
        if is_drawn(source)
    ]
    return (OURS, *drawn)


def joint_spdx(licences: Sequence[Licence]) -> str:
    """Return the licence of all together, as an SPDX expression."""
    return " AND ".join(dict.fromkeys(part for licence in licences for part in licence.spdx.split(" AND ")))
