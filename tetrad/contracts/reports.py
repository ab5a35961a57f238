"""Reports of scored submissions, and verifications of reports by a second instance."""

from tetrad.contracts.benchmarks import Conversation
from tetrad.contracts.inference import StopKind
from tetrad.contracts.items import DrawIdentity
from tetrad.contracts.wire import Digest, Facets, Request, Timestamp, Wire

SHARE, DIFFERENCE, COUNT, WEIGHT, COEFFICIENT = "share", "difference", "count", "weight", "coefficient"
"""Units of a metric value: a share of questions in [0, 1], a difference of two shares in [-1, 1], a count from 0, a
weight of a regression in log odds, a coefficient of agreement in [-1, 1]."""


class IntervalValue(Wire, frozen=True, kw_only=True):
    """lower..upper covers the true value with the stated level; `method` names how."""

    lower: float
    upper: float
    level: float
    method: str


class MetricValue(Wire, frozen=True, kw_only=True):
    """One number. `items` counts independent units (clusters), `questions` what was averaged.

    `value` is None if nothing was asked, or if the metric could not be computed; then `reason` says why. `total` is the
    sum of per-item means over `items`. `unit` is one of the units above. The value lies in `lowest`..`highest`; None is
    no bound.
    """

    name: str
    facets: Facets
    value: float | None
    interval: IntervalValue | None
    standard_error: float | None
    items: int
    questions: int
    total: float
    uniform_chance: float | None = None
    stated_chance: float | None = None
    unit: str = SHARE
    lowest: float | None = 0.0
    highest: float | None = 1.0
    reason: str = ""


class QuestionResult(Wire, frozen=True, kw_only=True):
    """verdict: correct, incorrect, unread or missing. `reason`: why.

    `answer`: the extracted answer; a diagnosis is JSON text.
    `outcome`: further facts about the answer, by name (see `tetrad.extraction.judging`; `judge` is a judge's verdict).
    `stop`: the reason why the reply ended, if the team gave it.
    `cluster`: a name that items which are not independent share, such as those of one photograph; "" for all others.
    `begins_inside_thinking`: the reply closes thinking that it never opened; what stands before was not read.
    """

    item: int
    question: str
    verdict: str
    answer: str | None
    key: str
    reason: str
    facets: Facets
    outcome: Facets = {}
    reply_digest: Digest | None = None
    stop: StopKind | None = None
    cluster: str = ""
    begins_inside_thinking: bool = False


class Versions(Wire, frozen=True, kw_only=True):
    tetrad: str
    benchmark: int
    reader: int
    scorer: int
    bank: str


class Report(Wire, frozen=True, kw_only=True):
    """`answers_digest` binds every extracted answer and every reply (tetrad.reporting.digests).

    With `aggregates_only`, the report of a fixed corpus, `questions` is empty, numbers are rounded and groups of few
    items are left out. `conversation` is the way in which the team says it asked the questions of an item. `stops`
    counts the reasons why replies ended, as far as the team gave them. Refused, blocked and cut replies count as wrong.
    `incomplete` counts the answers that were read in replies that are not complete: `stop` is length or unknown.
    `begin_inside_thinking` counts the replies that close thinking which they never opened.
    `revision` is 1, and one more each time an operator had the submission scored again by a newer scorer.
    `extracted_by_model` counts the answers that a model extracted from replies that our extractor can't read;
    `headline_without_model` is the headline's value if they count as wrong. `published_scores`, of a fixed corpus whose
    labels everybody can have: the headline's score of each published item, or of the items that share one picture, by
    its name in the corpus.
    """

    submission: str
    identity: DrawIdentity
    size: int
    seed: Digest
    commitment: Digest
    scored_at: Timestamp
    versions: Versions
    headline: MetricValue
    metrics: list[MetricValue]
    questions_asked: int
    unread: int
    missing: int
    answers_digest: Digest
    questions: list[QuestionResult]
    aggregates_only: bool = False
    revision: int = 1
    conversation: Conversation = "fresh"
    stops: dict[str, int] = {}
    incomplete: int = 0
    begin_inside_thinking: int = 0
    extracted_by_model: int = 0
    headline_without_model: float | None = None
    published_scores: dict[str, float] = {}


class VerificationRequest(Request, frozen=True, kw_only=True):
    """Check another instance's report here. `report` is the JSON body that instance gave."""

    report: Report


class Finding(Wire, frozen=True, kw_only=True):
    """One checked claim. If `ok` is false, `claimed` is the report's value and `found` is this instance's."""

    check: str
    ok: bool
    where: str
    claimed: str
    found: str


class Verification(Wire, frozen=True, kw_only=True):
    """state: queued, done or failed; `confirmed` once done. Findings list failures first."""

    id: str
    state: str
    confirmed: bool | None = None
    findings: list[Finding] = []
    failure: str | None = None
    created_at: Timestamp
    finished_at: Timestamp | None = None
