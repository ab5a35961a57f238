"""Bounds what all calls of a day may cost, for the whole instance and for each purpose.

These bounds are settings of the gateway. The budgets of tokens, evaluations and teams come from the api, so whoever
takes the api sets them; these hold nevertheless. Days are those of UTC.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from inference_gateway.gates import Budget, Call, Reason, Refused
from tetrad.contracts.inference import Purpose
from tetrad.money import show_dollars
from tetrad.server.clock import DAY_MS, now_ms

INSTANCE = "instance"


@dataclass(frozen=True, kw_only=True)
class DayBounds:
    """Nanodollars. A purpose that is not named may cost as much as the instance."""

    instance: int
    purposes: Mapping[Purpose, int] = field(default_factory=dict)
    clock: Callable[[], int] = now_ms

    def budgets(self, purpose: Purpose) -> tuple[Budget, Budget]:
        """Return today's budgets of a call: that of the instance, and that of its purpose."""
        day = datetime.fromtimestamp(self.clock() / 1000, UTC).date().isoformat()
        limit = self.purposes.get(purpose, self.instance)
        return (
            Budget(scope="day", id=f"{day} {INSTANCE}", limit=self.instance),
            Budget(scope="day", id=f"{day} {purpose}", limit=limit),
        )


def refuse_over_day(call: Call, name: str, retry_after: float | None) -> Refused:
    """Return the refusal of a call that passes a day's budget. What others have spent is not told.

    `retry_after`: seconds until calls in flight may have left room; None where the day is spent.
    """
    problem = f"leaves too little for a call that may cost {show_dollars(call.reservation)}"
    remedy = "wait for the next day (UTC), or ask the operator, whose setting it is (TETRAD_GATEWAY_DAY_BUDGET)"
    reason = Reason.DAY_BUDGET if retry_after is None else Reason.DAY_BUDGET_HELD
    again = (DAY_MS - now_ms() % DAY_MS) / 1000 if retry_after is None else retry_after
    return Refused(reason, f"budget of {name}", name, problem=problem, remedy=remedy, retry_after=again)
