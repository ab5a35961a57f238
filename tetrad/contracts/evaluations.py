"""Evaluations: the service answers submissions itself, with models of its gateway. And what they take and give."""

from typing import Annotated, Literal, TypeAlias

import msgspec

from tetrad.contracts.benchmarks import ConversationChoice, Counted
from tetrad.contracts.inference import StopKind
from tetrad.contracts.items import DrawIdentity
from tetrad.contracts.reports import MetricValue
from tetrad.contracts.submissions import DEFAULT_SIZE, DeadlineHours, Nonce, Progress, Size, Visibility
from tetrad.contracts.wire import Digest, Facets, Name, ParameterValue, Request, Timestamp, Wire

Tier: TypeAlias = Literal["quick", "standard", "full"]
TIERS: dict[Tier, int] = {"quick": 50, "standard": DEFAULT_SIZE, "full": 1000}
"""Items of each tier. Of a fixed corpus, `full` is all of its items."""

MOST_MODELS, MOST_REPEATS = 8, 10
MOST_CONCURRENCY = 64
MicroDollars: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
Share: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1)]
ServedModel: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
Unanswered: TypeAlias = Literal["wrong", "unranked"]
"""The rule for an evaluation that ends before all is answered. It is fixed when the evaluation starts.

wrong: what is unanswered counts as wrong, and the attempt counts on the board. unranked: if its budget is used up or
it fails, the attempt counts on no board, and says so. A cancel and the deadline always leave the rest wrong.
"""

EvaluationState: TypeAlias = Literal["queued", "running", "paused", "scoring", "done"]
Outcome: TypeAlias = Literal["complete", "cancelled", "out-of-budget", "deadline", "failed"]
"""The end of an evaluation or of a run of it."""

DrawKind: TypeAlias = Literal["fresh", "shared", "revealed"]


class Thresholds(Request, frozen=True, kw_only=True):
    """Hold the evaluation to these. Each is optional; the result says which are met.

    least_accuracy: pass by the lower bound, fail by the upper. allow_drop: the margin of non-inferiority against the
    baseline. most_unread: the largest share of replies without an answer, or not complete. most_cost: micro-dollars.
    most_minutes: from the first question to the last answer.
    """

    least_accuracy: Share | None = None
    allow_drop: Share | None = None
    most_unread: Share | None = None
    most_cost: MicroDollars | None = None
    most_minutes: Annotated[float, msgspec.Meta(gt=0, le=10_080)] | None = None


class EvaluationRequest(Request, frozen=True, kw_only=True):
    """An evaluation to run. What is left out is as in a SubmissionRequest.

    models: ids that GET /v1/models lists with kind service; several share one sealed draw, which is revealed when the
    last one is done. size or tier: quick is 50 items, standard 250, full 1,000. strategy: the prompt's. repeats: how
    often each model answers the draw; the first time counts on the board. budget: the most that all calls together
    may cost, in micro-dollars; by default the instance's, where models cost money. concurrency: questions in flight of
    each model; the gateway's permits bound the calls. on: a scored submission whose draw is answered again; such an
    evaluation counts on no board.
    baseline: a scored submission that the result compares with. extraction_model: a model that is asked which answer a
    reply gives that our extractor can't read. Its rows on the board have its name behind a plus sign.
    unanswered: the rule for what is unanswered if it ends early.
    """

    benchmark: Name
    models: Annotated[list[ServedModel], msgspec.Meta(min_length=1, max_length=MOST_MODELS)]
    track: Name | None = None
    setting: Name | None = None
    parameters: dict[str, ParameterValue] = {}
    source: Annotated[list[str], msgspec.Meta(max_length=8)] = []
    conversation: ConversationChoice = "as-card"
    size: Size | None = None
    tier: Tier | None = None
    strategy: Name = "direct"
    repeats: Annotated[int, msgspec.Meta(ge=1, le=MOST_REPEATS)] = 1
    budget: MicroDollars | None = None
    concurrency: Annotated[int, msgspec.Meta(ge=1, le=MOST_CONCURRENCY)] = 8
    visibility: Visibility = "public"
    nonce: Nonce | None = None
    deadline_hours: DeadlineHours = 24.0
    unanswered: Unanswered = "wrong"
    on: Annotated[str, msgspec.Meta(max_length=64)] | None = None
    baseline: Annotated[str, msgspec.Meta(max_length=64)] | None = None
    extraction_model: ServedModel | None = None
    thresholds: Thresholds = Thresholds()


class PauseRequest(Request, frozen=True, kw_only=True):
    """A pause. After `hours` the evaluation goes on by itself. The deadline for answers does not move."""

    hours: Annotated[float, msgspec.Meta(gt=0, le=168)] = 1.0


class ResumeRequest(Request, frozen=True, kw_only=True):
    """A resume. `budget`: micro-dollars, if the evaluation has a budget and is to go on with a larger one."""

    budget: MicroDollars | None = None


class Expected(Wire, frozen=True, kw_only=True):
    """Expectations of an evaluation. They are said before anything is spent.

    questions: at most so many, all models and repeats together; a staged benchmark may ask fewer. cost: micro-dollars,
    null where the price of a model is unknown; an estimate, by the method that `cost_by` tells. least_difference: the
    smallest drop, as a share, that this size can decide against a baseline with 80% power at a one-sided 5%, by
    pairing: `paired` on the same items and `unpaired` on others. budget: micro-dollars that a budget needs for
    that cost: the gateway reserves the most that a call can cost before it makes it, so the last call needs more room
    than it costs. budget_left: micro-dollars, the least that is left of the evaluation's own budget and of the team's
    bound on models; null where there is neither. counted: how many items of a run will count on the board; null where
    there is no board.
    """

    questions: int
    cost: int | None
    cost_by: str
    budget: int | None = None
    budget_left: int | None = None
    least_difference: dict[str, float] = {}
    counted: Counted | None = None


class QueuePlace(Wire, frozen=True, kw_only=True):
    """The place in the queue of runs: 1 is next. `age_seconds`: how long it has waited."""

    position: int
    waiting: int
    age_seconds: float


class EvaluationRun(Wire, frozen=True, kw_only=True):
    """One model's answers to the draw, which are a submission of its own.

    row: the model's name on the board. calls: model calls that gave a reply. retries: attempts that failed and were
    made again. `kept` counts replies that the gateway had kept from an earlier attempt of the same call. cost:
    micro-dollars by the reported usage; null where a price or a usage is unknown.
    """

    submission: str
    model: str
    row: str
    repeat: int
    state: EvaluationState
    outcome: Outcome | None = None
    progress: Progress
    calls: int = 0
    retries: int = 0
    kept: int = 0
    cost: int | None = None
    failure: str | None = None
    queue: QueuePlace | None = None


class Evaluation(Wire, frozen=True, kw_only=True):
    """An evaluation. Nothing here tells whether an answer is right.

    state: queued (waits for a worker), running, paused, scoring (all is answered, reports follow) or done. outcome:
    null until it ends. spent: micro-dollars that the gateway has booked, rounded up; calls in flight are not in it.
    unranked: the reason why it counts on no board, "" if it counts.
    """

    id: str
    team: str
    state: EvaluationState
    outcome: Outcome | None = None
    draw: DrawKind
    identity: DrawIdentity
    size: int
    commitment: Digest
    request: EvaluationRequest
    expected: Expected
    runs: list[EvaluationRun]
    spent: int
    unranked: str = ""
    created_at: Timestamp
    begun_at: Timestamp | None = None
    ended_at: Timestamp | None = None
    deadline_at: Timestamp
    paused_until: Timestamp | None = None
    pause_reason: str = ""
    origin: str = "run by the service"
    links: dict[str, str] = {}


class EvaluationList(Wire, frozen=True, kw_only=True):
    evaluations: list[Evaluation]
    next: str | None = None


class EvaluationQueue(Wire, frozen=True, kw_only=True):
    """The queue of all teams together: runs that wait and that run, and the age of the oldest that waits."""

    waiting: int
    running: int
    oldest_age_seconds: float


class ModelCall(Wire, frozen=True, kw_only=True):
    """One reply of a model, as it was measured. A number that the provider did not report is null, not 0.

    step: the place among the requests of the strategy, from 0. seconds: from the request to the reply, waits included.
    waited_seconds: of them, waiting at the gateway. attempts: requests to the gateway. upstream_attempts: calls of the
    provider for this reply. kept: the gateway had the reply from an earlier attempt. cost: nanodollars by usage.
    reply: the text, of steps before the last; the last one's is the submission's answer. thought: where a reply has no
    text, the end of what the model thought instead. It is never read for an answer.
    """

    item: int
    question: str
    step: int
    asked_at: Timestamp
    seconds: float
    waited_seconds: float | None = None
    attempts: int
    upstream_attempts: int | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost: int | None = None
    stop: StopKind | None = None
    served_by: str = ""
    kept: bool = False
    reply: str | None = None
    thought: str | None = None


class ModelCallPage(Wire, frozen=True, kw_only=True):
    calls: list[ModelCall]
    next: str | None = None


class Tokens(Wire, frozen=True, kw_only=True):
    """Sums over the replies that reported them. `unreported` counts the replies without a usage."""

    prompt: int
    completion: int
    cached: int
    reasoning: int
    unreported: int


class Latency(Wire, frozen=True, kw_only=True):
    """Percentiles of the seconds from a request to its reply, waits included; null without replies."""

    p50: float | None
    p90: float | None
    p99: float | None
    longest: float | None


class Effort(Wire, frozen=True, kw_only=True):
    """The effort that some questions took. `facets` names the stage and the domain, or nothing for all of them.

    questions: asked. refused, cut, unread, missing: replies that the model declined or a filter blocked, that ended
    without a reason, that hold no answer that we can extract, and that never came. cost: micro-dollars by usage, null
    if a price or a usage is unknown.
    """

    facets: Facets
    questions: int
    correct: int
    refused: int
    cut: int
    unread: int
    missing: int
    calls: int
    retries: int
    cost: int | None
    tokens: Tokens
    latency: Latency


GateVerdict: TypeAlias = Literal["pass", "fail", "could-not-tell"]


class GateOutcome(Wire, frozen=True, kw_only=True):
    """One threshold: verdict is pass, fail or could-not-tell, with the numbers that decide it by name."""

    gate: str
    verdict: GateVerdict
    why: str
    numbers: dict[str, float] = {}


class RunResult(Wire, frozen=True, kw_only=True):
    """The result of one run: its headline, what it took in all, and by stage and domain.

    failure: why there is no report. comparison: with the baseline of the request. extracted_by_model: answers that the
    extraction model found in replies which our extractor can't read; headline_without_model: the headline's value if
    they count as wrong.
    """

    submission: str
    model: str
    row: str
    repeat: int
    outcome: Outcome
    headline: MetricValue | None
    total: Effort
    groups: list[Effort]
    seconds: float | None
    comparison: "Comparison | None" = None
    gates: list[GateOutcome] = []
    failure: str | None = None
    extracted_by_model: int = 0
    headline_without_model: float | None = None


class EvaluationResult(Wire, frozen=True, kw_only=True):
    """The result of an evaluation, once every run has its report. `spent`: micro-dollars booked by the gateway."""

    evaluation: str
    outcome: Outcome
    unranked: str
    spent: int
    runs: list[RunResult]


class McNemar(Wire, frozen=True, kw_only=True):
    """The exact test of paired verdicts: items that only one side got right, and the two-sided p value."""

    only_a: int
    only_b: int
    p_value: float


class ComparedInterval(Wire, frozen=True, kw_only=True):
    lower: float
    upper: float
    level: float
    method: str


class Comparison(Wire, frozen=True, kw_only=True):
    """b less a: is b worse than a, by how much, and how many items would tell.

    a, b: submissions, or rows of a board as TEAM/MODEL. pairing: paired if both answered one draw. items: clusters of
    each side, or the pairs. difference: in [-1, 1]. least_detectable: the smallest difference that this many items
    tell with 80% power at a one-sided 5%. items_needed: so many items of b would tell a difference of `margin`, or so
    many pairs; null where nothing can be said. items_of_each: so many items of either side would, where both are drawn
    anew. items_to_part: so many of either side would tell the difference that was seen, if it is the true one; null
    where the sides are paired or equal. mcnemar: null if not paired or if an item's score is more than one verdict.
    """

    a: str
    b: str
    pairing: Literal["paired", "unpaired"]
    metric: str
    score_a: float
    score_b: float
    items_a: int
    items_b: int
    difference: float
    interval: ComparedInterval
    mcnemar: McNemar | None = None
    p_value: float | None = None
    adjusted_p_value: float | None = None
    discordance: float | None = None
    least_detectable: float | None = None
    margin: float | None = None
    items_needed: int | None = None
    items_of_each: int | None = None
    items_to_part: int | None = None


class ComparisonTable(Wire, frozen=True, kw_only=True):
    """Pairs of a board's ranked rows. `adjusted_p_value` of each is corrected over all of them by Holm's method.

    compared: "all" pairs, or, of boards with more than 50 ranked rows, "neighbours" in the board's order.
    """

    benchmark: str
    track: str
    setting: str
    rows: list[str]
    pairs: list[Comparison]
    correction: str = "Holm"
    compared: Literal["all", "neighbours"] = "all"


class BaselinesRequest(Request, frozen=True, kw_only=True):
    """Baselines to run on every track and setting of some benchmarks. They are listed and never ranked.

    Benchmarks are named, because all of them are hundreds of evaluations.
    """

    benchmarks: Annotated[list[Name], msgspec.Meta(min_length=1, max_length=50)]
    models: Annotated[list[ServedModel], msgspec.Meta(max_length=20)] = []
    size: Size = DEFAULT_SIZE
    reason: Annotated[str, msgspec.Meta(max_length=500)] = ""


class BaselinesStarted(Wire, frozen=True, kw_only=True):
    """Evaluations that were started, and the places that were left out with the reason."""

    evaluations: list[str]
    left_out: dict[str, str] = {}
