"""A board: one per benchmark, version, track, setting, ranked parameters, sources and conversation."""

from tetrad.contracts.benchmarks import Conversation, ReferenceRow
from tetrad.contracts.reports import SHARE, IntervalValue
from tetrad.contracts.wire import ParameterValue, Timestamp, Wire


class PooledDifference(Wire, frozen=True, kw_only=True):
    """A gap of the card, pooled over the submissions of a row: the mean of paired differences.

    No rank depends on it, because failing one of its sides on purpose would widen a gap.
    """

    name: str
    """Name of the card's metric."""
    value: float
    """The difference, from -1 to 1."""
    interval: IntervalValue
    """Its interval, for one look."""
    items: int
    """Independent units (clusters) of both sides. They may be fewer than the row's, because an item counts only if it
    was asked questions of both.
    """


class FacetScore(Wire, frozen=True, kw_only=True):
    """A row's score on the questions with one value of the metric's first facet. Reports have intervals of it."""

    facet: str
    """The facet that the metric is split by, such as "domain"."""
    value: str
    """The value of the facet."""
    score: float
    """The score on these questions, in the board's unit, pooled over the submissions that have entered."""
    items: int
    """Independent units (clusters) that it counts."""


class BoardRow(Wire, frozen=True, kw_only=True):
    """A model's pooled public submissions.

    They enter in the order in which their questions were first fetched, and a fetched one without a score holds up all
    later ones.
    """

    model: str
    """Name of the model."""
    team: str
    """Name of its team."""
    score: float | None
    """The pooled score, in the board's unit; null while no submission has entered."""
    interval: IntervalValue | None
    """The interval of the score, valid however often it is looked at; null while there is no score."""
    rank_best: int | None
    """The best rank that the row may have, from 1; null without a rank, for fewer items than `least_items` or a
    baseline.
    """
    rank_worst: int | None
    """The worst rank that it may have; null without a rank."""
    group: int | None
    """Rows of one group can't be told apart from its first row; groups count from 1. Within one, the row that was
    ranked first stands first. null without a rank.
    """
    items: int
    """Clusters that the score counts, of the submissions that have entered."""
    attempts: int
    """Submissions that have entered."""
    team_models: int
    """Models that the team has registered, all together."""
    unread_share: float
    """Share of its questions whose replies held no answer that we can extract, from 0 to 1. They count as wrong."""
    cost: float | None
    """US dollars that 100 items of its draws cost, by what providers reported, where the service asked the model: 0
    where nothing is charged, null where the team asked it or a price or usage is unknown.
    """
    origin: str
    """Who asked the model: "reported by the team", "run by the service" or "baseline, run by the service"."""
    first_scored_at: Timestamp
    """When its first submission was scored: RFC 3339, UTC."""
    ranked_since: Timestamp | None = None
    """When its items sufficed for a rank: RFC 3339, UTC; null if they don't."""
    waiting: int = 0
    """Scored submissions that wait behind one without a score."""
    unfinished: int = 0
    """Fetched submissions without a score."""
    differences: list[PooledDifference] = []
    """The gaps that the card measures, in the card's order."""
    by_facet: list[FacetScore] = []
    """The score by the first facet that the metric is split by, its values in alphabetical order; empty without one."""
    flips_to_swap: int | None = None
    """The least number of items that would have to be judged the other way for this row and the next ranked one to swap
    by score; null where there is no such row.
    """


class HiddenRow(Wire, frozen=True, kw_only=True):
    """A row that the operator took off the board. It has no rank and moves no other row's."""

    model: str
    """Name of the model."""
    team: str
    """Name of its team."""
    reason: str
    """The operator's reason, for everybody to read."""
    hidden_at: Timestamp
    """When it was taken off: RFC 3339, UTC."""


class VoidSubmission(Wire, frozen=True, kw_only=True):
    """A public submission that the operator declared void. It counts in no row."""

    submission: str
    """Id of the submission."""
    model: str
    """Name of the model."""
    team: str
    """Name of its team."""
    reason: str
    """The operator's reason, for everybody to read."""


class Board(Wire, frozen=True, kw_only=True):
    """A board: one for each benchmark, version, track, setting, ranked parameters, sources and conversation."""

    benchmark: str
    """The benchmark's name."""
    version: int
    """Version of the benchmark."""
    track: str
    """The kind of item that its rows answered: a track of the card."""
    setting: str
    """What its rows were asked and shown: a setting of the card."""
    parameters: dict[str, ParameterValue]
    """The values of the parameters that boards are apart by."""
    metric: str
    """The metric that it ranks by."""
    least_items: int
    """The clusters that a row needs for a rank."""
    rows: list[BoardRow]
    """The rows of this page: ranked ones first, then those without a rank."""
    reference: list[ReferenceRow]
    """Published figures, never ranked. They stand on the board whose conversation follows the card."""
    hidden: list[HiddenRow] = []
    """Rows that the operator took off, with reasons."""
    void: list[VoidSubmission] = []
    """Submissions that the operator declared void: the newest hundred."""
    next: str | None = None
    """Cursor of the next page, for `cursor`; null on the last."""
    notice: str | None = None
    """Why the board of a fixed corpus never has rows; null for all others."""
    bank: str = ""
    """Digest of the sources in the identities of its draws."""
    unit: str = SHARE
    """Unit of `metric`, of the rows' scores and of the reference rows: a board ranks by a share."""
    conversation: Conversation = "fresh"
    """How its rows' teams say they asked the questions of an item."""
    chance: float | None = None
    """What guessing scores on its draws, by the newest report, from 0 to 1; null while there is none."""
