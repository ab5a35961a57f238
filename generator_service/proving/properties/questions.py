"""The questions of a sample that properties look at, and how many; what a key stands for."""

from collections.abc import Iterable, Iterator, Mapping

from generator_service.items import Item
from generator_service.proving.samples import Sample
from tetrad.contracts.items import Choice, ChoiceKey, KeyedQuestion

FALSE_ALARM = 1e-7
LOOKED_AT = 30  # items that are checked in every detail


def list_questions(sample: Sample, name: str, items: int) -> Iterator[tuple[int, Item, KeyedQuestion]]:
    """Yield the questions of those kinds that are not exempt from the property."""
    exempt = sample.mounted.benchmark.exempt
    return (asked for asked in sample.questions(items) if f"{name}/{asked[2].question.kind}" not in exempt)


def name_pictures(questions: Iterable[KeyedQuestion]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(picture.name for keyed in questions for picture in keyed.question.pictures))


def list_answers(keyed: KeyedQuestion) -> tuple[str, ...]:
    shape = keyed.question.shape
    return shape.labels if isinstance(shape, Choice) else (keyed.key.label, "0", "7")


def find_outcomes(keyed: KeyedQuestion) -> Mapping[str, str]:
    return keyed.key.outcomes if isinstance(keyed.key, ChoiceKey) else {}
