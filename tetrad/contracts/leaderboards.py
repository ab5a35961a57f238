"""A board: one per benchmark, version, track, setting, ranked parameters, sources and conversation."""

from tetrad.contracts.benchmarks import Conversation, ReferenceRow
from tetrad.contracts.reports import SHARE, IntervalValue
from tetrad.contracts.wire import ParameterValue, Timestamp, Wire


class PooledDifference(Wire, frozen=True, kw_only=True):
    """A gap of the card, pooled over the submissions of a row: the mean of paired differences, in [-1, 1].

    `items` counts independent units (clusters). They may be fewer than the row's, because an item counts only if it was
    asked questions of both sides. No rank depends on it, because failing one of its sides on purpose would widen a gap.
    The interval is for one look.
    """

    name: str
    value: float
    interval: IntervalValue
    items: int


class BoardRow(Wire, frozen=True, kw_only=True):
    """A model's pooled public submissions. Rows with fewer items than the board requires have no rank.

    Submissions enter in the order in which their questions were first fetched. A fetched submission without a score
    holds up all later ones. `unfinished` counts submissions without a score, `waiting` the scored ones behind the first
    of them. `items`, `attempts` and the score count the submissions that have entered; if there is none, the score is
    null. `cost` is what 100 items of its draws cost in US dollars, by what providers reported, where the service asked
    the model: 0 where nothing is charged, null where a price or a usage is unknown. `ranked_since` is the time at which
    the items sufficed for a rank: within a group, the earlier row stands first. `flips_to_swap` says how robust the
    place is: so many items, and no fewer, would have to be judged the other
    way for this row and the next ranked one to swap their order by score; null where there is no such row.
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
    flips_to_swap: int | None = None


class HiddenRow(Wire, frozen=True, kw_only=True):
    """A row that the operator took off the board, with the reason. It has no rank and moves no other row's."""

    model: str
    team: str
    reason: str
    hidden_at: Timestamp


class VoidSubmission(Wire, frozen=True, kw_only=True):
    """A public submission that the operator declared void, with the reason. It counts in no row."""

    submission: str
    model: str
    team: str
    reason: str


class Board(Wire, frozen=True, kw_only=True):
    """`rows` are ranked; `reference` rows are published figures and baselines, never ranked.

    `hidden` and `void` list what the operator took out; `void` has the newest hundred. `bank` is the digest of the
    sources in the identities of its draws. `conversation`: the way in which its rows' teams say they asked the
    questions of an item. Published figures stand on the board that follows the card. `unit` is that of `metric`, of the
    rows' scores and of the reference rows: a board ranks by a share. `chance` is what guessing scores on its draws, as
    the newest report has it; null while there is none. `least_items` and the rows' `items` count clusters: items that
    share a puzzle, object or picture count once. `notice` explains why the board of a fixed corpus never has rows.
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
    chance: float | None = None
