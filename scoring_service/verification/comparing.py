"""Checking a report that another instance made: regenerate the draw here and compare every claim.

This proves that the report is consistent: these keys follow from this seed, these verdicts from these answers and
keys, this score from these verdicts. It does not prove that a model gave the answers, nor that nobody looked.
"""

from collections.abc import Iterable, Iterator, Sequence

from scoring_service.judge.second_opinions import JUDGE
from scoring_service.metrics import measure
from scoring_service.metrics.chance import Chance
from scoring_service.metrics.scored_questions import scored_question_of
from scoring_service.scoring import headline_of
from scoring_service.verification.claims import Claimed, differing, finding
from tetrad.commitments import commitment_of
from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.benchmarks import BenchmarkInfo, Card
from tetrad.contracts.items import KeyedQuestion
from tetrad.contracts.reports import Finding, MetricValue, QuestionResult, Report
from tetrad.contracts.wire import Facets
from tetrad.extraction.answers import is_legal
from tetrad.extraction.judging import Judged, judge_answer
from tetrad.internal.draws import KeyedItem, RegenerateRequest
from tetrad.reporting.digests import answers_digest

MOST_FINDINGS = 100
NONE = "none"


def before_regeneration(report: Report, info: BenchmarkInfo | None) -> list[Finding]:
    """Check what needs no keys: version and bank known here, commitment, digest of the answers, counts.

    With `info` None, or with another bank, the draw cannot be regenerated here, and never that of a fixed corpus.
    """
    if report.aggregates_only or (info is not None and info.card.corpus is not None):
        return _corpus_findings(report, info)
    identity, versions = report.identity, report.versions
    here = NONE if info is None else f"{info.card.name} {info.card.version}"
    largest = report.size if info is None else min(report.size, info.card.largest_draw)
    verdicts = [result.verdict for result in report.questions]
    places = {(result.item, result.question) for result in report.questions}
    return [
        finding("version", "identity.version", f"{identity.benchmark} {identity.version}", here),
        finding("version", "versions.benchmark", versions.benchmark, identity.version),
        finding("bank", "identity.bank", identity.bank, NONE if info is None else info.bank),
        finding("bank", "versions.bank", versions.bank, identity.bank),
        finding("commitment", "commitment", report.commitment, commitment_of(identity, report.seed, report.size)),
        finding("size", "size", report.size, largest),
        finding("answers", "answers_digest", report.answers_digest, answers_digest(report.questions)),
        finding("count", "questions", len(verdicts), len(places)),
        finding("count", "items", report.size, _items_of(report)),
        finding("count", "questions_asked", report.questions_asked, len(verdicts)),
        finding("count", "unread", report.unread, verdicts.count("unread")),
        finding("count", "missing", report.missing, verdicts.count("missing")),
    ]


def _corpus_findings(report: Report, info: BenchmarkInfo | None) -> list[Finding]:
    """Check what can be checked of a corpus's report without its keys, and say that the rest can't be."""
    identity = report.identity
    return [
        finding("bank", "identity.bank", identity.bank, NONE if info is None else info.bank),
        finding("commitment", "commitment", report.commitment, commitment_of(identity, report.seed, report.size)),
        finding(
            "corpus",
            "report",
            "keys, verdicts and numbers",
            "not checked: this is a fixed corpus, whose reports hold aggregates only; it needs the corpus itself and "
            "the team's answers",
        ),
    ]


def can_regenerate(report: Report, info: BenchmarkInfo | None) -> bool:
    """Tell whether the draw can be made here. Never of a corpus: what differs from a claim would tell its keys.

    Anybody may ask, and making items takes time: none is made of a draw that was never committed to, or is larger
    than any here, or for a report that does not name every item (each has a question, answered or missing).
    """
    if report.aggregates_only or info is None or info.card.corpus is not None or info.bank != report.identity.bank:
        return False
    fits = report.commitment == commitment_of(report.identity, report.seed, report.size)
    return fits and report.size <= info.card.largest_draw and report.size == _items_of(report)


def regeneration_of(report: Report) -> RegenerateRequest:
    """Return the request for the keys of this draw. Which questions were asked follows from the answers."""
    return RegenerateRequest(
        identity=report.identity, seed=report.seed, size=report.size, answers=list(_answers(report.questions))
    )


def after_regeneration(report: Report, items: Iterable[KeyedItem], card: Card) -> list[Finding]:
    """Check every key, verdict and number against the draw as it comes out here."""
    claimed = {(result.item, result.question): result for result in report.questions}
    pairs = [
        (keyed, claimed.pop((item.item, keyed.question.id), None), item.item)
        for item in items
        for keyed in item.questions
    ]
    unasked = [finding("question", _place(item, question), "asked", "never asked") for item, question in claimed]
    chance = Chance(card.chance)
    scored = [scored_question_of(keyed, _as_found(keyed, result, item), chance) for keyed, result, item in pairs]
    return [
        *unasked,
        *(one for keyed, result, item in pairs for one in _question_findings(keyed, result, item)),
        *_metric_findings(report, measure(card, scored), card),
    ]


def summarised(findings: Iterable[Finding]) -> list[Finding]:
    """Return failures first, then one line for each kind of check that found nothing wrong; at most 100."""
    listed = list(findings)
    failures = [one for one in listed if not one.ok]
    failed = {one.check for one in failures}
    passed: dict[str, int] = {}
    for one in listed:
        if one.check not in failed:
            passed[one.check] = passed.get(one.check, 0) + 1
    confirmations = [
        Finding(check=check, ok=True, where="report", claimed=f"{count} claims", found="the same here")
        for check, count in passed.items()
    ]
    return [*failures[: MOST_FINDINGS - len(confirmations)], *confirmations]


def _items_of(report: Report) -> int:
    return len({result.item for result in report.questions})


def _answers(results: Iterable[QuestionResult]) -> Iterator[SealedAnswer]:
    """Yield the answers as claimed: one that was not read goes as a text that reads as nothing."""
    for result in results:
        if result.verdict != "missing":
            response = "" if result.answer is None else None
            yield SealedAnswer(item=result.item, question=result.question, answer=result.answer, response=response)


def _question_findings(keyed: KeyedQuestion, result: QuestionResult | None, item: int) -> list[Finding]:
    where = _place(item, keyed.question.id)
    if result is None:
        return [finding("question", where, "not listed", "asked")]
    return [
        finding("key", f"{where}.key", result.key, keyed.key.label),
        finding("verdict", f"{where}.verdict", result.verdict, _judged(keyed, result).verdict),
        finding("outcome", f"{where}.outcome", sorted(result.outcome.items()), sorted(_outcome(keyed, result).items())),
        finding("facets", f"{where}.facets", sorted(result.facets.items()), sorted(keyed.facets.items())),
    ]


def _as_found(keyed: KeyedQuestion, result: QuestionResult | None, item: int) -> QuestionResult:
    """Return the claimed answer, judged by the key found here."""
    claim = Claimed.missing() if result is None else Claimed(result.answer, _judged(keyed, result).verdict)
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


def _judged(keyed: KeyedQuestion, result: QuestionResult) -> Judged:
    """Unread and missing both have no answer; which of the two it was is the claimant's word."""
    if result.answer is None and result.verdict == "missing":
        return Judged("missing")
    legal = result.answer if result.answer and is_legal(keyed.question.shape, result.answer) else None
    return judge_answer(keyed.key, legal)


def _outcome(keyed: KeyedQuestion, result: QuestionResult) -> Facets:
    """A judge's second opinion can't be asked for again: it is the claimant's word, too."""
    opinion = {JUDGE: result.outcome[JUDGE]} if JUDGE in result.outcome else {}
    return {**_judged(keyed, result).outcome, **opinion}


def _metric_findings(report: Report, found: Sequence[MetricValue], card: Card) -> list[Finding]:
    claimed = {_named(value): value for value in report.metrics}
    here = {_named(value): value for value in found}
    shared = [differing("metric", f"metrics.{name}", claimed[name], here[name]) for name in here if name in claimed]
    lacking = [finding("metric", f"metrics.{name}", "not listed", "listed") for name in here if name not in claimed]
    extra = [finding("metric", f"metrics.{name}", "listed", "no such metric") for name in claimed if name not in here]
    headline = headline_of(card, found)
    return [
        *shared,
        *lacking,
        *extra,
        finding("headline", "headline.name", _named(report.headline), _named(headline)),
        differing("headline", "headline", report.headline, headline),
    ]


def _named(value: MetricValue) -> str:
    facets = ",".join(f"{name}={facet}" for name, facet in sorted(value.facets.items()))
    return f"{value.name}[{facets}]" if facets else value.name


def _place(item: int, question: str) -> str:
    return f"questions.{item}.{question}"
