"""A board: one per benchmark, version, track, setting and ranked parameters."""

from tetrad.contracts.benchmarks import ReferenceRow
from tetrad.contracts.reports import IntervalValue
from tetrad.contracts.wire import ParameterValue, Timestamp, Wire


class BoardRow(Wire, frozen=True, kw_only=True):
    """A model's pooled public submissions. Ranks are absent below the board's least number of items."""

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


class Board(Wire, frozen=True, kw_only=True):
    """`rows` are ranked; `reference` rows are published figures and baselines, never ranked.

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
    next: str | None = None
    notice: str | None = None
