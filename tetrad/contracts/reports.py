"""What scoring says of a submission, and what a second instance says of such a report."""

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

    `value` is None where nothing was asked, and where the metric could not be computed: then `reason` says so.
    `total` is the sum of per-item means over `items`.
    `unit` is one of those above; the value lies in `lowest`..`highest`, where None is no bound. A report made before
    there were units has shares only.
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

    `answer`: what was read; a diagnosis is JSON text.
    `outcome`: what else was found of the answer, by name (`tetrad.extraction.judging`; `judge`: a judge's verdict).
    `stop`: why the reply ended, where the team said so.
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


class Versions(Wire, frozen=True, kw_only=True):
    tetrad: str
    benchmark: int
    reader: int
    scorer: int
    bank: str


class Report(Wire, frozen=True, kw_only=True):
    """`answers_digest` binds every answer read and every reply (tetrad.reporting.digests).

    With `aggregates_only`, the report of a fixed corpus, `questions` is empty, numbers are rounded and groups of few
    items are left out.
    `conversation` is how the team says that it put the questions of an item; reports of older versions lack it and are
    of fresh contexts.
    `stops` counts why replies ended, of those where the team said so. Refused, blocked and cut ones count as wrong.
    `revision` is 1, and one more each time an operator had the submission scored again by a newer scorer.
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


class VerificationRequest(Request, frozen=True, kw_only=True):
    """Check another instance's report here. `report` is the JSON body that instance gave."""

    report: Report


class Finding(Wire, frozen=True, kw_only=True):
    """One claim checked. `ok` false names what differs: `claimed` there, `found` here."""

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
