"""From a report to the rows of the table: each stage's score against what is declared of its questions."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

from generator_service.proving.answerers import Model
from generator_service.proving.bounds import Bound, relation_of, verdict
from generator_service.proving.declared import Asked
from tests.shown.places import Place
from tetrad.contracts.reports import QuestionResult
from tetrad.extraction.judging import NONE, STAGE
from tetrad.statistics.interval import Interval
from tetrad.statistics.wilson import wilson_interval

ALL = "all"


@dataclass(frozen=True, kw_only=True)
class Row:
    """`right` answers against one bound for each question; of: the questions counted, by the model's facet."""

    place: Place
    model: Model
    of: str
    right: int
    bounds: Sequence[Bound]

    @property
    def count(self) -> int:
        return len(self.bounds)

    @property
    def interval(self) -> Interval:
        return wilson_interval(self.right, self.count)

    @property
    def declared(self) -> str:
        return f"{relation_of(self.bounds)} {fmean(bound.chance for bound in self.bounds):.3f}"

    def __str__(self) -> str:
        where = f"{self.place.track}, {self.place.setting}, {self.place.way}"
        score = f"{self.right} of {self.count}, declared {self.declared}"
        return f"{where}: {self.model.name}, {self.of}: {score}: {self.verdict}"

    @cached_property
    def verdict(self) -> str:
        return verdict(self.right, self.bounds)


def rows_of(place: Place, model: Model, judged: Sequence[tuple[QuestionResult, Asked]]) -> Iterator[Row]:
    """Yield a row for each value of the facet that the model's score is split by."""
    rights: dict[str, list[bool]] = defaultdict(list)
    bounds: dict[str, list[Bound]] = defaultdict(list)
    begun: set[int] = set()
    for result, asked in judged:
        bound = model.declared(asked)
        if bound is None:
            continue
        of = asked.facets.get(model.by, ALL)
        right = _is_right(result, model)
        if model.whole and result.item in begun:
            rights[of][-1] &= right
            continue
        begun.add(result.item)
        rights[of].append(right)
        bounds[of].append(bound)
    for of in sorted(bounds):
        yield Row(place=place, model=model, of=of, right=sum(rights[of]), bounds=bounds[of])


def _is_right(result: QuestionResult, model: Model) -> bool:
    return result.verdict == "correct" and (not model.flawless or result.outcome.get(STAGE, NONE) == NONE)
