"""Scoring again with a newer scorer: the changes of a new report, shown before it replaces the old one."""

from typing import Literal, TypeAlias

from tetrad.contracts.benchmarks import Conversation
from tetrad.contracts.reports import SHARE, MetricValue, Versions
from tetrad.contracts.wire import Digest, Facets, ParameterValue, Timestamp, Wire

RescoringState: TypeAlias = Literal["queued", "proposed", "unchanged", "failed", "applied", "dropped"]


class VerdictChange(Wire, frozen=True, kw_only=True):
    item: int
    question: str
    verdict_before: str
    verdict_after: str
    answer_before: str | None
    answer_after: str | None


class MetricChange(Wire, frozen=True, kw_only=True):
    """One number of the report, before and after; None where the metric is not in it or nothing was asked."""

    name: str
    facets: Facets
    before: float | None
    after: float | None
    unit: str = SHARE


class ReportDifference(Wire, frozen=True, kw_only=True):
    """`questions` lists the first 500 whose verdict or answer changed, of `questions_changed`."""

    versions_before: Versions
    versions_after: Versions
    questions: list[VerdictChange]
    questions_changed: int
    metrics: list[MetricChange]


class KeptDifference(Wire, frozen=True, kw_only=True):
    """A report's overall value of a gap, as its row keeps it for the board.

    `items` counts independent units (clusters). `total` and `squares` are the sums of their paired differences and of
    the squares of these. They can be added up over several reports.
    """

    name: str
    items: int
    total: float
    squares: float


class ProposedReport(Wire, frozen=True, kw_only=True):
    """The row of the new report, as scoring hands it to the api. `object` is the key of its JSON in the store."""

    revision: int
    object: str
    digest: Digest
    headline: MetricValue
    asked: int
    unread: int
    missing: int
    scored_at: int
    differences: list[KeptDifference]


class Rescoring(Wire, frozen=True, kw_only=True):
    """state: queued, proposed (waits to be applied), unchanged, failed, applied, or dropped (the report moved on)."""

    id: str
    submission: str
    state: RescoringState
    revision: int | None = None
    failure: str | None = None
    difference: ReportDifference | None = None


class RankChange(Wire, frozen=True, kw_only=True):
    """A model's row on one board, now and with the proposals applied. Ranks are ranges, None below the least n."""

    benchmark: str
    version: int
    track: str
    setting: str
    parameters: dict[str, ParameterValue]
    model: str
    team: str
    score_before: float | None
    score_after: float | None
    ranks_before: tuple[int, int] | None
    ranks_after: tuple[int, int] | None
    conversation: Conversation = "fresh"


class RescoringBatch(Wire, frozen=True, kw_only=True):
    """`rescorings` is a page of those that changed or failed. `ranks` lists all rows that move, once none is queued."""

    id: str
    reason: str
    created_at: Timestamp
    counts: dict[RescoringState, int]
    rescorings: list[Rescoring]
    ranks: list[RankChange]
    next: str | None = None


class Revision(Wire, frozen=True, kw_only=True):
    """One report that a submission had. `reason` says why the next one replaced it; the newest has none."""

    revision: int
    scored_at: Timestamp
    digest: Digest
    headline: MetricValue
    superseded_at: Timestamp | None = None
    reason: str | None = None
    report: str


class RevisionList(Wire, frozen=True, kw_only=True):
    revisions: list[Revision]
    next: str | None = None
