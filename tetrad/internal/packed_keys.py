"""Pack keyed items for the way from the generator to scoring: with few words, and equal questions only once.

Thousands of items ask a few hundred different questions, with keys and facets, and differ only in their clusters.
Written out each time, they are twice as long, and scoring takes twice as long to read the keys and judge by them.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

import msgspec

from tetrad.contracts.items import KeyedQuestion, Question
from tetrad.extraction.question_words import needed_words, with_needed_words
from tetrad.internal.draws import KeyedItem, PackedItem, PackedItems, PackedQuestion, QuestionKind

MOST_REMEMBERED = 2048
"""Kinds that scoring remembers: a draw of KiVA has 1,200. Of a benchmark whose questions all differ, some MB."""

_encode = msgspec.json.Encoder().encode


def pack_items(items: Iterable[KeyedItem]) -> PackedItems:
    """Return the items with every distinct question once, without its cluster and the words that scoring needs not."""
    numbers: dict[bytes, int] = {}
    # Benchmarks give many items the same objects. Those are told by their ids, which stay theirs while they are kept.
    met: dict[tuple[int, int, int, int], tuple[int, KeyedQuestion]] = {}

    def number_kind(keyed: KeyedQuestion) -> int:
        same = id(keyed.question), id(keyed.key), id(keyed.facets), id(keyed.option_values)
        if same not in met:
            met[same] = numbers.setdefault(_encode_kind(keyed), len(numbers)), keyed
        return met[same][0]

    def pack(keyed: KeyedQuestion) -> PackedQuestion:
        return PackedQuestion(kind=number_kind(keyed), cluster=keyed.cluster)

    rows = [PackedItem(item=item.item, questions=list(map(pack, item.questions))) for item in items]
    return PackedItems(kinds=list(map(msgspec.Raw, numbers)), items=rows)


def _encode_kind(keyed: KeyedQuestion) -> bytes:
    """Return the QuestionKind as JSON. It is encoded as a tuple, which is made in half the time."""
    asked, words = keyed.question, needed_words(keyed.question)
    return _encode(
        (asked.id, asked.kind, asked.shape, asked.final, keyed.key, keyed.facets, keyed.option_values, *words)
    )


def unpack_items(held: PackedItems) -> list[KeyedItem]:
    """Return the items that were packed, with the words that scoring needs.

    Equal questions share key, facets and option values.

    Raises:
        IndexError: an item refers to a question that is missing.
        msgspec.DecodeError: one of the kinds is not a question.
    """
    kinds = [_kind(bytes(kind)) for kind in held.kinds]
    return [
        KeyedItem(item=item.item, questions=[_with_cluster(kinds[asked.kind], asked) for asked in item.questions])
        for item in held.items
    ]


@lru_cache(maxsize=MOST_REMEMBERED)  # ranges of a draw, and draws of a benchmark, have mostly the same kinds
def _kind(text: bytes) -> KeyedQuestion:
    kind = msgspec.json.decode(text, type=QuestionKind)
    asked = Question(id=kind.id, kind=kind.kind, text="", shape=kind.shape, final=kind.final)
    return KeyedQuestion(
        question=with_needed_words(asked, kind.texts, kind.captions),
        key=kind.key,
        facets=kind.facets,
        cluster="",
        option_values=kind.option_values,
    )


def _with_cluster(kind: KeyedQuestion, asked: PackedQuestion) -> KeyedQuestion:
    return KeyedQuestion(
        question=kind.question,
        key=kind.key,
        facets=kind.facets,
        cluster=asked.cluster,
        option_values=kind.option_values,
    )


def without_other_words(keyed: Sequence[KeyedQuestion]) -> list[KeyedQuestion]:
    """Return the keyed questions with only what scoring needs: a fraction of the bytes."""
    return [
        msgspec.structs.replace(
            keyed_question, question=with_needed_words(keyed_question.question, *needed_words(keyed_question.question))
        )
        for keyed_question in keyed
    ]
