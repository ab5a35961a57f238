"""Reports of scored submissions, and verifications of reports by a second instance."""

from tetrad.contracts.benchmarks import Conversation
from tetrad.contracts.inference import StopKind
from tetrad.contracts.items import DrawIdentity
from tetrad.contracts.wire import Digest, Facets, Request, Timestamp, Wire

SHARE, DIFFERENCE, COUNT, WEIGHT, COEFFICIENT = "share", "difference", "count", "weight", "coefficient"
"""Units of a metric value: a share of questions in [0, 1], a difference of two shares in [-1, 1], a count from 0, a
weight of a regression in log odds, a coefficient of agreement in [-1, 1]."""


class IntervalValue(Wire, frozen=True, kw_only=True):
    """An interval of a figure."""

    lower: float
    """The lower bound, in the figure's own unit."""
    upper: float
    """The upper bound, in the figure's own unit."""
    level: float
    """The share of draws in which such an interval covers the true value, such as 0.95."""
    method: str
    """The name of the method that made it; docs/protocol.md explains each."""


class MetricValue(Wire, frozen=True, kw_only=True):
    """One number of a report."""

    name: str
    """The metric's name, as the card declares it."""
    facets: Facets
    """The values of facets that the number is about; empty is all that the metric counts."""
    value: float | None
    """The number, in `unit`; null if nothing was asked or if it can't be computed, and then `reason` says why."""
    interval: IntervalValue | None
    """Its interval; null where the metric has none."""
    standard_error: float | None
    """Its standard error, by the spread between items, in the same unit; null where it has none."""
    items: int
    """Independent units (clusters) that were averaged: items that share a puzzle, object or picture count once."""
    questions: int
    """Questions that were averaged."""
    total: float
    """The sum of per-item means over `items`, from which boards pool."""
    uniform_chance: float | None = None
    """What guessing scores on exactly these questions, from 0 to 1; null where it is no share of right answers."""
    stated_chance: float | None = None
    """What guessing scores by the paper's figure, from 0 to 1; null where it states none."""
    unit: str = SHARE
    """share (0 to 1), difference (of two shares, -1 to 1), count (from 0), weight (log odds) or coefficient (-1 to 1).
    """
    lowest: float | None = 0.0
    """The least value that it can have; null is no bound."""
    highest: float | None = 1.0
    """The largest value that it can have; null is no bound."""
    reason: str = ""
    """Why there is no value; "" where there is one."""


class QuestionResult(Wire, frozen=True, kw_only=True):
    """The end of one question: its verdict, and what it rests on."""

    item: int
    """Index of the item in the draw, from 0."""
    question: str
    """Id of the question."""
    verdict: str
    """correct, incorrect, unread (a reply without an answer that we can extract) or missing (no reply)."""
    answer: str | None
    """The extracted answer; a diagnosis is JSON text; null if there is none."""
    key: str
    """The right answer, in the form of an `answer`."""
    reason: str
    """How the answer was found in the reply, or why none was."""
    facets: Facets
    """The question's facets: what reports are split by."""
    outcome: Facets = {}
    """Further facts about the answer, by name, such as `mistake`; `judge` is a judge's verdict."""
    reply_digest: Digest | None = None
    """SHA-256 of the model's whole reply; null if the team sent an option."""
    stop: StopKind | None = None
    """Why the reply ended; null if the team did not say."""
    cluster: str = ""
    """A name that items which are not independent share, such as those of one photograph; "" for all others."""
    begins_inside_thinking: bool = False
    """Whether the reply closes thinking that it never opened; what stands before was not read."""


class Versions(Wire, frozen=True, kw_only=True):
    """The versions that a report depends on."""

    tetrad: str
    """Version of the package that scored it."""
    benchmark: int
    """Version of the benchmark."""
    reader: int
    """Version of the code that extracts answers from replies."""
    scorer: int
    """Version of the code that scores extracted answers."""
    bank: str
    """Digest of the sources that the items were drawn from."""


class Report(Wire, frozen=True, kw_only=True):
    """The report of a scored submission.

    It publishes the seed, so that anybody can make the items again and check it.
    """

    submission: str
    """Id of the submission."""
    identity: DrawIdentity
    """What its items depend on except the seed."""
    size: int
    """The number of items drawn."""
    seed: Digest
    """The seed of the draw, as 64 hex digits, public from now on."""
    commitment: Digest
    """The commitment that the log published before the first question was shown: it binds the seed."""
    scored_at: Timestamp
    """When it was scored: RFC 3339, UTC."""
    versions: Versions
    """The versions that it depends on."""
    headline: MetricValue
    """The one number that a board ranks by."""
    metrics: list[MetricValue]
    """Every metric of the card, as a whole and split by its facets."""
    questions_asked: int
    """Questions that were opened, those without an answer included."""
    unread: int
    """Answers in which no answer could be extracted. They count as wrong."""
    missing: int
    """Questions without a reply. They count as wrong."""
    answers_digest: Digest
    """SHA-256 that binds every extracted answer and every reply (`tetrad.reporting.digests`)."""
    questions: list[QuestionResult]
    """How each question ended; empty with `aggregates_only`."""
    aggregates_only: bool = False
    """Whether it is the report of a fixed corpus: no questions, rounded numbers, no groups of few items."""
    revision: int = 1
    """1, and one more each time an operator had the submission scored again by a newer scorer."""
    conversation: Conversation = "fresh"
    """How the team says it asked the questions of an item: each in a fresh context, or joined."""
    stops: dict[str, int] = {}
    """By reason why replies ended, their number, as far as the team gave it. Refused, blocked and cut replies count as
    wrong.
    """
    incomplete: int = 0
    """Answers that were read in replies that are not complete, so that they may not be the model's last word."""
    begin_inside_thinking: int = 0
    """Replies that close thinking which they never opened."""
    extracted_by_model: int = 0
    """Answers that a model extracted from replies that our extractor can't read."""
    headline_without_model: float | None = None
    """The headline's value if those count as wrong; null if there are none."""
    published_scores: dict[str, float] = {}
    """Of a fixed corpus whose labels everybody can have: by published item, or by picture that items share, the
    headline's score of it. Otherwise empty.
    """


class VerificationRequest(Request, frozen=True, kw_only=True):
    """Another instance's report, to be checked here."""

    report: Report
    """The JSON body that the other instance gave, unchanged."""


class Finding(Wire, frozen=True, kw_only=True):
    """One claim of a report, checked."""

    check: str
    """What was checked, such as the commitment, the keys or the score."""
    ok: bool
    """Whether the claim holds."""
    where: str
    """The part of the report that it is about."""
    claimed: str
    """What the report says."""
    found: str
    """What this instance finds."""


class Verification(Wire, frozen=True, kw_only=True):
    """A check of another instance's report."""

    id: str
    """ver_ and 32 hex digits."""
    state: str
    """queued, done or failed."""
    confirmed: bool | None = None
    """Whether every claim holds; null until it is done."""
    findings: list[Finding] = []
    """What was checked, failures first; empty until it is done."""
    failure: str | None = None
    """Why the check itself could not be done; null otherwise."""
    created_at: Timestamp
    """When it was asked for: RFC 3339, UTC."""
    finished_at: Timestamp | None = None
    """When it ended: RFC 3339, UTC; null until then."""
