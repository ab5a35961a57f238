"""Packed keys come out as they went in, and what is alike travels once."""

import msgspec
import pytest

from tetrad.contracts.items import Choice, ChoiceKey, KeyedQuestion, Question
from tetrad.internal import packed_keys
from tetrad.internal.draws import KeyedItem, PackedItems, QuestionKind
from tetrad.internal.packed_keys import pack_items, unpack_items


def keyed(name: str, label: str = "A", cluster: str = "one", **more: dict[str, str]) -> KeyedQuestion:
    question = Question(id=name, kind=name, text="", shape=Choice(labels=("A", "B")))
    return KeyedQuestion(
        question=question, key=ChoiceKey(label=label), cluster=cluster, **({"facets": {"stage": name}} | more)
    )


def travelled(items: list[KeyedItem]) -> PackedItems:
    return msgspec.json.decode(msgspec.json.encode(pack_items(items)), type=PackedItems)


def test_items_come_out_as_they_went_in() -> None:
    items = [
        KeyedItem(item=3, questions=[keyed("what"), keyed("how", "B")]),
        KeyedItem(item=4, questions=[]),
        KeyedItem(item=9, questions=[keyed("what", cluster="two"), keyed("how", "B", "three")]),
    ]
    held = travelled(items)
    assert unpack_items(held) == items
    kinds = [msgspec.json.decode(kind, type=QuestionKind) for kind in held.kinds]
    assert [kind.id for kind in kinds] == ["what", "how"]


@pytest.mark.parametrize(
    "other", [keyed("how"), keyed("what", "B"), keyed("what", facets={}), keyed("what", option_values={"A": "red"})]
)
def test_what_differs_in_anything_but_its_cluster_stays_apart(other: KeyedQuestion) -> None:
    items = [KeyedItem(item=0, questions=[keyed("what"), other])]
    held = travelled(items)
    assert len(held.kinds) == 2
    assert unpack_items(held) == items


def test_items_that_are_made_while_they_are_packed_stay_apart() -> None:
    """Each is gone when the next is made, which may then lie where it lay."""

    base = keyed("what")

    def make(at: int) -> KeyedItem:
        return KeyedItem(item=at, questions=[msgspec.structs.replace(base, option_values={"A": str(at)})])

    packed = pack_items(make(at) for at in range(500))
    assert unpack_items(packed) == [make(at) for at in range(500)]


def test_items_come_out_the_same_whatever_came_before() -> None:
    """Of more kinds than are remembered, the first come again."""
    for at in (*range(packed_keys.MOST_REMEMBERED + 1), 0, 1):
        items = [KeyedItem(item=0, questions=[keyed("what", facets={"at": str(at)}), keyed("how", "B")])]
        assert unpack_items(travelled(items)) == items


def test_questions_that_are_alike_share_their_facets_also_between_ranges() -> None:
    """So that scoring looks at them once."""
    first, second = unpack_items(travelled([KeyedItem(item=at, questions=[keyed("what")]) for at in range(2)]))
    [later] = unpack_items(travelled([KeyedItem(item=2, questions=[keyed("how"), keyed("what")])]))
    assert first.questions[0].facets is second.questions[0].facets is later.questions[1].facets


def test_a_question_that_is_not_there_is_an_error_and_a_place_before_the_first_is_no_place() -> None:
    held = travelled([KeyedItem(item=0, questions=[keyed("what")])])
    with pytest.raises(IndexError):
        unpack_items(msgspec.structs.replace(held, kinds=[]))
    with pytest.raises(msgspec.ValidationError, match=">= 0"):
        msgspec.json.decode(b'{"kinds": [], "items": [[0, [[-1, "one"]]]]}', type=PackedItems)


def test_what_is_no_question_is_an_error() -> None:
    held = msgspec.json.decode(b'{"kinds": [{"question": 1}], "items": []}', type=PackedItems)
    with pytest.raises(msgspec.DecodeError):
        unpack_items(held)
