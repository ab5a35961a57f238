"""Checks a report of another instance: regenerates the draw here and compares every claim.

This proves that the report is consistent: these keys follow from this seed, these verdicts from these answers and
keys, this score from these verdicts. It does not prove that a model gave the answers, nor that nobody saw the keys
before.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from scoring_service.judge import JUDGE
from scoring_service.metrics import measure
from scoring_service.scoring import JudgedQuestion, headline_of
from tetrad.commitments import commitment_of
from tetrad.contracts.answers import SealedAnswer, is_read_incomplete
from tetrad.contracts.benchmarks import BenchmarkInfo, Card
from tetrad.contracts.items import KeyedQuestion
from tetrad.contracts.reports import Finding, MetricValue, QuestionResult, Report
from tetrad.contracts.wire import Facets
from tetrad.extraction.answers import is_legal
from tetrad.extraction.judging import Judged, judge_answer
from tetrad.internal.draws import KeyedItem, RegenerateRequest
from tetrad.internal.source_digests import can_draw
from tetrad.reporting.digests import answers_digest

MOST_FINDINGS = 100
NONE = "none"
ROUNDING = 1e-9  # sums of the same numbers on another machine's libraries
LONGEST = 200  # characters of a claim that a finding quotes


class Claimed(NamedTuple):
    """An answer and its verdict."""

    answer: str | None
    verdict: str

    @classmethod
    def missing(cls) -> "Claimed":
        return cls(None, "missing")


def before_regeneration(report: Report, info: BenchmarkInfo | None) -> list[Finding]:
    """Check what needs no keys: version and bank known here, commitment, digest of the answers, counts.

    With `info` None, or with another bank, the draw cannot be regenerated here. The draw of a fixed corpus never can.
    """
    if report.aggregates_only or (info is not None and info.card.corpus is not None):
        return _corpus_findings(report, info)
    identity, versions = report.identity, report.versions
    here = NONE if info is None else f"{info.card.name} {info.card.version}"
    largest = report.size if info is None else min(report.size, info.card.largest_draw)
    verdicts = [result.verdict for result in report.questions]
    places = {(result.item, result.question) for result in report.questions}
    return [
        compare_claim("version", "identity.version", f"{identity.benchmark} {identity.version}", here),
        compare_claim("version", "versions.benchmark", versions.benchmark, identity.version),
        compare_claim("bank", "identity.bank", identity.bank, _bank_here(report, info)),
        compare_claim("bank", "versions.bank", versions.bank, identity.bank),
        compare_claim("commitment", "commitment", report.commitment, commitment_of(identity, report.seed, report.size)),
        compare_claim("size", "size", report.size, largest),
        compare_claim("answers", "answers_digest", report.answers_digest, answers_digest(report.questions)),
        compare_claim("count", "questions", len(verdicts), len(places)),
        compare_claim("count", "items", report.size, _items_of(report)),
        compare_claim("count", "questions_asked", report.questions_asked, len(verdicts)),
        compare_claim("count", "unread", report.unread, verdicts.count("unread")),
        compare_claim("count", "missing", report.missing, verdicts.count("missing")),
        compare_claim("count", "incomplete", report.incomplete, _count_incomplete(report.questions)),
    ]


def _bank_here(report: Report, info: BenchmarkInfo | None) -> str:
    """Return the report's own sources where this instance draws from them, and its default ones otherwise."""
    if info is None:
        return NONE
    identity = report.identity
    return identity.bank if can_draw(info, identity.bank) else info.bank_of(identity.track)


def _corpus_findings(report: Report, info: BenchmarkInfo | None) -> list[Finding]:
    """Check the parts of a corpus's report that need no keys, and report that the rest is not checked."""
    identity = report.identity
    return [
        compare_claim("bank", "identity.bank", identity.bank, _bank_here(report, info)),
        compare_claim("commitment", "commitment", report.commitment, commitment_of(identity, report.seed, report.size)),
        compare_claim(
            "corpus",
            "report",
            "keys, verdicts and numbers",
            "not checked: this is a fixed corpus, whose reports hold aggregates only; it needs the corpus itself and "
            "the team's answers",
        ),
    ]


def can_regenerate(report: Report, info: BenchmarkInfo | None) -> bool:
    """Tell whether the draw can be made here.

    That of a corpus never is: the differences from a claim would reveal its keys.

    Anybody may ask, and making items takes time. So none are made for a draw without a commitment, for one larger than
    any here, or for a report that leaves items out (each item has a question, answered or missing).
    """
    if (
        report.aggregates_only
        or info is None
        or info.card.corpus is not None
        or not can_draw(info, report.identity.bank)
    ):
        return False
    fits = report.commitment == commitment_of(report.identity, report.seed, report.size)
    return fits and report.size <= info.card.largest_draw and report.size == _items_of(report)


def regeneration_of(report: Report) -> RegenerateRequest:
    """Return the request for the keys of this draw. Which questions were asked follows from the answers."""
    return RegenerateRequest(
        identity=report.identity, seed=report.seed, size=report.size, answers=list(_answers(report.questions))
    )


def after_regeneration(report: Report, items: Iterable[KeyedItem], card: Card) -> list[Finding]:
    """Check every key, verdict and number against the draw as made here."""
    comparison = Comparison(report)
    compared = [question for item in items for question in comparison.compare(item)]
    return [
        *comparison.find_unasked(
            {(question.judged.result.item, question.judged.result.question) for question in compared}
        ),
        *(found for question in compared for found in question.findings),
        *comparison.compare_numbers([question.judged for question in compared], card),
    ]


class Compared(NamedTuple):
    """A question as made here, and the findings on its claims."""

    judged: JudgedQuestion
    findings: list[Finding]


class Comparison:
    """A claimed report beside its draw as made here, item by item."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._claimed = {(result.item, result.question): result for result in report.questions}

    def compare(self, item: KeyedItem) -> list[Compared]:
        """Check the key and the verdict of each question of an item."""
        return [self._compare(item.item, keyed) for keyed in item.questions]

    def find_unasked(self, asked: Collection[tuple[int, str]]) -> list[Finding]:
        """Return the claims on other questions than these."""
        return [
            compare_claim("question", _place(*place), "asked", "never asked")
            for place in self._claimed
            if place not in asked
        ]

    def compare_numbers(self, questions: Iterable[JudgedQuestion], card: Card) -> list[Finding]:
        """Check the numbers against all questions of the draw."""
        found = measure(card, [question.scored for question in questions], self._report.submission)
        return _metric_findings(self._report, found, card)

    def _compare(self, item: int, keyed: KeyedQuestion) -> Compared:
        result = self._claimed.get((item, keyed.question.id))
        question = JudgedQuestion.of(keyed, _judge_claim(keyed, result, item))
        return Compared(question, _question_findings(keyed, result, item))


class Summary(msgspec.Struct, kw_only=True):
    """A summary of findings: the first failures, and a count of right claims for each check, in order of occurrence."""

    failures: list[Finding] = []
    failed: list[str] = []
    right: dict[str, int] = {}

    def add(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            if finding.ok:
                self.right[finding.check] = self.right.get(finding.check, 0) + 1
                continue
            if finding.check not in self.failed:
                self.failed.append(finding.check)
            if len(self.failures) < MOST_FINDINGS:
                self.failures.append(finding)

    def join(self, later: "Summary") -> None:
        """Add later findings."""
        self.failures = [*self.failures, *later.failures][:MOST_FINDINGS]
        self.failed = list(dict.fromkeys([*self.failed, *later.failed]))
        for check, count in later.right.items():
            self.right[check] = self.right.get(check, 0) + count

    def findings(self) -> list[Finding]:
        """Return failures first, then one line for each kind of check that found nothing wrong; at most 100."""
        confirmations = [
            Finding(check=check, ok=True, where="report", claimed=f"{count} claims", found="the same here")
            for check, count in self.right.items()
            if check not in self.failed
        ]
        return [*self.failures[: MOST_FINDINGS - len(confirmations)], *confirmations]


def summarise(findings: Iterable[Finding]) -> list[Finding]:
    """Return failures first, then one line for each kind of check that found nothing wrong; at most 100."""
    summary = Summary()
    summary.add(findings)
    return summary.findings()


def _items_of(report: Report) -> int:
    return len({result.item for result in report.questions})


def _count_incomplete(results: Iterable[QuestionResult]) -> int:
    return sum(is_read_incomplete(result.verdict, result.stop) for result in results)


def _answers(results: Iterable[QuestionResult]) -> Iterator[SealedAnswer]:
    """Yield the claimed answers. An unread one becomes a text in which no answer is found."""
    for result in results:
        if result.verdict != "missing":
            response = "" if result.answer is None else None
            yield SealedAnswer(item=result.item, question=result.question, answer=result.answer, response=response)


def _question_findings(keyed: KeyedQuestion, result: QuestionResult | None, item: int) -> list[Finding]:
    where = _place(item, keyed.question.id)
    if result is None:
        return [compare_claim("question", where, "not listed", "asked")]
    return [
        compare_claim("key", f"{where}.key", result.key, keyed.key.label),
        compare_claim("verdict", f"{where}.verdict", result.verdict, _judge_by_key(keyed, result).verdict),
        compare_claim(
            "outcome", f"{where}.outcome", sorted(result.outcome.items()), sorted(_outcome(keyed, result).items())
        ),
        compare_claim("facets", f"{where}.facets", sorted(result.facets.items()), sorted(keyed.facets.items())),
    ]


def _judge_claim(keyed: KeyedQuestion, result: QuestionResult | None, item: int) -> QuestionResult:
    """Return the claimed answer, judged by the key found here."""
    claim = Claimed.missing() if result is None else Claimed(result.answer, _judge_by_key(keyed, result).verdict)
    return QuestionResult(
        item=item,
        question=keyed.question.id,
        verdict=claim.verdict,
        answer=claim.answer,
        key=keyed.key.label,
        reason="",
        facets=keyed.facets,
        outcome={} if result is None else _outcome(keyed, result),
    )


def _judge_by_key(keyed: KeyedQuestion, result: QuestionResult) -> Judged:
    """Return the verdict. Unread and missing both have no answer, so the claim decides which it was."""
    if result.answer is None and result.verdict == "missing":
        return Judged("missing")
    legal = result.answer if result.answer and is_legal(keyed.question.shape, result.answer) else None
    return judge_answer(keyed.key, legal)


def _outcome(keyed: KeyedQuestion, result: QuestionResult) -> Facets:
    """Return the outcome. A judge's second opinion can't be asked for again, so it is taken from the claim."""
    opinion = {JUDGE: result.outcome[JUDGE]} if JUDGE in result.outcome else {}
    return {**_judge_by_key(keyed, result).outcome, **opinion}


def _metric_findings(report: Report, found: Sequence[MetricValue], card: Card) -> list[Finding]:
    claimed = {_full_name(value): value for value in report.metrics}
    here = {_full_name(value): value for value in found}
    shared = [
        compare_metrics("metric", f"metrics.{name}", claimed[name], here[name]) for name in here if name in claimed
    ]
    lacking = [
        compare_claim("metric", f"metrics.{name}", "not listed", "listed") for name in here if name not in claimed
    ]
    extra = [
        compare_claim("metric", f"metrics.{name}", "listed", "no such metric") for name in claimed if name not in here
    ]
    headline = headline_of(card.ranked_by(report.identity.setting), found)
    return [
        *shared,
        *lacking,
        *extra,
        compare_claim("headline", "headline.name", _full_name(report.headline), _full_name(headline)),
        compare_metrics("headline", "headline", report.headline, headline),
    ]


def _full_name(value: MetricValue) -> str:
    facets = ",".join(f"{name}={facet}" for name, facet in sorted(value.facets.items()))
    return f"{value.name}[{facets}]" if facets else value.name


def _place(item: int, question: str) -> str:
    return f"questions.{item}.{question}"


def compare_claim(check: str, where: str, claimed: object, found: object) -> Finding:
    """Compare two values that must be the same."""
    return Finding(
        check=check, ok=claimed == found, where=where, claimed=str(claimed)[:LONGEST], found=str(found)[:LONGEST]
    )


def compare_metrics(check: str, where: str, claimed: MetricValue, found: MetricValue) -> Finding:
    """Compare two metric values, and name what differs first: unit and range, or a number."""
    if _scale(claimed) != _scale(found):
        return compare_claim(check, f"{where}.unit", _scale(claimed), _scale(found))
    for name, claim, number in _numbers(claimed, found):
        if not _are_close(claim, number):
            return compare_claim(check, f"{where}.{name}", claim, number)
    return compare_claim(check, where, _text(claimed), _text(claimed))


def are_equal(metric: MetricValue, other: MetricValue) -> bool:
    """Tell whether all numbers of the two agree up to the rounding of another machine or library."""
    return all(_are_close(number, twin) for _, number, twin in _numbers(metric, other))


def _numbers(claimed: MetricValue, found: MetricValue) -> list[tuple[str, float | None, float | None]]:
    names = ("value", "items", "questions", "total", "standard_error", "uniform_chance", "stated_chance")
    plain = [(name, getattr(claimed, name), getattr(found, name)) for name in names]
    bounds = [(f"interval.{end}", _bound(claimed, end), _bound(found, end)) for end in ("lower", "upper")]
    return [*plain, *bounds]


def _scale(value: MetricValue) -> tuple[str, float | None, float | None]:
    return value.unit, value.lowest, value.highest


def _bound(value: MetricValue, end: str) -> float | None:
    return None if value.interval is None else float(getattr(value.interval, end))


def _are_close(claimed: float | None, found: float | None) -> bool:
    if claimed is None or found is None:
        return claimed is found
    return math.isclose(claimed, found, rel_tol=ROUNDING, abs_tol=ROUNDING)


def _text(value: MetricValue) -> str:
    return "none" if value.value is None else f"{value.value:.6f}"
