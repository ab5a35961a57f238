"""The questions from which metrics are computed: judged, selected by facets and averaged in two steps.

Two steps, because questions are not independent: first the mean within each cluster (a trial with its repeats),
then mean and standard error over the clusters.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Self, TypeAlias, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from scoring_service.metrics.chance import Levels, level_of
from tetrad.contracts.benchmarks import ChanceLevel
from tetrad.contracts.items import KeyedQuestion
from tetrad.contracts.reports import QuestionResult
from tetrad.contracts.wire import Facets
from tetrad.reporting.item_scores import is_selected

V = TypeVar("V", bound=Hashable)
JUDGED = ("correct", "incorrect")
"""The verdicts of a rule that judges an answer."""

Where: TypeAlias = Mapping[str, tuple[str, ...]]
"""Facet to the values that are selected; a question lacking the facet is not."""
Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]


class ScoredQuestion(msgspec.Struct, frozen=True, gc=False):
    """One question and its result: the extracted `answer`, None if there is none, and its meaning, `choice`.

    `outcome`: further findings about the answer, by name.
    """

    item: int
    cluster: str
    kind: str
    facets: Facets
    correct: bool
    choice: str | None
    answer: str | None = None
    outcome: Facets = {}


class Columns(NamedTuple):
    """All scored questions of a draw, one array for each field, because every metric reads a hundred thousand of them.

    clusters, kinds, facets and outcomes hold numbers, equal where the questions' own are; `chances` has a level of
    chance for each number of facets.
    """

    rows: Sequence[ScoredQuestion]
    items: Numbers
    clusters: Numbers
    kinds: Numbers
    facets: Numbers
    every_facets: Sequence[Facets]
    chances: Sequence[Levels]
    outcomes: Numbers
    every_outcome: Sequence[Facets]
    correct: Flags
    is_read: Flags


class ScoredQuestions:
    """Some of a draw's scored questions, in their order; `places` are their indices."""

    __slots__ = ("_columns", "_places")

    def __init__(self, columns: Columns, places: Numbers) -> None:
        self._columns = columns
        self._places = places

    @classmethod
    def of(cls, rows: Sequence[ScoredQuestion], levels: Sequence[ChanceLevel] = ()) -> Self:
        """Put scored questions in columns; `levels` are the card's, which say what guessing gives on each."""
        facets, every_facets = _number_facets([row.facets for row in rows])
        outcomes, every_outcome = _number_facets([row.outcome for row in rows])
        columns = Columns(
            rows=rows,
            items=np.array([row.item for row in rows], np.int64),
            clusters=_number_values([row.cluster for row in rows]),
            kinds=_number_values([row.kind for row in rows]),
            facets=facets,
            every_facets=every_facets,
            chances=[level_of(facets, levels) for facets in every_facets],
            outcomes=outcomes,
            every_outcome=every_outcome,
            correct=np.array([row.correct for row in rows], np.bool_),
            is_read=np.array([row.choice is not None for row in rows], np.bool_),
        )
        return cls(columns, np.arange(len(rows)))

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[ScoredQuestion]:
        return map(self._columns.rows.__getitem__, self._places.tolist())

    @property
    def items(self) -> Numbers:
        return self._columns.items[self._places]

    @property
    def clusters(self) -> Numbers:
        return self._columns.clusters[self._places]

    @property
    def kinds(self) -> Numbers:
        return self._columns.kinds[self._places]

    @property
    def chances(self) -> tuple[Numbers, list[Levels]]:
        """Return a number for each question's level of guessing, and the levels by these numbers."""
        levels = list(dict.fromkeys(self._columns.chances))
        by_facets = np.array([levels.index(level) for level in self._columns.chances], np.int64)
        return by_facets[self._columns.facets[self._places]], levels

    @property
    def correct(self) -> Flags:
        return self._columns.correct[self._places]

    @property
    def is_read(self) -> Flags:
        return self._columns.is_read[self._places]

    def where(self, wanted: Flags) -> "ScoredQuestions":
        """Return the wanted ones of these questions."""
        return ScoredQuestions(self._columns, self._places[wanted])

    def with_verdicts(self, correct: Flags) -> "ScoredQuestions":
        """Return the same questions with other verdicts."""
        flags = self._columns.correct.copy()
        flags[self._places] = correct
        return ScoredQuestions(self._columns._replace(correct=flags), self._places)

    def at(self, places: Numbers) -> "ScoredQuestions":
        """Return the questions at these places."""
        return ScoredQuestions(self._columns, self._places[places])

    def filter(self, fit: Callable[[ScoredQuestion], bool]) -> "ScoredQuestions":
        return self.where(np.fromiter(map(fit, self), np.bool_, len(self)))

    def by_facets(self, of: Callable[[Facets], Hashable]) -> tuple[Numbers, list[Hashable]]:
        """Return a number for each question's combination of facets, and the combinations by these numbers."""
        return _number_made(self._columns.facets[self._places], self._columns.every_facets, of)

    def by_outcome(self, name: str) -> tuple[Numbers, list[str | None]]:
        """Return a number for each question's outcome of this name, and the outcomes by these numbers; None is none."""
        return _number_made(
            self._columns.outcomes[self._places], self._columns.every_outcome, lambda outcome: outcome.get(name)
        )

    def with_outcome(self, name: str, among: Collection[str | None]) -> Flags:
        """Tell for each question if its outcome of this name is among these; None stands for no such outcome."""
        numbers, outcomes = self.by_outcome(name)
        return np.array([outcome in among for outcome in outcomes], np.bool_)[numbers]


class Group(NamedTuple):
    """Some of the selected questions: all of them (no facets), or those that share facet values."""

    facets: Facets
    scored: ScoredQuestions


def scored_question_of(keyed: KeyedQuestion, result: QuestionResult) -> ScoredQuestion:
    answer = result.answer
    return ScoredQuestion(
        result.item,
        keyed.cluster,
        keyed.question.kind,
        keyed.facets,
        result.verdict == "correct",
        choice_of(keyed, answer),
        answer,
        result.outcome,
    )


def choice_of(keyed: KeyedQuestion, answer: str | None) -> str | None:
    """Return what an extracted answer means; None where there is none."""
    return None if answer is None else keyed.option_values.get(answer, answer)


def select(scored: ScoredQuestions, where: Where) -> ScoredQuestions:
    """Return the questions whose facets are selected."""
    numbers, fitting = scored.by_facets(lambda facets: is_selected(facets, where))
    return scored.where(np.array(fitting, np.bool_)[numbers])


def split_in_groups(scored: ScoredQuestions, by: Sequence[str]) -> list[Group]:
    """Return all questions as one group, then one group for every combination of values of `by`, in order.

    A question that lacks one of these facets is in the first group only.
    """
    whole = Group({}, scored)
    if not by:
        return [whole]
    numbers, values = scored.by_facets(
        lambda facets: tuple(facets[name] for name in by) if facets.keys() >= set(by) else None
    )
    there = {value: number for number, value in enumerate(values) if isinstance(value, tuple)}
    split = [(value, scored.where(numbers == there[value])) for value in sorted(there)]
    return [whole, *(Group(dict(zip(by, value, strict=True)), group) for value, group in split if len(group))]


def means_by_cluster(scored: ScoredQuestions, values: NDArray[np.bool_] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of the questions' values within each cluster. Clusters are in the order of the draw."""
    counts = np.bincount(scored.clusters)
    there = counts > 0
    means: NDArray[np.float64] = np.bincount(scored.clusters, weights=values)[there] / counts[there]
    return means


def by_cluster(scored: Iterable[ScoredQuestion]) -> Mapping[str, list[ScoredQuestion]]:
    clusters: dict[str, list[ScoredQuestion]] = {}
    for mark in scored:
        clusters.setdefault(mark.cluster, []).append(mark)
    return clusters


def _number_facets(values: Sequence[Facets]) -> tuple[Numbers, list[Facets]]:
    """Number the facets in the order of their first occurrence; return those of each number, too."""
    distinct = {id(value): value for value in values}  # questions of a kind share one dict, and a dict has no hash
    texts = dict(zip(distinct, map(msgspec.json.Encoder().encode, distinct.values()), strict=True))
    numbers = _number_values([texts[id(value)] for value in values])
    return numbers, [msgspec.json.decode(text, type=Facets) for text in dict.fromkeys(texts.values())]


def _number_made(numbers: Numbers, facets: Sequence[Facets], make: Callable[[Facets], V]) -> tuple[Numbers, list[V]]:
    """Return a number for each value that is made of the facets of these numbers, and the values by their numbers."""
    made = [make(each) for each in facets]
    places = {value: place for place, value in enumerate(dict.fromkeys(made))}
    return np.array([places[value] for value in made], np.int64)[numbers], list(places)


def _number_values(values: Sequence[Hashable]) -> Numbers:
    """Number the values in the order of their first occurrence."""
    numbers: defaultdict[Hashable, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    return np.fromiter(map(numbers.__getitem__, values), np.int64, len(values))
