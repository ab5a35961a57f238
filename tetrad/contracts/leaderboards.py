"""A board: one per benchmark, version, track, setting, ranked parameters, sources and way of putting questions."""

from tetrad.contracts.benchmarks import Conversation, ReferenceRow
from tetrad.contracts.reports import SHARE, IntervalValue
from tetrad.contracts.wire import ParameterValue, Timestamp, Wire


class PooledDifference(Wire, frozen=True, kw_only=True):
    """A gap of the card, pooled over the submissions of a row: the mean of paired differences, in [-1, 1].

    `items` counts independent units (clusters). They may be fewer than the row's: an item counts if it was asked
    questions of both sides, and reports from before boards had differences are left out. It ranks nothing: a gap grows
    by failing one of its sides on purpose. The interval is for one look.
    """

    name: str
    value: float
    interval: IntervalValue
    items: int


class BoardRow(Wire, frozen=True, kw_only=True):
    """A model's pooled public submissions. Ranks are absent below the board's least number of items.

    Submissions enter in the order in which their questions were first fetched. One that was fetched and has no score
    yet holds up all behind it: `unfinished` counts those without a score, `waiting` the scored ones behind the first of
    them. `items`, `attempts` and the score are of what has entered; without any, the score is null.
    `ranked_since` is when the items were enough for a rank: in a group, the earlier stands first.
    `differences` are those that the card measures (its metrics of the kind gap), in the card's order.
    """

    model: str
    team: str
    score: float | None
    interval: IntervalValue | None
    rank_best: int | None
    rank_worst: int | None
    group: int | None
    items: int
    attempts: int
    team_models: int
    unread_share: float
    cost: float | None
    origin: str
    first_scored_at: Timestamp
    ranked_since: Timestamp | None = None
    waiting: int = 0
    unfinished: int = 0
    differences: list[PooledDifference] = []


class HiddenRow(Wire, frozen=True, kw_only=True):
    """A row that the operator took off the board, and why. It has no rank and moves no other's."""

    model: str
    team: str
    reason: str
    hidden_at: Timestamp


class VoidSubmission(Wire, frozen=True, kw_only=True):
    """A public submission that the operator declared void, and why: it counts in no row."""

    submission: str
    model: str
    team: str
    reason: str


class Board(Wire, frozen=True, kw_only=True):
    """`rows` are ranked; `reference` rows are published figures and baselines, never ranked.

    `hidden` and `void` say what the operator left out, `void` the newest hundred.
    `bank` is what stands for the sources in the identities of its draws.
    `conversation`: how its rows say that they put the questions of an item. Published figures stand on the board that
    puts them as the card says.
    `unit` is that of `metric`, of the rows' scores and of the reference rows: a board ranks by a share.
    `least_items` and the rows' `items` count clusters: items that share a puzzle, object or picture count once.
    `notice` says why a board has no rows and never will: that of a fixed corpus.
    """

    benchmark: str
    version: int
    track: str
    setting: str
    parameters: dict[str, ParameterValue]
    metric: str
    least_items: int
    rows: list[BoardRow]
    reference: list[ReferenceRow]
    hidden: list[HiddenRow] = []
    void: list[VoidSubmission] = []
    next: str | None = None
    notice: str | None = None
    bank: str = ""
    unit: str = SHARE
    conversation: Conversation = "fresh"
