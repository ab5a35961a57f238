"""Which questions of sealed items are open: a function of the answers gated on, each written down before it counts.

Whoever holds the api's token may send what was never sealed. So an answer is recorded, for good, before what it opens
is worked out, whatever becomes of the request; and one to a question that is not open is refused in words that are
the same whether it was nearly open or never is.
"""

from collections.abc import Iterable, Mapping

from generator_service.items import Item, read
from generator_service.registry import Mounted
from generator_service.sealing.gated_answers import Gated, Place
from generator_service.sealing.record import Record, RecordConflictError, compare
from tetrad.contracts.answers import SealedAnswer

NOT_OPEN = "an answer is to a question that is not open"


def gate(
    record: Record, submission: str, mounted: Mounted, items: Mapping[int, Item], answers: Iterable[SealedAnswer]
) -> dict[int, tuple[str, ...]]:
    """Gate on these answers to these items, and return what is open or answered of each item then, by its index.

    Answers gated on before count, sent again or not.

    Raises:
        RecordConflictError: an answer differs from the one gated on, its question is not open, or the draw is closed.
            Answers that led up to it stay recorded.
    """
    known = record.gated(submission, items)
    waiting = {(answer.item, answer.question): answer for answer in answers}
    for place, answer in waiting.items():
        compare(known.get(place), answer)
    waiting = {place: answer for place, answer in waiting.items() if place not in known or not known[place].kept}
    extracted = readings_by_item(known)
    opened = {
        index: mounted.benchmark.next_questions(item.scene, extracted.get(index, {})) for index, item in items.items()
    }
    while ready := [answer for (index, question), answer in waiting.items() if question in opened[index]]:
        found = {answer: read(items[answer.item], answer) for answer in ready}
        record.gate(submission, found)
        for answer, reading in found.items():
            extracted.setdefault(answer.item, {})[answer.question] = reading
            del waiting[answer.item, answer.question]
        for index in {answer.item for answer in ready}:
            opened[index] = mounted.benchmark.next_questions(items[index].scene, extracted[index])
    if waiting:
        raise RecordConflictError(NOT_OPEN)
    return opened


def readings_by_item(gated: Mapping[Place, Gated]) -> dict[int, dict[str, str | None]]:
    """Return what was read of each answer gated on, by item and question, where that was kept."""
    found: dict[int, dict[str, str | None]] = {}
    for (index, question), one in gated.items():
        if one.kept:
            found.setdefault(index, {})[question] = one.reading
    return found
