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
    """Thresholds to hold an evaluation to. Each is optional; the result says which are met."""

    least_accuracy: Share | None = None
    """The headline's least value, from 0 to 1: it passes if the lower bound reaches it, and fails if the upper bound
    does not.
    """
    allow_drop: Share | None = None
    """The largest drop against the baseline, from 0 to 1: the margin of a test of non-inferiority."""
    most_unread: Share | None = None
    """The largest share of replies without an answer, or not complete, from 0 to 1."""
    most_cost: MicroDollars | None = None
    """The most that the run may cost, in micro-dollars."""
    most_minutes: Annotated[float, msgspec.Meta(gt=0, le=10_080)] | None = None
    """The most minutes from the first question to the last answer, up to a week."""


class EvaluationRequest(Request, frozen=True, kw_only=True):
    """An evaluation to run. What is left out is as in a SubmissionRequest."""

    benchmark: Name
    """The benchmark to draw from, in its newest version."""
    models: Annotated[list[ServedModel], msgspec.Meta(min_length=1, max_length=MOST_MODELS)]
    """Ids that GET /v1/models lists with kind service. Several share one sealed draw, which is revealed when the last
    one is done.
    """
    track: Name | None = None
    """The track; by default the card's first."""
    setting: Name | None = None
    """The setting; by default the track's first."""
    parameters: dict[str, ParameterValue] = {}
    """By name, the parameters that are to differ from the card's defaults."""
    source: Annotated[list[str], msgspec.Meta(max_length=8)] = []
    """KIND:NAME of sources to draw from, one of a kind; by default those that the benchmark's `sources` mark."""
    conversation: ConversationChoice = "as-card"
    """How the questions of an item are asked: joined in one conversation, each in a fresh context, or as the card says.
    """
    size: Size | None = None
    """Items to draw; null if `tier` is given. By default the tier standard."""
    tier: Tier | None = None
    """quick is 50 items, standard 250, full 1,000; full of a fixed corpus is all of its items."""
    strategy: Name = "direct"
    """The prompt's strategy, such as "direct", which asks for the answer at once."""
    repeats: Annotated[int, msgspec.Meta(ge=1, le=MOST_REPEATS)] = 1
    """How often each model answers the draw. The first time counts on the board."""
    budget: MicroDollars | None = None
    """The most that all calls together may cost, in micro-dollars; by default the instance's, where models cost money.
    """
    concurrency: Annotated[int, msgspec.Meta(ge=1, le=MOST_CONCURRENCY)] = 8
    """Questions in flight of each model. The gateway's own limits bound the calls, too."""
    visibility: Visibility = "public"
    """public (counts on the board once it is scored) or private (only the team reads it; it counts nowhere)."""
    nonce: Nonce | None = None
    """A text of yours that goes into the seed: it proves to you that the seed was not chosen beforehand."""
    deadline_hours: DeadlineHours = 24.0
    """Hours from now until unanswered questions count as wrong: from 0.01 (36 seconds) to 168 (a week)."""
    unanswered: Unanswered = "wrong"
    """The rule for what is unanswered if it ends early, fixed when it starts. wrong: it counts as wrong, and the
    attempt counts. unranked: if the budget is used up or it fails, the attempt counts on no board. A cancel and the
    deadline always leave the rest wrong.
    """
    on: Annotated[str, msgspec.Meta(max_length=64)] | None = None
    """A scored submission whose draw is answered again. Such an evaluation counts on no board."""
    baseline: Annotated[str, msgspec.Meta(max_length=64)] | None = None
    """A scored submission that the result compares with."""
    extraction_model: ServedModel | None = None
    """A model that is asked which answer a reply gives that our extractor can't read. Its rows on the board have its
    name behind a plus sign.
    """
    thresholds: Thresholds = Thresholds()
    """Bounds that the result is held to, one gate each."""


class PauseRequest(Request, frozen=True, kw_only=True):
    """A pause. The deadline for answers does not move."""

    hours: Annotated[float, msgspec.Meta(gt=0, le=168)] = 1.0
    """Hours after which the evaluation goes on by itself, up to a week."""


class ResumeRequest(Request, frozen=True, kw_only=True):
    """A resume."""

    budget: MicroDollars | None = None
    """A larger budget to go on with, in micro-dollars; null leaves it as it is."""


class Expected(Wire, frozen=True, kw_only=True):
    """Expectations of an evaluation. They are said before anything is spent."""

    questions: int
    """At most so many questions, all models and repeats together; a staged benchmark may ask fewer."""
    cost: int | None
    """An estimate of the cost, in micro-dollars; null where the price of a model is unknown."""
    cost_by: str
    """The method of the estimate, in words."""
    budget: int | None = None
    """Micro-dollars that a budget needs for that cost. The gateway reserves the most that a call can cost before it
    makes it, so the last call needs more room than it costs. null where the cost is unknown.
    """
    budget_left: int | None = None
    """Micro-dollars, the least that is left of the evaluation's own budget and of the team's bound on models; null
    where there is neither.
    """
    least_difference: dict[str, float] = {}
    """The smallest drop, as a share, that this size can decide against a baseline with 80% power at a one-sided 5%:
    `paired` on the same items, `unpaired` on others.
    """
    counted: Counted | None = None
    """How many items of a run will count on the board; null where there is no board, or a revealed draw is answered."""


class QueuePlace(Wire, frozen=True, kw_only=True):
    """The place of a run in the queue of all teams."""

    position: int
    """1 is next."""
    waiting: int
    """Runs that wait, this one included."""
    age_seconds: float
    """Seconds that it has waited."""


class EvaluationRun(Wire, frozen=True, kw_only=True):
    """One model's answers to the draw, which are a submission of its own."""

    submission: str
    """Id of the submission."""
    model: str
    """Id of the model in the gateway's registry."""
    row: str
    """The model's name on the board."""
    repeat: int
    """Which time the model answers the draw, from 1."""
    state: EvaluationState
    """queued (waits for a worker), running, paused, scoring (all is answered, the report follows) or done."""
    outcome: Outcome | None = None
    """How it ended: complete, cancelled, out-of-budget, deadline or failed; null until then."""
    progress: Progress
    """How far its questions are answered."""
    calls: int = 0
    """Model calls that gave a reply."""
    retries: int = 0
    """Attempts that failed and were made again."""
    kept: int = 0
    """Replies that the gateway had kept from an earlier attempt of the same call, so that they cost nothing again."""
    cost: int | None = None
    """Micro-dollars by the reported usage; null where a price or a usage is unknown."""
    failure: str | None = None
    """Why it failed; null otherwise."""
    queue: QueuePlace | None = None
    """Its place in the queue; null unless it waits."""


class Evaluation(Wire, frozen=True, kw_only=True):
    """An evaluation as its team sees it. Nothing here tells whether an answer is right."""

    id: str
    """evl_ and 32 hex digits."""
    team: str
    """Name of the team."""
    state: EvaluationState
    """queued (waits for a worker), running, paused, scoring (all is answered, reports follow) or done."""
    outcome: Outcome | None = None
    """How it ended: complete, cancelled, out-of-budget, deadline or failed; null until it ends."""
    draw: DrawKind
    """fresh (sealed for it), shared (its runs answer one draw) or revealed (the draw of an earlier submission)."""
    identity: DrawIdentity
    """What its items depend on except the seed."""
    size: int
    """Items drawn."""
    commitment: Digest
    """Binds the draw before anything is asked: SHA-256 over seed, identity and size."""
    request: EvaluationRequest
    """The request, with its defaults filled in."""
    expected: Expected
    """What was expected before anything was spent."""
    runs: list[EvaluationRun]
    """One run for each model and repeat."""
    spent: int
    """Micro-dollars that the gateway has booked, rounded up; calls in flight are not in it."""
    unranked: str = ""
    """Why it counts on no board; "" if it counts."""
    created_at: Timestamp
    """When it was opened: RFC 3339, UTC."""
    begun_at: Timestamp | None = None
    """When its first question was asked: RFC 3339, UTC; null until then."""
    ended_at: Timestamp | None = None
    """When its last run ended: RFC 3339, UTC; null until then."""
    deadline_at: Timestamp
    """Until when answers count: RFC 3339, UTC. A pause does not move it."""
    paused_until: Timestamp | None = None
    """When it goes on by itself: RFC 3339, UTC; null unless it is paused."""
    pause_reason: str = ""
    """Why it is paused, such as a used-up budget; "" if it is not."""
    origin: str = "run by the service"
    """Who asks the model, as boards say it: "run by the service"."""
    links: dict[str, str] = {}
    """Addresses of what belongs to it, by name: self, pause, resume, cancel, events, result, and each run's submission
    by its id.
    """


class EvaluationList(Wire, frozen=True, kw_only=True):
    """A page of the team's evaluations, newest first."""

    evaluations: list[Evaluation]
    """The evaluations of this page."""
    next: str | None = None
    """Cursor of the next page, for `cursor`; null on the last."""


class EvaluationQueue(Wire, frozen=True, kw_only=True):
    """The queue of all teams together."""

    waiting: int
    """Runs that wait for a worker."""
    running: int
    """Runs that a worker is at."""
    oldest_age_seconds: float
    """Seconds that the oldest waiting run has waited; 0 if none waits."""


class ModelCall(Wire, frozen=True, kw_only=True):
    """One reply of a model, as it was measured. A number that the provider did not report is null, not 0."""

    item: int
    """Index of the item in the draw, from 0."""
    question: str
    """Id of the question."""
    step: int
    """The place among the requests of the strategy, from 0."""
    asked_at: Timestamp
    """When it was asked: RFC 3339, UTC."""
    seconds: float
    """Seconds from the request to the reply, waits included."""
    waited_seconds: float | None = None
    """Of those, seconds that it waited at the gateway."""
    attempts: int
    """Requests to the gateway until there was a reply."""
    upstream_attempts: int | None = None
    """Calls of the provider for this reply."""
    prompt_tokens: int | None = None
    """Tokens of the prompt, in the provider's own count."""
    completion_tokens: int | None = None
    """Tokens of the reply, reasoning included."""
    cached_tokens: int | None = None
    """Of the prompt's tokens, those that the provider had in its cache."""
    reasoning_tokens: int | None = None
    """Of the reply's tokens, those of reasoning."""
    cost: int | None = None
    """Nanodollars by usage; null where a price or the usage is unknown."""
    stop: StopKind | None = None
    """Why the reply ended; null where it is not told."""
    served_by: str = ""
    """Id in the registry of the model whose address answered; after a fallback it differs from the one asked for."""
    kept: bool = False
    """Whether the gateway had the reply from an earlier attempt."""
    reply: str | None = None
    """The text, of steps before the last; the last one's is the submission's answer, and null here."""
    thought: str | None = None
    """Where a reply has no text, the end of what the model thought instead. It is never read for an answer. null
    elsewhere.
    """


class ModelCallPage(Wire, frozen=True, kw_only=True):
    """A page of the calls of one run, by item."""

    calls: list[ModelCall]
    """The calls of this page."""
    next: str | None = None
    """Cursor of the next page, for `cursor`; null on the last."""


class Tokens(Wire, frozen=True, kw_only=True):
    """Sums over the replies that reported them, in the provider's own count."""

    prompt: int
    """Tokens of prompts."""
    completion: int
    """Tokens of replies, reasoning included."""
    cached: int
    """Tokens of prompts that the provider had in its cache."""
    reasoning: int
    """Tokens of reasoning."""
    unreported: int
    """Replies without a usage, which are in none of the sums."""


class Latency(Wire, frozen=True, kw_only=True):
    """Percentiles of the seconds from a request to its reply, waits included.

    Kept replies are left out; null without replies.
    """

    p50: float | None
    """Half of the replies took no longer, in seconds."""
    p90: float | None
    """Nine in ten took no longer, in seconds."""
    p99: float | None
    """99 in 100 took no longer, in seconds."""
    longest: float | None
    """The longest took so many seconds."""


class Effort(Wire, frozen=True, kw_only=True):
    """The effort that some questions took."""

    facets: Facets
    """The stage and the domain that it is about; empty for all questions."""
    questions: int
    """Questions asked."""
    correct: int
    """Questions answered right."""
    refused: int
    """Replies that the model declined, or that a filter of the provider blocked."""
    cut: int
    """Replies that ended without a reason or by a fault."""
    unread: int
    """Replies without an answer that we can extract."""
    missing: int
    """Questions without a reply."""
    calls: int
    """Model calls that gave a reply."""
    retries: int
    """Attempts that failed and were made again."""
    cost: int | None
    """Micro-dollars by usage; null if a price or a usage is unknown."""
    tokens: Tokens
    """The tokens that they took."""
    latency: Latency
    """How long replies took."""


GateVerdict: TypeAlias = Literal["pass", "fail", "could-not-tell"]


class GateOutcome(Wire, frozen=True, kw_only=True):
    """One threshold, held against the run."""

    gate: str
    """Name of the threshold."""
    verdict: GateVerdict
    """pass, fail or could-not-tell."""
    why: str
    """The reason, in words."""
    numbers: dict[str, float] = {}
    """The numbers that decide it, by name."""


class RunResult(Wire, frozen=True, kw_only=True):
    """The result of one run."""

    submission: str
    """Id of the submission."""
    model: str
    """Id of the model in the gateway's registry."""
    row: str
    """The model's name on the board."""
    repeat: int
    """Which time the model answered the draw, from 1."""
    outcome: Outcome
    """How it ended: complete, cancelled, out-of-budget, deadline or failed."""
    headline: MetricValue | None
    """Its score; null if there is no report."""
    total: Effort
    """What it took in all."""
    groups: list[Effort]
    """What it took by stage and domain."""
    seconds: float | None
    """Seconds from the first question to the last answer; null where none was asked."""
    comparison: "Comparison | None" = None
    """Its comparison with the request's baseline; null where there is none."""
    gates: list[GateOutcome] = []
    """One outcome for each threshold of the request."""
    failure: str | None = None
    """Why there is no report; null otherwise."""
    extracted_by_model: int = 0
    """Answers that the extraction model found in replies which our extractor can't read."""
    headline_without_model: float | None = None
    """The headline's value if they count as wrong; null if there are none."""


class EvaluationResult(Wire, frozen=True, kw_only=True):
    """The result of an evaluation, once every run has its report."""

    evaluation: str
    """Id of the evaluation."""
    outcome: Outcome
    """How it ended: complete, cancelled, out-of-budget, deadline or failed."""
    unranked: str
    """Why it counts on no board; "" if it counts."""
    spent: int
    """Micro-dollars that the gateway has booked, rounded up."""
    runs: list[RunResult]
    """One result for each run."""


class McNemar(Wire, frozen=True, kw_only=True):
    """The exact test of paired verdicts."""

    only_a: int
    """Items that only a got right."""
    only_b: int
    """Items that only b got right."""
    p_value: float
    """The two-sided p value."""


class ComparedInterval(Wire, frozen=True, kw_only=True):
    """The interval of a difference."""

    lower: float
    """The lower bound of b less a, from -1 to 1."""
    upper: float
    """The upper bound of b less a, from -1 to 1."""
    level: float
    """The share of draws in which such an interval covers the true difference, such as 0.95."""
    method: str
    """The name of the method that made it; docs/protocol.md explains each."""


class Comparison(Wire, frozen=True, kw_only=True):
    """b less a: is b worse than a, by how much, and how many items would tell."""

    a: str
    """The baseline: a submission, or a row of a board as TEAM/MODEL."""
    b: str
    """The one that may be worse: a submission, or a row of a board as TEAM/MODEL."""
    pairing: Literal["paired", "unpaired"]
    """paired if both answered one draw, or mostly the same items of a fixed corpus; otherwise unpaired."""
    metric: str
    """The metric that is compared."""
    score_a: float
    """Score of a on the items that are compared, from 0 to 1."""
    score_b: float
    """Score of b on the items that are compared, from 0 to 1."""
    items_a: int
    """Clusters of a that are compared; the number of pairs if they are paired."""
    items_b: int
    """Clusters of b that are compared; the number of pairs if they are paired."""
    difference: float
    """Score of b less that of a, from -1 to 1."""
    interval: ComparedInterval
    """Its interval, for this pair alone."""
    mcnemar: McNemar | None = None
    """The exact test; null if not paired, or if an item's score is more than one verdict."""
    p_value: float | None = None
    """The two-sided p value of this pair alone; null where nothing can be tested."""
    adjusted_p_value: float | None = None
    """The p value corrected over the pairs of the table; null for a pair alone."""
    discordance: float | None = None
    """Share of the pairs on which the two differ; null if not paired, or if an item's score is more than one verdict.
    """
    least_detectable: float | None = None
    """The smallest difference, as a share, that this many items tell with 80% power at a one-sided 5%."""
    margin: float | None = None
    """The drop, as a share, that `items_needed` and `items_of_each` are for."""
    items_needed: int | None = None
    """So many items of b, or so many pairs, would tell a drop of `margin`; null where no number of them would."""
    items_of_each: int | None = None
    """So many items of either side would tell a drop of `margin`, where both are drawn anew; null if paired."""
    items_to_part: int | None = None
    """So many items of either side would tell the difference that was seen, if it is the true one; null where the sides
    are paired or equal.
    """


class ComparisonTable(Wire, frozen=True, kw_only=True):
    """Pairs of a board's ranked rows."""

    benchmark: str
    """The board's benchmark."""
    track: str
    """The board's track."""
    setting: str
    """The board's setting."""
    rows: list[str]
    """The ranked rows as TEAM/MODEL, in the board's order."""
    pairs: list[Comparison]
    """Comparisons of two rows each, the higher one as `a`."""
    correction: str = "Holm"
    """The method by which `adjusted_p_value` is corrected over all of `pairs`."""
    compared: Literal["all", "neighbours"] = "all"
    """"all" pairs, or, of boards with more than 50 ranked rows, "neighbours" in the board's order."""


class BaselinesRequest(Request, frozen=True, kw_only=True):
    """Baselines to run on every track and setting of some benchmarks. They are listed and never ranked."""

    benchmarks: Annotated[list[Name], msgspec.Meta(min_length=1, max_length=50)]
    """The benchmarks, by name: all of them would be hundreds of evaluations."""
    models: Annotated[list[ServedModel], msgspec.Meta(max_length=20)] = []
    """Ids of models of the gateway; by default all chat models of the provider `in-process`."""
    size: Size = DEFAULT_SIZE
    """Items of each evaluation."""
    reason: Annotated[str, msgspec.Meta(max_length=500)] = ""
    """The reason, for the operators' log."""


class BaselinesStarted(Wire, frozen=True, kw_only=True):
    """The evaluations that were started, and the places where none was."""

    evaluations: list[str]
    """Ids of the evaluations."""
    left_out: dict[str, str] = {}
    """By BENCHMARK/TRACK/SETTING, why nothing was started there."""
