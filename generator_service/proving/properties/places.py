"""The places of keys: uniform over places, whatever the key before was, and whatever option stands beside it.

Each test gives a false alarm in one of ten million runs (`FALSE_ALARM`). At 1,000 items, a key that always stands
first, or always right after some other option, is caught with certainty. With four places, a place that holds the key
in 40% of the items is missed once in a million. One that holds it in a third of them is caught in six of ten cases.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import msgspec
from scipy.stats import chisquare

from generator_service.items import Item
from generator_service.proving.properties.questions import FALSE_ALARM, list_questions
from generator_service.proving.samples import Sample
from tetrad.contracts.items import Choice, KeyedQuestion

LEAST = 40  # keys: fewer tell nothing about their places


@dataclass(frozen=True)
class Placed:
    """One choice: what its labels stand for, in order, and the place of the key."""

    labels: tuple[str, ...]
    values: tuple[str, ...]
    place: int


def check_places(sample: Sample) -> Iterator[str]:
    """The key is uniform over drawn places, whatever the key before was, and whatever option stands beside it."""
    groups: dict[tuple[str, tuple[str, ...]], list[Placed]] = defaultdict(list)
    for _, item, keyed in list_questions(sample, "places", len(sample.items)):
        question = keyed.question
        if isinstance(question.shape, Choice):
            labels = question.shape.labels
            groups[question.kind, labels].append(
                Placed(labels, _values(sample, item, keyed), labels.index(keyed.key.label))
            )
    for (kind, _), choices in groups.items():
        yield from (f"{kind}: {problem}" for problem in find_unevenness(choices))


def _values(sample: Sample, item: Item, keyed: KeyedQuestion) -> tuple[str, ...]:
    """Return a value for each option: its option value, its words, the contents of its picture, or its label."""
    found = []
    for option in keyed.question.options:
        value = keyed.option_values.get(option.label, option.text)
        if value is None and option.picture is not None:
            held = sample.mounted.benchmark.holds(item.scene, option.picture)
            value = msgspec.json.encode(held, order="deterministic").decode()
        found.append(option.label if value is None else value)
    return tuple(found)


def find_unevenness(choices: Sequence[Placed]) -> Iterator[str]:
    """Yield how the keys of these choices, in the order of their items, prefer some places to others."""
    changing = _changing_places(choices)
    drawn = changing or list(range(len(choices[0].values)))
    held = [choice for choice in choices if choice.place in drawn]
    if len(held) < LEAST:
        return
    places = [drawn.index(choice.place) for choice in held]
    labels = [held[0].labels[place] for place in drawn]
    size = len(drawn)
    yield from _find_skew("the key stands at", labels, Counter(places))
    steps = Counter((after - before) % size for before, after in pairwise(places))
    yield from _find_skew("from the key before to this key it is", [f"{step} places on" for step in range(size)], steps)
    if changing and size > 2:  # noqa: PLR2004 - beside one other option there is one place
        different = (choice for choice in held if len({*choice.values}) == len(choice.values))
        beside = Counter(_step_to_first(choice, drawn) - 1 for choice in different)
        words = [f"{step} places on" for step in range(1, size)]
        yield from _find_skew("from the first wrong option (by its value) to the key it is", words, beside)


def _changing_places(choices: Sequence[Placed]) -> list[int]:
    """Return the places whose options change from item to item: those that the options are shuffled over."""
    return [place for place in range(len(choices[0].values)) if len({choice.values[place] for choice in choices}) > 1]


def _step_to_first(choice: Placed, drawn: list[int]) -> int:
    first = min((place for place in drawn if place != choice.place), key=lambda place: choice.values[place])
    return (drawn.index(choice.place) - drawn.index(first)) % len(drawn)


def _find_skew(what: str, names: Sequence[str], counts: Counter[int]) -> Iterator[str]:
    observed = [counts[place] for place in range(len(names))]
    if any(observed) and chisquare(observed).pvalue < FALSE_ALARM:
        told = ", ".join(f"{name} in {count}" for name, count in zip(names, observed, strict=True))
        yield f"{what} {told} of {sum(observed)} items: shuffle the options by a stream of their own"
