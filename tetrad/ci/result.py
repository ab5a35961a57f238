"""Define the result of `tetrad ci`, which result.json holds and every report is written from."""

from typing import Literal

import msgspec

from tetrad.ci.measured import Group
from tetrad.contracts.items import DrawIdentity
from tetrad.runner.recording import RunCosts
from tetrad.statistics.deciding import Outcome
from tetrad.statistics.interval import Interval

FORMAT = 1
Pairing = Literal["fresh", "revealed", "published", "no"]


class Thresholds(msgspec.Struct, frozen=True, kw_only=True):
    """The gates: None is no gate. Shares are in [0, 1], costs in micro-dollars."""

    least_accuracy: float | None = None
    allow_drop: float | None = None
    most_unread: float | None = None
    most_cost: int | None = None
    most_minutes: float | None = None

    def any(self) -> bool:
        return any(getattr(self, name) is not None for name in self.__struct_fields__)


class GateResult(msgspec.Struct, frozen=True, kw_only=True):
    """A gate: what it asks, what was decided, and why in words and in numbers.

    `estimate`, `interval` and `boundary` are those of a decision by bounds; else None.
    """

    name: str
    asks: str
    outcome: Outcome
    why: str
    numbers: dict[str, float | int | None] = {}
    estimate: float | None = None
    interval: Interval | None = None
    boundary: float | None = None


class ModelResult(msgspec.Struct, frozen=True, kw_only=True):
    """A model's score with its 95% interval, and what it took.

    `sealed`: its answers were sealed before the draw was revealed. `incomplete`: answers read in replies that are not
    complete.
    """

    model: str
    submissions: tuple[str, ...]
    sealed: bool
    score: float
    interval: Interval
    items: int
    asked: int
    unread: int
    missing: int
    incomplete: int = 0
    groups: tuple[Group, ...] = ()
    costs: RunCosts | None = None
    minutes: float | None = None


class CiResult(msgspec.Struct, frozen=True, kw_only=True):
    """The findings of `tetrad ci`. `outcome`: fail if a gate fails, else undecided if one is, else pass."""

    format: int = FORMAT
    outcome: Outcome
    metric: str
    identity: DrawIdentity
    conversation: str
    pairing: Pairing | None
    why_paired: str
    sequential: bool
    gates: tuple[GateResult, ...]
    candidate: ModelResult
    baseline: ModelResult | None
    uniform_chance: float | None
    at: str
    tetrad: str


def overall(gates: tuple[GateResult, ...]) -> Outcome:
    """Return fail if a gate fails, else undecided if one could not tell, else pass."""
    outcomes = {gate.outcome for gate in gates}
    if "fail" in outcomes:
        return "fail"
    return "undecided" if "undecided" in outcomes else "pass"
