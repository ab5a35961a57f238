"""Questions for blind solvers to guess, drawn as the service draws them, and views of them with a part hidden."""

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import msgspec

from generator_service.benchmark import Benchmark, View
from generator_service.drawing.png import encode_png
from generator_service.draws import Draw
from generator_service.items import make_item
from generator_service.mounting import Mounted
from generator_service.parameters import is_taken, other_values
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.inference import Message
from tetrad.contracts.items import Choice, KeyedQuestion, Number, Question
from tetrad.contracts.wire import ParameterValue
from tetrad.prompting import Wording, find_strategy

Where = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, kw_only=True)
class Variant:
    """One way to draw that the card declares ceilings for."""

    track: str
    setting: str
    parameters: Mapping[str, ParameterValue]

    def __str__(self) -> str:
        changed = ", ".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"{self.track}, {changed}" if changed else self.track


@dataclass(frozen=True, kw_only=True)
class Case:
    """One question of one item. `previous` is the key of the same question in the item before."""

    scene: Any
    index: int
    keyed: KeyedQuestion
    previous: str

    @property
    def label(self) -> str:
        return self.keyed.key.label

    @property
    def labels(self) -> tuple[str, ...]:
        return labels_of(self.keyed.question)

    def matches(self, where: Where) -> bool:
        facets = self.keyed.facets
        return all(facets.get(name) in values for name, values in where.items())

    def tokens(self) -> tuple[Hashable, ...]:
        """Return a value for each option: its option value, its words, or its label."""
        texts = (option.text or option.label for option in self.keyed.question.options)
        return tuple(self.keyed.option_values.get(label, text) for label, text in zip(self.labels, texts, strict=True))

    def texts(self) -> tuple[Hashable, ...]:
        return tuple(option.text or option.label for option in self.keyed.question.options)


def labels_of(question: Question) -> tuple[str, ...]:
    """Return the labels to choose from; none for a question that is not a choice."""
    return question.shape.labels if isinstance(question.shape, Choice) else ()


def variants_of(card: Card) -> list[Variant]:
    """Return the variants of each track, in its first setting: under the defaults, or as its ceilings name parameters.

    A set of parameters that contains another named set is left to `reached_from`.
    """
    found = []
    for track in card.tracks:
        named: list[dict[str, ParameterValue]] = []
        for ceiling in card.ceilings:
            if ceiling.track in {None, track.name} and ceiling.parameters and ceiling.parameters not in named:
                named.append(ceiling.parameters)
        least = [parameters for parameters in named if not any(other.items() < parameters.items() for other in named)]
        found += [
            Variant(track=track.name, setting=track.settings[0], parameters=parameters) for parameters in least or [{}]
        ]
    return found


def reached_from(card: Card, variant: Variant) -> Iterator[Variant]:
    """Yield the variant with every other value of every parameter, of a range only the ends; ceilings need not name it.

    Each is in the first setting of the track that takes it. A ceiling that does not hold everywhere fails in one.
    """
    settings = next(track.settings for track in card.tracks if track.name == variant.track)
    for parameter in card.parameters:
        if parameter.name in variant.parameters:
            continue
        for value in other_values(parameter, variant.track):
            given = {**variant.parameters, parameter.name: value}
            taken = (setting for setting in settings if is_taken(card, variant.track, setting, given))
            for setting in islice(taken, 1):
                yield Variant(track=variant.track, setting=setting, parameters=given)


def draw_of(mounted: Mounted, variant: Variant, seed: str) -> Draw:
    return Draw(mounted.benchmark, mounted.identity(variant.track, variant.setting, variant.parameters), seed)


def cases_of(mounted: Mounted, draw: Draw, places: range) -> Iterator[Case]:
    """Make the items at these places of a draw and yield their questions but for numbers, which nobody guesses."""
    previous: dict[str, str] = {}
    for index in places:
        item = make_item(mounted, draw, index)
        for keyed in item.questions:
            if isinstance(keyed.question.shape, Number):
                continue
            name = keyed.question.id
            yield Case(scene=item.scene, index=index, keyed=keyed, previous=previous.get(name, ""))
            previous[name] = keyed.key.label


def view_of(benchmark: Benchmark, scene: Any, question: Question, hide: Collection[str] = ()) -> View:
    """Return the view of somebody who is asked the question, without the parts to hide.

    Where none of the question's pictures holds any of them, its words are hidden instead.
    """
    held = {picture.name: msgspec.to_builtins(benchmark.holds(scene, picture.name)) for picture in question.pictures}
    if hide and not any(part in parts for parts in held.values() for part in hide):
        question = msgspec.structs.replace(question, text="")
    pictures = {name: {part: of for part, of in parts.items() if part not in hide} for name, parts in held.items()}
    return View(question=question, pictures={name: parts for name, parts in pictures.items() if parts})


def messages_of(mounted: Mounted, scene: Any, question: Question) -> Sequence[Message]:
    """Return the messages that a model gets, pictures and all: what every solver of whole questions sees."""
    names = {picture.name for picture in question.pictures}
    shown = {name: encode_png(mounted.benchmark.render(mounted.bank, scene, name)) for name in names}
    return find_strategy("direct").messages(question, shown, Wording())


def solve_questions(benchmark: Benchmark, scene: Any) -> dict[str, str | None]:
    """Return what the benchmark's solver answers to every question of a scene, by question."""
    asked = [keyed.question for keyed in benchmark.questions(scene)]
    return {question.id: benchmark.solve(view_of(benchmark, scene, question)) for question in asked}
