"""Measures a solver that has memorised the practice part of a divided source on the other part.

The scores are a table of the source. The generator puts them on the cards of the benchmarks that draw from it. Boards
whose items come from that source show them as baseline rows.
"""

from collections.abc import Iterator, Sequence

import msgspec

from generator_service.sources.store import Head, SourceStore
from generator_service.sources.tables import find_table, table_name, write_table
from tetrad.contracts.benchmarks import Card, ReferenceRow

TABLE = table_name("by-heart/scores", 1)
NAME = "practice half by heart"


class Memorised(msgspec.Struct, frozen=True, kw_only=True):
    """The score on one track and setting: how many of `asked` questions were right, and the chance level.

    bank: the digest of the sources that the items were drawn from. learned: practice items that it had seen.
    """

    benchmark: str
    version: int
    track: str
    setting: str
    bank: str
    learned: int
    asked: int
    right: int
    chance: float

    @property
    def line(self) -> str:
        return (
            f"{self.benchmark}, {self.track}, {self.setting}: {self.right / self.asked:.1%} of {self.asked} questions "
            f"by heart from {self.learned} practice items; guessing gives {self.chance:.1%}"
        )


def keep_memorised(store: SourceStore, head: Head, scores: Sequence[Memorised]) -> None:
    """Store the scores with their source, in place of earlier ones."""
    with store.lock():
        rows = [(f"{score.benchmark}/{score.version}/{score.track}/{score.setting}", score) for score in scores]
        write_table(store, head.digest, TABLE, rows)


def load_memorised(store: SourceStore, head: Head) -> Iterator[Memorised]:
    """Yield the scores on a source. A source that is not divided has none, and they may not be made yet."""
    table = None if head.practice_permille is None else find_table(store, head.digest, TABLE)
    if table is not None:
        yield from (msgspec.convert(row, type=Memorised) for _, row in table.rows())


def baseline_rows(store: SourceStore, heads: Sequence[Head], card: Card) -> Iterator[ReferenceRow]:
    """Yield the baseline rows of these sources for the boards of a card."""
    for head in heads:
        for score in load_memorised(store, head):
            if (score.benchmark, score.version) == (card.name, card.version):
                yield ReferenceRow(
                    name=NAME,
                    kind="baseline",
                    metric=card.metric_of(score.setting),
                    value=score.right / score.asked,
                    items=score.asked,
                    source=f"{head.title}; guessing gives {score.chance:.0%}",
                    pictures="of this source",
                    prompt="none",
                    where={"track": (score.track,), "setting": (score.setting,)},
                    parameters={
                        parameter.name: parameter.default_on(score.track)
                        for parameter in card.parameters
                        if parameter.ranked
                    },
                    bank=score.bank,
                )
