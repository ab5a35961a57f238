"""What metrics are computed from: judged questions, selected by facets and averaged in two steps.

Two steps, because questions are not independent: first the mean within each cluster (a trial with its repeats),
then mean and standard error over the clusters.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from typing import NamedTuple

import msgspec

from scoring_service.metrics.chance import Chance, Levels
from scoring_service.metrics.selection import Where, fits, of_each
from tetrad.contracts.items import KeyedQuestion
from tetrad.contracts.reports import QuestionResult
from tetrad.contracts.wire import Facets

JUDGED = ("correct", "incorrect")
"""The verdicts of a rule that says anything of an answer."""


class Mark(msgspec.Struct, frozen=True, gc=False):
    """One question and what came of it: `answer` as read, None where there is none, and `choice`, what it means.

    `outcome`: what else was found of the answer, by name.
    """

    item: int
    cluster: str
    kind: str
    facets: Facets
    correct: bool
    choice: str | None
    chance: Levels
    answer: str | None = None
    outcome: Facets = {}


class Group(NamedTuple):
    """Some of the selected questions: all of them (no facets), or those that share facet values."""

    facets: Facets
    marks: list[Mark]


def mark_of(keyed: KeyedQuestion, result: QuestionResult, chance: Chance) -> Mark:
    answer = result.answer
    facets, level = chance.shared(keyed.facets)
    return Mark(
        result.item,
        keyed.cluster,
        keyed.question.kind,
        facets,
        result.verdict == "correct",
        None if answer is None else keyed.meanings.get(answer, answer),
        level,
        answer,
        result.outcome,
    )


def selected(marks: Sequence[Mark], where: Where) -> list[Mark]:
    """Return the marks whose facets fit."""
    return list(compress(marks, of_each([mark.facets for mark in marks], lambda facets: fits(facets, where))))


def grouped(marks: Sequence[Mark], by: Sequence[str]) -> list[Group]:
    """Return all marks as one group, then one group for every combination of values of `by`, in order.

    A question that lacks one of these facets is in the first group only.
    """
    groups: dict[tuple[str, ...], list[Mark]] = {}
    if by:
        every = of_each(
            [mark.facets for mark in marks],
            lambda facets: tuple(facets[name] for name in by) if facets.keys() >= set(by) else None,
        )
        for mark, values in zip(marks, every, strict=True):
            if values is not None:
                groups.setdefault(values, []).append(mark)
    split = [Group(dict(zip(by, values, strict=True)), groups[values]) for values in sorted(groups)]
    return [Group({}, list(marks)), *split]


def by_cluster(marks: Iterable[Mark]) -> Mapping[str, list[Mark]]:
    clusters: dict[str, list[Mark]] = {}
    for mark in marks:
        clusters.setdefault(mark.cluster, []).append(mark)
    return clusters
