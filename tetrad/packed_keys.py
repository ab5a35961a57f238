"""Keyed items as they travel from the generator to scoring: without words, and what is alike is written once.

Thousands of items ask some hundreds of questions with the same key and facets, and differ in their clusters only.
Written out each time, reading the keys of a draw took scoring as long as judging its answers.
"""

from collections.abc import Sequence

import msgspec

from tetrad.contracts.draws import KeyedItem, PackedItem, PackedItems, PackedQuestion
from tetrad.contracts.items import KeyedQuestion, Question

NO_CLUSTER = ""


def packed(items: Sequence[KeyedItem]) -> PackedItems:
    """Return the items with every distinct question, but for its words and cluster, once."""
    by_parts: dict[tuple[int, ...], int] = {}  # ids: of objects that `items` keeps
    by_text: dict[bytes, int] = {}
    kinds: list[KeyedQuestion] = []

    def number_of(keyed: KeyedQuestion) -> int:
        parts = (id(keyed.question), id(keyed.key), id(keyed.facets), id(keyed.meanings))
        if parts not in by_parts:
            kind = msgspec.structs.replace(without_words(keyed), cluster=NO_CLUSTER)
            number = by_parts[parts] = by_text.setdefault(msgspec.json.encode(kind), len(kinds))
            if number == len(kinds):
                kinds.append(kind)
        return by_parts[parts]

    rows = [
        PackedItem(
            item=one.item,
            questions=[PackedQuestion(kind=number_of(keyed), cluster=keyed.cluster) for keyed in one.questions],
        )
        for one in items
    ]
    return PackedItems(kinds=kinds, items=rows)


def unpacked(held: PackedItems) -> list[KeyedItem]:
    """Return the items as they were packed, without words; questions that are alike share key, facets and meanings.

    Raises:
        IndexError: an item names a question that is not there.
    """
    return [
        KeyedItem(item=one.item, questions=[_with_cluster(held.kinds[asked.kind], asked) for asked in one.questions])
        for one in held.items
    ]


def without_words(keyed: KeyedQuestion) -> KeyedQuestion:
    """Return the keyed question with only what scoring needs: a tenth of the bytes."""
    asked = keyed.question
    bare = Question(id=asked.id, kind=asked.kind, text="", shape=asked.shape, final=asked.final)
    return msgspec.structs.replace(keyed, question=bare)


def _with_cluster(kind: KeyedQuestion, asked: PackedQuestion) -> KeyedQuestion:
    return KeyedQuestion(
        question=kind.question, key=kind.key, facets=kind.facets, cluster=asked.cluster, meanings=kind.meanings
    )
