"""The gateway's own bounds of a day: what settings say, and when a day ends."""

import pytest

from inference_gateway.day_bounds import DayBounds
from inference_gateway.settings import GatewaySettings
from tetrad.contracts.inference import Purpose
from tetrad.server.clock import DAY_MS
from tetrad.server.settings import SettingsError

TOKEN = "x" * 16
MIDNIGHT = 20_000 * DAY_MS


@pytest.mark.parametrize(
    ("now", "purpose", "expected"),
    [
        (MIDNIGHT - 1, "judge", {"2024-10-03 instance": 2_500_000_000, "2024-10-03 judge": 10_000_000}),
        (MIDNIGHT, "sealed", {"2024-10-04 instance": 2_500_000_000, "2024-10-04 sealed": 2_500_000_000}),
    ],
)
def test_a_call_has_a_budget_of_its_day_and_one_of_its_purpose(
    now: int, purpose: Purpose, expected: dict[str, int]
) -> None:
    told = GatewaySettings(tokens=TOKEN, day_budget=2.5, purpose_budgets="judge:0.01, practice:0").day_bounds()
    found = DayBounds(instance=told.instance, purposes=told.purposes, clock=lambda: now).budgets(purpose)
    assert {budget.id: budget.limit for budget in found} == expected
    assert {budget.scope for budget in found} == {"day"}


@pytest.mark.parametrize("wrong", ["judge", "judge:", "judge:-1", "judge:nan", "judge:1e9", "spare:1", "judge:1,"])
def test_a_bound_that_is_none_stops_the_start(wrong: str) -> None:
    with pytest.raises(SettingsError, match="TETRAD_GATEWAY_PURPOSE_BUDGETS"):
        GatewaySettings(tokens=TOKEN, purpose_budgets=wrong).day_bounds()
