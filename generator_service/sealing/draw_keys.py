"""The keys of a whole draw: once it is closed, or where its seed is public."""

from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType

from generator_service.benchmark import ExtractedAnswers
from generator_service.draws import Draw
from generator_service.items import NeverOpenedError, make_item, select_asked
from generator_service.mounting import Mounted
from tetrad.contracts.answers import SealedAnswer
from tetrad.internal.draws import KeyedItem
from tetrad.server.garbage_collection import collector_paused

NONE_GATED: ExtractedAnswers = {}


def keyed_items(
    mounted: Mounted,
    draw: Draw,
    items: range,
    answers: Collection[SealedAnswer],
    gated: Mapping[int, ExtractedAnswers] = MappingProxyType({}),
) -> list[KeyedItem]:
    """Return, for each of these items of a closed draw, the questions asked given the answers, with their keys.

    Raises:
        NeverOpenedError: an answer is to a question that the others do not open, or to an item that is not listed.
    """
    by_item: dict[int, list[SealedAnswer]] = {}
    for answer in answers:
        by_item.setdefault(answer.item, []).append(answer)
    check_items(items, by_item)
    with collector_paused():
        return [
            _keyed_item(mounted, draw, index, by_item.get(index, []), gated.get(index, NONE_GATED)) for index in items
        ]


def check_items(items: range, answered: Iterable[int]) -> None:
    """Check that all items with answers are among these items.

    Raises:
        NeverOpenedError: some are not.
    """
    if beyond := set(answered).difference(items):
        raise NeverOpenedError([f"item {index}" for index in sorted(beyond)])


def _keyed_item(
    mounted: Mounted, draw: Draw, index: int, answers: list[SealedAnswer], gated: ExtractedAnswers
) -> KeyedItem:
    questions = select_asked(mounted, make_item(mounted, draw, index), answers, gated=gated, closed=True)
    return KeyedItem(item=index, questions=list(questions))
