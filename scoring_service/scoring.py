"""Scoring: answer keys and sealed answers in, a report out. Pure; knows no benchmark by name.

Every answer is extracted by `tetrad.extraction.answers`. A reply without an answer is unread; no answer is guessed.
Missing and unread answers both count as wrong, and reports show which they are.
"""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, MutableMapping, Sequence
from functools import lru_cache, partial
from typing import NamedTuple, Protocol, TypeAlias

import msgspec
from msgspec.structs import replace

from scoring_service.aggregates import aggregate, published_scores
from scoring_service.judge import CaptionJudge, with_opinions
from scoring_service.metrics import measure
from scoring_service.metrics.scored_questions import ScoredQuestion, choice_of, scored_question_of
from tetrad import __version__
from tetrad.contracts.answers import SealedAnswer, is_read_incomplete
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.inference import StopKind
from tetrad.contracts.items import AnswerShape, Choice, DrawIdentity, KeyedQuestion, Question
from tetrad.contracts.reports import SHARE, MetricValue, QuestionResult, Report, Versions
from tetrad.extraction import EXTRACTOR_VERSION, STATEMENT
from tetrad.extraction.answers import BY_MODEL, extract_answer, find_extractor
from tetrad.extraction.choice import SHORT
from tetrad.extraction.judging import Judged, judge_answer
from tetrad.extraction.question_words import NO_WORDS, QuestionWords, words_of
from tetrad.internal.draws import KeyedItem
from tetrad.reporting.digests import answers_digest
from tetrad.versions import SCORER_VERSION

SealedAnswers: TypeAlias = MutableMapping[tuple[int, str], SealedAnswer]
"""Answers by item and question."""


class HeadlineUnitError(ValueError):
    """A card's headline is not a share, and boards rank by shares only."""


class Revealed(Protocol):
    """A revealed draw: its identity, its size and its seed."""

    @property
    def identity(self) -> DrawIdentity: ...
    @property
    def size(self) -> int: ...
    @property
    def seed(self) -> str: ...
    @property
    def commitment(self) -> str: ...


class Keys(Revealed, Protocol):
    """The keys of a draw that is revealed, wherever they come from. `items` can be iterated over more than once."""

    @property
    def items(self) -> Iterable[KeyedItem]: ...


class ForeignAnswerError(Exception):
    """An answer is sealed for a question that was never asked, by the generator's record."""


def score(
    submission: str,
    keys: Keys,
    answers: Sequence[SealedAnswer],
    card: Card,
    *,
    scored_at: str,
    caption_judge: CaptionJudge | None = None,
) -> Report:
    """Extract every answer, judge it by its key, and compute the card's metrics; of a corpus, aggregates only.

    `caption_judge` gives a second opinion on captions. It is shown beside the verdict and does not change it.

    Raises:
        ForeignAnswerError: an answer belongs to no question of the keys.
        HeadlineUnitError: the card's headline is no share.
    """
    extractor = extractor_for(card, keys.identity)
    judged = judge(keys, answers, extractor)
    if caption_judge is not None:
        judged = iter(with_opinions(list(judged), answers, caption_judge))
    results: list[QuestionResult] = []
    scored: list[ScoredQuestion] = []
    for keyed, result in judged:
        results.append(result)
        scored.append(scored_question_of(keyed, result))
    return report_of(submission, keys, results, scored, card, scored_at=scored_at)


def report_of(
    submission: str,
    keys: Revealed,
    results: list[QuestionResult],
    scored: Sequence[ScoredQuestion],
    card: Card,
    *,
    scored_at: str,
) -> Report:
    """Compute the card's metrics over all judged questions of a draw, in their order; of a corpus, aggregates only.

    Raises:
        HeadlineUnitError: the card's headline is no share.
    """
    card = card.ranked_by(keys.identity.setting)
    metrics = measure(card, scored, submission)
    headline = headline_of(card, metrics)
    verdicts = Counter([result.verdict for result in results])
    by_model = [result.reason for result in results].count(BY_MODEL)
    stopped = [result for result in results if result.stop is not None]
    report = Report(
        submission=submission,
        identity=keys.identity,
        size=keys.size,
        seed=keys.seed,
        commitment=keys.commitment,
        scored_at=scored_at,
        versions=versions_of(keys),
        headline=headline,
        metrics=metrics,
        questions_asked=len(results),
        unread=verdicts["unread"],
        missing=verdicts["missing"],
        answers_digest=answers_digest(results),
        questions=_with_clusters(results, scored),
        stops=dict(sorted(Counter(result.stop for result in stopped if result.stop is not None).items())),
        incomplete=sum(is_read_incomplete(result.verdict, result.stop) for result in stopped),
        begin_inside_thinking=[result.begins_inside_thinking for result in results].count(True),
        extracted_by_model=by_model,
        headline_without_model=_without_model(submission, results, scored, card) if by_model else None,
        published_scores=published_scores(scored, card, headline),
    )
    return aggregate(report, card)


def _with_clusters(results: list[QuestionResult], scored: Sequence[ScoredQuestion]) -> list[QuestionResult]:
    """Return the results, those with their cluster whose cluster has several items."""
    first: dict[str, int] = {}
    shared = {
        question.cluster for question in scored if first.setdefault(question.cluster, question.item) != question.item
    }
    if not shared:
        return results
    return [
        replace(result, cluster=question.cluster) if question.cluster in shared else result
        for result, question in zip(results, scored, strict=True)
    ]


def _without_model(
    submission: str, results: Sequence[QuestionResult], scored: Sequence[ScoredQuestion], card: Card
) -> float | None:
    """Return the headline's value if the answers that a model extracted count as unread."""
    without = [
        replace(question, correct=False, choice=None, answer=None, outcome={})
        if result.reason == BY_MODEL
        else question
        for question, result in zip(scored, results, strict=True)
    ]
    return headline_of(card, measure(card, without, submission)).value


def judge(
    keys: Keys, answers: Iterable[SealedAnswer], extractor: str = STATEMENT
) -> Iterator[tuple[KeyedQuestion, QuestionResult]]:
    """Yield the result of every question of the keys, in their order; `extractor` is one of EXTRACTORS, by name.

    Raises:
        ForeignAnswerError: an answer belongs to no question of the keys.
    """
    extract = AnswerExtraction(extractor)
    sealed = {(answer.item, answer.question): answer for answer in answers}
    for item in keys.items:
        yield from judge_item(item, sealed, extract)
    check_all_asked(sealed)


def judge_item(
    item: KeyedItem, sealed: SealedAnswers, extract: "AnswerExtraction"
) -> list[tuple[KeyedQuestion, QuestionResult]]:
    """Return the results of an item's questions, and take their answers out of `sealed`."""
    judged: list[tuple[KeyedQuestion, QuestionResult]] = []
    for keyed in item.questions:
        given = sealed.pop((item.item, keyed.question.id), None)
        if given is None:
            judged.append((keyed, _result(item.item, keyed, NOTHING_CAME, MISSING)))
            continue
        extracted = extract(keyed.question, given)
        result = _result(item.item, keyed, extracted, judge_answer(keyed.key, extracted.answer))
        judged.append((keyed, result if given.stop is None else replace(result, stop=given.stop)))
    return judged


def check_all_asked(left: Collection[tuple[int, str]]) -> None:
    """Check that no answer is left over when all items are judged.

    Raises:
        ForeignAnswerError: these, by item and question, belong to no question of the keys.
    """
    if left:
        place, question = min(left)
        raise ForeignAnswerError(
            f"{len(left)} answers to questions never asked, the first {question!r} of item {place}"
        )


def extractor_for(card: Card, identity: DrawIdentity) -> str:
    """Return the name of the extractor that reads the replies to this draw."""
    return STATEMENT if card.corpus is None else find_extractor(identity.parameters)


def headline_of(card: Card, metrics: Sequence[MetricValue]) -> MetricValue:
    """Return the overall value of the metric that the card's boards rank by.

    Raises:
        HeadlineUnitError: it is not a share. A difference, for example, can be raised by failing one of its sides on
        purpose.
    """
    headline = next(value for value in metrics if value.name == card.headline.metric and not value.facets)
    if headline.unit != SHARE:
        raise HeadlineUnitError(
            f"headline {headline.name!r} of {card.name} is a {headline.unit}: boards rank by a share; "
            f"name an accuracy as the headline; the {headline.unit} is then shown beside it"
        )
    return headline


def versions_of(keys: Revealed) -> Versions:
    return Versions(
        tetrad=__version__,
        benchmark=keys.identity.version,
        reader=EXTRACTOR_VERSION,
        scorer=SCORER_VERSION,
        bank=keys.identity.bank,
    )


class _Extracted(NamedTuple):
    """The answer found in a reply, whatever question it was given to."""

    answer: str | None
    reason: str
    reply_digest: str | None
    begins_inside_thinking: bool = False


NOTHING_CAME = _Extracted(None, "nothing-came", None)
MISSING = Judged("missing")


class JudgedQuestion(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A judged question, with the fields that metrics need beside its result."""

    result: QuestionResult
    cluster: str
    kind: str
    choice: str | None

    @classmethod
    def of(cls, keyed: KeyedQuestion, result: QuestionResult) -> "JudgedQuestion":
        return cls(result, keyed.cluster, keyed.question.kind, choice_of(keyed, result.answer))

    @property
    def scored(self) -> ScoredQuestion:
        result = self.result
        return ScoredQuestion(
            item=result.item,
            cluster=self.cluster,
            kind=self.kind,
            facets=result.facets,
            correct=result.verdict == "correct",
            choice=self.choice,
            answer=result.answer,
            outcome=result.outcome,
        )


class AnswerExtraction:
    """Extracts answers with one extractor. Most replies are short and equal, so each is read once."""

    def __init__(self, extractor: str) -> None:
        self._extract = partial(_extract, extractor)
        self._extract_short = lru_cache(maxsize=4096)(self._extract)

    def __call__(self, question: Question, given: SealedAnswer) -> _Extracted:
        shape, words = question.shape, NO_WORDS if given.response is None else words_of(question)
        if isinstance(shape, Choice) and len(given.response or "") <= SHORT:
            return self._extract_short(shape, words, given.answer, given.response, given.stop)
        return self._extract(shape, words, given.answer, given.response, given.stop)


def _extract(  # noqa: PLR0917 - cached by its arguments
    extractor: str,
    shape: AnswerShape,
    words: QuestionWords,
    answer: str | None,
    response: str | None,
    stop: StopKind | None,
) -> _Extracted:
    read = extract_answer(shape, answer, response, extractor=extractor, words=words, stop=stop)
    reply_digest = None if response is None else hashlib.sha256(response.encode()).hexdigest()
    return _Extracted(read.answer, read.reason, reply_digest, read.begins_inside_thinking)


def _result(item: int, keyed: KeyedQuestion, extracted: _Extracted, judged: Judged) -> QuestionResult:
    return QuestionResult(
        item=item,
        question=keyed.question.id,
        verdict=judged.verdict,
        answer=extracted.answer,
        key=keyed.key.label,
        reason=extracted.reason,
        facets=keyed.facets,
        outcome=judged.outcome,
        reply_digest=extracted.reply_digest,
        begins_inside_thinking=extracted.begins_inside_thinking,
    )
