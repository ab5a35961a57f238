"""Define what was measured of a model on a draw: its items' scores, its groups, its wrong answers, what it took."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from tetrad.contracts.benchmarks import Card
from tetrad.contracts.reports import Report
from tetrad.reporting.item_scores import (
    AnsweredQuestion,
    NoItemScoresError,
    answered_scores,
    headline_accuracy,
    is_selected,
    item_scores,
)
from tetrad.runner.recording import RunCosts
from tetrad.statistics.deciding import Sample, sample_interval, sample_of
from tetrad.statistics.interval import Interval

UNREAD, MISSING = "unread", "missing"


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """The headline's score in one group, such as a domain, over its items, with a 95% interval."""

    name: str
    score: float
    interval: Interval
    items: int


class Place(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """An item of a draw: the submission that drew it, and its place there.

    An item of a fixed corpus with public labels has its published `name` instead, and the corpus's as `submission`: it
    is the same in every draw.
    """

    submission: str
    item: int = 0
    name: str = ""


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """The answers of a model on one draw, or on several that follow each other.

    model: its name. submissions: the draws. sealed: its answers were sealed before the draw was revealed. scores: the
    headline's score of each item that counts, in the order of the draws; items that share a picture are one, at the
    place of the first. questions: all that were asked.
    minutes: from the first question to the last answer; None where it is not known.
    """

    model: str
    submissions: tuple[str, ...]
    sealed: bool
    scores: dict[Place, float]
    groups: tuple[Group, ...]
    asked: int
    unread: int
    missing: int
    wrong: tuple[tuple[Place, str, str | None, str], ...]
    """Wrong answers to questions of the headline: place, question, answer read, key."""
    costs: RunCosts | None = None
    minutes: float | None = None

    @property
    def sample(self) -> Sample:
        return sample_of(list(self.scores.values()))


class Answered(AnsweredQuestion, frozen=True, kw_only=True):
    """A question with its id, the answer that was read, and the key."""

    question: str
    answer: str | None
    key: str


def of_report(card: Card, report: Report, model: str) -> Measured:
    """Return what a report says of a sealed submission.

    Raises:
        NoItemScoresError: its items can't be scored one by one.
    """
    if report.published_scores:
        return _of_published(report, model)
    if item_scores(report, card) is None:
        raise NoItemScoresError(
            f"{report.submission}: its items can't be scored one by one: the report shows no single question, or its "
            "headline is no accuracy of items"
        )
    answered = [
        Answered(
            item=one.item,
            verdict=one.verdict,
            facets=one.facets,
            outcome=one.outcome,
            question=one.question,
            answer=one.answer,
            key=one.key,
        )
        for one in report.questions
    ]
    card, units = card.ranked_by(report.identity.setting), first_items(report)
    return of_answers(card, answered, units, model=model, submission=report.submission, sealed=True)


def _of_published(report: Report, model: str) -> Measured:
    """Return what a report on a fixed corpus says: scores by item, and nothing of single questions."""
    corpus = report.identity.benchmark
    return Measured(
        model=model,
        submissions=(report.submission,),
        sealed=True,
        scores={Place(submission=corpus, name=name): score for name, score in report.published_scores.items()},
        groups=(),
        asked=report.questions_asked,
        unread=report.unread,
        missing=report.missing,
        wrong=(),
    )


def first_items(report: Report) -> dict[int, int]:
    """Return the first item of those that share a picture, for each of them."""
    first: dict[str, int] = {}
    for one in report.questions:
        if one.cluster:
            first[one.cluster] = min(one.item, first.get(one.cluster, one.item))
    return {one.item: first[one.cluster] for one in report.questions if one.cluster}


def of_answers(
    card: Card, answered: Sequence[Answered], units: Mapping[int, int], *, model: str, submission: str, sealed: bool
) -> Measured:
    """Return what the answers to a draw say. `units` are those of `first_items`.

    Raises:
        NoItemScoresError: the benchmark's headline is no accuracy.
    """
    metric = headline_accuracy(card)
    if metric is None:
        raise NoItemScoresError(f"{card.name}: its headline {card.headline.metric} is no accuracy of items")
    counted = [msgspec.structs.replace(one, item=units.get(one.item, one.item)) for one in answered]
    scores = answered_scores(metric, counted)
    return Measured(
        model=model,
        submissions=(submission,),
        sealed=sealed,
        scores={Place(submission=submission, item=item): score for item, score in sorted(scores.items())},
        groups=tuple(_groups(card, counted)),
        asked=len(answered),
        unread=sum(one.verdict == UNREAD for one in answered),
        missing=sum(one.verdict == MISSING for one in answered),
        wrong=tuple(
            (Place(submission=submission, item=one.item), one.question, one.answer, one.key)
            for one in answered
            if is_selected(one.facets, metric.where) and one.verdict != "correct"
        ),
    )


def together(parts: Sequence[Measured], groups: Iterable[Group] = ()) -> Measured:
    """Return what several draws say together. `groups` are those of all of them."""
    first = parts[0]
    if len(parts) == 1:
        return first
    costs = [one.costs for one in parts if one.costs is not None]
    minutes = [one.minutes for one in parts if one.minutes is not None]
    return msgspec.structs.replace(
        first,
        submissions=tuple(name for one in parts for name in one.submissions),
        scores={place: score for one in parts for place, score in one.scores.items()},
        groups=tuple(groups),
        asked=sum(one.asked for one in parts),
        unread=sum(one.unread for one in parts),
        missing=sum(one.missing for one in parts),
        wrong=tuple(wrong for one in parts for wrong in one.wrong),
        costs=_summed(costs) if len(costs) == len(parts) else None,
        minutes=sum(minutes) if len(minutes) == len(parts) else None,
    )


def on_draw_of(one: Measured, other: Measured) -> Measured:
    """Return what was measured with its items named as the other's are: both answered one draw."""
    draw = other.submissions[0]
    scores = {Place(submission=draw, item=place.item): score for place, score in one.scores.items()}
    return msgspec.structs.replace(one, scores=scores)


def _summed(costs: Sequence[RunCosts]) -> RunCosts:
    """Return the sums. Medians of several runs are the largest of theirs."""
    priced = all(one.cost is not None for one in costs)
    return RunCosts(
        replies=sum(one.replies for one in costs),
        failures=sum(one.failures for one in costs),
        input_tokens=sum(one.input_tokens for one in costs),
        output_tokens=sum(one.output_tokens for one in costs),
        cost=sum(one.cost or 0 for one in costs) if priced else None,
        estimated=sum(one.estimated for one in costs),
        median_seconds=max((one.median_seconds or 0.0 for one in costs), default=None),
        slowest_seconds=max((one.slowest_seconds or 0.0 for one in costs), default=None),
        p95_seconds=max((one.p95_seconds or 0.0 for one in costs), default=None),
    )


def _groups(card: Card, answered: Sequence[Answered]) -> Iterable[Group]:
    """Yield the groups by the headline's first facet, in the order in which they come."""
    metric = headline_accuracy(card)
    if metric is None or not metric.by:
        return
    facet = metric.by[0]
    counted = [one for one in answered if facet in one.facets and is_selected(one.facets, metric.where)]
    values = dict.fromkeys(one.facets[facet] for one in counted)
    for value in sorted(values):
        scores = answered_scores(metric, [one for one in counted if one.facets[facet] == value])
        sample = sample_of(list(scores.values()))
        interval = sample_interval(sample, 0.95)
        yield Group(name=f"{facet} {value}", score=sample.mean, interval=interval, items=sample.count)
