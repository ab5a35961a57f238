"""Keyed items as they travel from the generator to scoring: without words, and what is alike is written once.

Thousands of items ask some hundreds of questions with the same key and facets, and differ in their clusters only.
Written out each time, reading the keys of a draw took scoring as long as judging its answers. Both ends remember the
kinds of question that they met: ranges of a draw, and draws of a benchmark, have mostly the same ones.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

import msgspec

from tetrad.contracts.items import KeyedQuestion, Question
from tetrad.internal.draws import KeyedItem, PackedItem, PackedItems, PackedQuestion

NO_CLUSTER = ""
MOST_REMEMBERED = 2048
"""Kinds that either end remembers: a draw of KiVA has 1,200. Of a benchmark whose questions all differ, some MB."""

Parts: TypeAlias = tuple[int, int, int, int]
"""The ids of what a keyed question is made of, but for its cluster."""


class Packer:
    """Packs keyed items. Safe to share between threads."""

    def __init__(self) -> None:
        self._met: dict[Parts, tuple[KeyedQuestion, bytes]] = {}  # with the question: as long as it is here, so are ids

    def pack(self, items: Sequence[KeyedItem]) -> PackedItems:
        """Return the items with every distinct question, but for its words and cluster, once."""
        by_parts: dict[Parts, int] = {}  # of objects that `items` keeps
        by_text: dict[bytes, int] = {}

        def packed(keyed: KeyedQuestion) -> PackedQuestion:
            parts = (id(keyed.question), id(keyed.key), id(keyed.facets), id(keyed.option_values))
            number = by_parts.get(parts)
            if number is None:
                number = by_parts[parts] = by_text.setdefault(self._text(parts, keyed), len(by_text))
            return PackedQuestion(kind=number, cluster=keyed.cluster)

        rows = [PackedItem(item=one.item, questions=list(map(packed, one.questions))) for one in items]
        return PackedItems(kinds=list(map(msgspec.Raw, by_text)), items=rows)

    def _text(self, parts: Parts, keyed: KeyedQuestion) -> bytes:
        met = self._met.get(parts)
        if met is None:
            if len(self._met) >= MOST_REMEMBERED:
                self._met.clear()
            text = msgspec.json.encode(msgspec.structs.replace(without_words(keyed), cluster=NO_CLUSTER))
            met = self._met[parts] = keyed, text
        return met[1]


def unpacked(held: PackedItems) -> list[KeyedItem]:
    """Return the items as they were packed, without words; questions that are alike share key, facets and meanings.

    Raises:
        IndexError: an item names a question that is not there.
        msgspec.DecodeError: something there is no question.
    """
    kinds = [_kind(bytes(one)) for one in held.kinds]
    return [
        KeyedItem(item=one.item, questions=[_with_cluster(kinds[asked.kind], asked) for asked in one.questions])
        for one in held.items
    ]


@lru_cache(maxsize=MOST_REMEMBERED)
def _kind(text: bytes) -> KeyedQuestion:
    return msgspec.json.decode(text, type=KeyedQuestion)


def without_words(keyed: KeyedQuestion) -> KeyedQuestion:
    """Return the keyed question with only what scoring needs: a tenth of the bytes."""
    asked = keyed.question
    bare = Question(id=asked.id, kind=asked.kind, text="", shape=asked.shape, final=asked.final)
    return msgspec.structs.replace(keyed, question=bare)


def _with_cluster(kind: KeyedQuestion, asked: PackedQuestion) -> KeyedQuestion:
    return KeyedQuestion(
        question=kind.question,
        key=kind.key,
        facets=kind.facets,
        cluster=asked.cluster,
        option_values=kind.option_values,
    )
