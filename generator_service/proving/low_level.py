"""Plain measures of whole pictures (`tetrad.solvers.low_level`), held to the bars that a card declares for them.

They see all that a model sees, so a high score is no leak. But it has to be said: whoever stays below such a bar has
shown nothing about things and persons.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from generator_service.mounting import Mounted
from generator_service.proving.cases import Case, Variant, Where, labels_of, messages_of
from tetrad.contracts.benchmarks import Bar, Card
from tetrad.contracts.items import Question
from tetrad.contracts.wire import ParameterValue
from tetrad.solvers.low_level import choose_by_each


@dataclass(frozen=True, kw_only=True)
class Counted:
    """The right answers of one solver, of those questions that a bar is about. `bar` is chance where none is."""

    solver: str
    where: Where
    bar: float
    right: int
    n: int


def offers_pictures(question: Question) -> bool:
    """Return whether options are pictures, beside others that belong to no option."""
    shown = {option.picture for option in question.options} - {None}
    return bool(labels_of(question)) and len(shown) > 1 and len(question.pictures) > len(shown)


def count_right(mounted: Mounted, cases: Iterable[Case], bars: Sequence[Bar]) -> list[Counted]:
    """Let every solver answer what offers pictures, from the messages that a model gets; count by bar, else by kind."""
    right, asked = Counter[tuple[str, int, str]](), Counter[tuple[str, int, str]]()
    chances: dict[str, float] = {}
    for case in cases:
        question = case.keyed.question
        if not offers_pictures(question):
            continue
        chances[question.kind] = 1 / len({option.picture for option in question.options} - {None})
        for solver, label in choose_by_each(messages_of(mounted, case.scene, question)).items():
            key = solver, _place_of(bars, solver, case), question.kind
            asked[key] += 1
            right[key] += label == case.label
    return [
        Counted(
            solver=solver,
            where=bars[place].where if place >= 0 else {"kind": (kind,)},
            bar=bars[place].value if place >= 0 else chances[kind],
            right=right[solver, place, kind],
            n=number,
        )
        for (solver, place, kind), number in asked.items()
    ]


def _place_of(bars: Sequence[Bar], solver: str, case: Case) -> int:
    """Return the place of the bar that holds for a solver of a question, -1 where none does."""
    return next((at for at, bar in enumerate(bars) if bar.solver == solver and case.matches(bar.where)), -1)


def bars_under(card: Card, track: str, parameters: Mapping[str, ParameterValue]) -> list[Bar]:
    """Return the bars that hold on a track under these parameters, all of them given."""
    return [bar for bar in card.bars if bar.track in {None, track} and bar.parameters.items() <= parameters.items()]


def variants_with_bars(card: Card) -> Iterator[Variant]:
    """Yield each track with each set of parameters that its bars name, in its first setting."""
    for track in card.tracks:
        named: list[Mapping[str, ParameterValue]] = []
        for bar in card.bars:
            if bar.track in {None, track.name} and bar.parameters not in named:
                named.append(bar.parameters)
        for parameters in named:
            yield Variant(track=track.name, setting=track.settings[0], parameters=parameters)
