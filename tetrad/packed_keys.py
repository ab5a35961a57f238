"""Keyed items as they travel from the generator to scoring: what several questions have alike is written once.

Thousands of items ask some hundreds of questions with the same key and facets, and differ in their clusters only.
Written out each time, reading the keys of a draw took scoring as long as judging its answers.
"""

from collections.abc import Iterable

import msgspec

from tetrad.contracts.draws import KeyedItem, PackedItem, PackedItems, PackedQuestion
from tetrad.contracts.items import KeyedQuestion

NO_CLUSTER = ""


def packed(items: Iterable[KeyedItem]) -> PackedItems:
    """Return the items with every distinct question, but for its cluster, once."""
    numbers: dict[bytes, int] = {}
    kinds: list[KeyedQuestion] = []

    def number_of(keyed: KeyedQuestion) -> int:
        kind = msgspec.structs.replace(keyed, cluster=NO_CLUSTER)
        number = numbers.setdefault(_encoder.encode(kind), len(kinds))
        if number == len(kinds):
            kinds.append(kind)
        return number

    rows = [
        PackedItem(
            item=one.item,
            questions=[PackedQuestion(kind=number_of(keyed), cluster=keyed.cluster) for keyed in one.questions],
        )
        for one in items
    ]
    return PackedItems(kinds=kinds, items=rows)


def unpacked(held: PackedItems) -> list[KeyedItem]:
    """Return the items as they were packed; questions that are alike share key, facets and meanings.

    Raises:
        IndexError: an item names a question that is not there.
    """
    return [
        KeyedItem(item=one.item, questions=[_with_cluster(held.kinds[asked.kind], asked) for asked in one.questions])
        for one in held.items
    ]


def _with_cluster(kind: KeyedQuestion, asked: PackedQuestion) -> KeyedQuestion:
    return KeyedQuestion(
        question=kind.question, key=kind.key, facets=kind.facets, cluster=asked.cluster, meanings=kind.meanings
    )


_encoder = msgspec.json.Encoder()
