"""Scoring again with a newer scorer: the changes of a new report, shown before it replaces the old one."""

from typing import Literal, TypeAlias

from tetrad.contracts.benchmarks import Conversation
from tetrad.contracts.reports import SHARE, MetricValue, Versions
from tetrad.contracts.wire import Digest, Facets, ParameterValue, Timestamp, Wire

RescoringState: TypeAlias = Literal["queued", "proposed", "unchanged", "failed", "applied", "dropped"]


class VerdictChange(Wire, frozen=True, kw_only=True):
    """A question whose verdict or answer a newer scorer changes."""

    item: int
    """Index of the item in the draw, from 0."""
    question: str
    """Id of the question."""
    verdict_before: str
    """The verdict in the report of today."""
    verdict_after: str
    """The verdict in the proposed report."""
    answer_before: str | None
    """The answer that was extracted; null if none was."""
    answer_after: str | None
    """The answer that is extracted now; null if none is."""


class MetricChange(Wire, frozen=True, kw_only=True):
    """One number of a report that a newer scorer changes."""

    name: str
    """The metric's name."""
    facets: Facets
    """The values of facets that the number is about; empty is all that the metric counts."""
    before: float | None
    """The number in the report of today; null where it is not in it or nothing was asked."""
    after: float | None
    """The number in the proposed report; null where it is not in it or nothing was asked."""
    unit: str = SHARE
    """The unit of both numbers: share, difference, count, weight or coefficient."""


class ReportDifference(Wire, frozen=True, kw_only=True):
    """The changes of a proposed report."""

    versions_before: Versions
    """The versions that made the report of today."""
    versions_after: Versions
    """The versions that made the proposed one."""
    questions: list[VerdictChange]
    """The first 500 questions whose verdict or answer changes."""
    questions_changed: int
    """How many they are in all."""
    metrics: list[MetricChange]
    """The numbers that change."""


class KeptDifference(Wire, frozen=True, kw_only=True):
    """A report's overall value of a gap, as its row keeps it for the board.

    `items` counts independent units (clusters). `total` and `squares` are the sums of their paired differences and of
    the squares of these. They can be added up over several reports.
    """

    name: str
    items: int
    total: float
    squares: float


class KeptFacet(Wire, frozen=True, kw_only=True, array_like=True):
    """A report's headline on the questions with one value of its first facet, as its row keeps it for the board.

    `items` counts independent units (clusters), and `total` is the sum of their means. It is a list on the wire: a
    board reads some for each of a hundred thousand submissions.
    """

    facet: str
    value: str
    items: int
    total: float


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
    by_facet: list[KeptFacet] = []


class Rescoring(Wire, frozen=True, kw_only=True):
    """One submission, scored again: a proposal until the batch is applied."""

    id: str
    """rsc_ and 32 hex digits."""
    submission: str
    """Id of the submission."""
    state: RescoringState
    """queued, proposed (waits to be applied), unchanged, failed, applied, or dropped (the report moved on)."""
    revision: int | None = None
    """The revision that the proposed report would have; null while it is queued or where nothing changes."""
    failure: str | None = None
    """Why it failed or was dropped; null otherwise."""
    difference: ReportDifference | None = None
    """What the proposed report changes; null while it is queued or failed."""


class RankChange(Wire, frozen=True, kw_only=True):
    """A model's row on one board, now and with the proposals applied."""

    benchmark: str
    """The board's benchmark."""
    version: int
    """Version of the benchmark."""
    track: str
    """The board's track."""
    setting: str
    """The board's setting."""
    parameters: dict[str, ParameterValue]
    """The board's ranked parameters."""
    model: str
    """Name of the model."""
    team: str
    """Name of its team."""
    score_before: float | None
    """The score now, from 0 to 1; null without one."""
    score_after: float | None
    """The score with the proposals applied; null without one."""
    ranks_before: tuple[int, int] | None
    """The best and worst rank now; null without a rank."""
    ranks_after: tuple[int, int] | None
    """The best and worst rank with the proposals applied; null without a rank."""
    conversation: Conversation = "fresh"
    """The conversation of the board."""


class RescoringBatch(Wire, frozen=True, kw_only=True):
    """Submissions that are scored again together."""

    id: str
    """rsb_ and 32 hex digits."""
    reason: str
    """The operator's reason, which teams are shown once it is applied."""
    created_at: Timestamp
    """When it was asked for: RFC 3339, UTC."""
    counts: dict[RescoringState, int]
    """By state, the number of submissions in it."""
    rescorings: list[Rescoring]
    """A page of those that change, have changed, or failed, by submission."""
    ranks: list[RankChange]
    """All rows of boards that move; empty while a submission is queued."""
    next: str | None = None
    """Cursor of the next page, for `cursor`; null on the last."""


class Revision(Wire, frozen=True, kw_only=True):
    """One report that a submission had."""

    revision: int
    """Its number, from 1."""
    scored_at: Timestamp
    """When it was written: RFC 3339, UTC."""
    digest: Digest
    """SHA-256 of the report's JSON."""
    headline: MetricValue
    """The one number that boards counted while it was the newest."""
    superseded_at: Timestamp | None = None
    """When the next one replaced it: RFC 3339, UTC; null for the newest."""
    reason: str | None = None
    """Why the next one replaced it; null for the newest."""
    report: str
    """Address of this report."""


class RevisionList(Wire, frozen=True, kw_only=True):
    """A page of the reports that a submission has had, oldest first."""

    revisions: list[Revision]
    """The reports of this page; the newest of all is the one that counts."""
    next: str | None = None
    """Cursor of the next page, for `cursor`; null on the last."""
