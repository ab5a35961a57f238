"""Define what was measured of a model on a draw: its items' scores, its groups, its wrong answers, what it took."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from tetrad.contracts.answers import is_read_incomplete
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.inference import StopKind
from tetrad.contracts.reports import Report
from tetrad.reporting.item_scores import (
    AnsweredQuestion,
    NoItemScoresError,
    answered_scores,
    first_items,
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
    place of the first. questions: all that were asked. incomplete: answers read in replies that are not complete.
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
    incomplete: int = 0
    costs: RunCosts | None = None
    minutes: float | None = None

    @property
    def sample(self) -> Sample:
        return sample_of(list(self.scores.values()))


class Answered(AnsweredQuestion, frozen=True, kw_only=True):
    """A question with its id, the answer that was read, the key, and why the reply ended."""

    question: str
    answer: str | None
    key: str
    stop: StopKind | None = None


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
            item=question.item,
            verdict=question.verdict,
            facets=question.facets,
            outcome=question.outcome,
            question=question.question,
            answer=question.answer,
            key=question.key,
            stop=question.stop,
        )
        for question in report.questions
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
        incomplete=report.incomplete,
    )


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
    counted = [msgspec.structs.replace(answer, item=units.get(answer.item, answer.item)) for answer in answered]
    scores = answered_scores(metric, counted)
    return Measured(
        model=model,
        submissions=(submission,),
        sealed=sealed,
        scores={Place(submission=submission, item=item): score for item, score in sorted(scores.items())},
        groups=tuple(_groups(card, counted)),
        asked=len(answered),
        unread=sum(answer.verdict == UNREAD for answer in answered),
        missing=sum(answer.verdict == MISSING for answer in answered),
        wrong=tuple(
            (Place(submission=submission, item=answer.item), answer.question, answer.answer, answer.key)
            for answer in answered
            if is_selected(answer.facets, metric.where) and answer.verdict != "correct"
        ),
        incomplete=sum(is_read_incomplete(answer.verdict, answer.stop) for answer in answered),
    )


def together(parts: Sequence[Measured]) -> Measured:
    """Return what several draws say together; their groups are left out."""
    first = parts[0]
    if len(parts) == 1:
        return first
    costs = [part.costs for part in parts if part.costs is not None]
    minutes = [part.minutes for part in parts if part.minutes is not None]
    return msgspec.structs.replace(
        first,
        submissions=tuple(name for part in parts for name in part.submissions),
        scores={place: score for part in parts for place, score in part.scores.items()},
        groups=(),
        asked=sum(part.asked for part in parts),
        unread=sum(part.unread for part in parts),
        missing=sum(part.missing for part in parts),
        wrong=tuple(wrong for part in parts for wrong in part.wrong),
        incomplete=sum(part.incomplete for part in parts),
        costs=_add_costs(costs) if len(costs) == len(parts) else None,
        minutes=sum(minutes) if len(minutes) == len(parts) else None,
    )


def on_draw_of(one: Measured, other: Measured) -> Measured:
    """Return what was measured with its items named as the other's are: both answered one draw."""
    draw = other.submissions[0]
    scores = {Place(submission=draw, item=place.item): score for place, score in one.scores.items()}
    return msgspec.structs.replace(one, scores=scores)


def _add_costs(costs: Sequence[RunCosts]) -> RunCosts:
    """Return the sums. Medians of several runs are the largest of theirs."""
    priced = all(run.cost is not None for run in costs)
    return RunCosts(
        replies=sum(run.replies for run in costs),
        failures=sum(run.failures for run in costs),
        input_tokens=sum(run.input_tokens for run in costs),
        output_tokens=sum(run.output_tokens for run in costs),
        cost=sum(run.cost or 0 for run in costs) if priced else None,
        estimated=sum(run.estimated for run in costs),
        median_seconds=max((run.median_seconds or 0.0 for run in costs), default=None),
        slowest_seconds=max((run.slowest_seconds or 0.0 for run in costs), default=None),
        p95_seconds=max((run.p95_seconds or 0.0 for run in costs), default=None),
    )


def _groups(card: Card, answered: Sequence[Answered]) -> Iterable[Group]:
    """Yield the groups by the headline's first facet, in the order in which they come."""
    metric = headline_accuracy(card)
    if metric is None or not metric.by:
        return
    facet = metric.by[0]
    counted = [answer for answer in answered if facet in answer.facets and is_selected(answer.facets, metric.where)]
    values = dict.fromkeys(answer.facets[facet] for answer in counted)
    for value in sorted(values):
        scores = answered_scores(metric, [answer for answer in counted if answer.facets[facet] == value])
        sample = sample_of(list(scores.values()))
        interval = sample_interval(sample, 0.95)
        yield Group(name=f"{facet} {value}", score=sample.mean, interval=interval, items=sample.count)
