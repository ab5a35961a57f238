"""Alerts and dashboards: rules do what they say, by promtool; expressions parse; each alert has its section for people.

That every metric occurs is looked at where an instance runs: tests/e2e/test_watching.py.
"""

import re
import subprocess
from pathlib import Path
from typing import Any

import promql_parser
import pytest
import yaml

from tests.prometheus import NOT_RUN, find_program
from tests.watched import DASHBOARDS, FOLDER, expressions_of, rules

RUNBOOKS = Path(__file__).parents[2] / "docs" / "watch.md"


@pytest.fixture(scope="session")
def promtool() -> str:
    program = find_program("promtool")
    if program is None:
        pytest.skip(NOT_RUN)
    return program


@pytest.mark.parametrize("arguments", [("check", "rules", "rules.yml"), ("test", "rules", "rules_test.yml")])
def test_rules_fire_after_their_fault_and_not_before(promtool: str, arguments: tuple[str, ...]) -> None:
    ended = subprocess.run([promtool, *arguments], cwd=FOLDER, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_each_of_twelve_alerts_is_tested_and_has_a_section_with_three_parts() -> None:
    alerts = [rule["alert"] for rule in rules()]
    assert len(alerts) == 12
    tests = yaml.safe_load((FOLDER / "rules_test.yml").read_text())["tests"]
    fired = {case["alertname"] for test in tests for case in test["alert_rule_test"] if case["exp_alerts"]}
    assert fired == set(alerts)
    found = re.findall(r"^### (\w+)\n(.*?)(?=^##)", RUNBOOKS.read_text(), re.MULTILINE | re.DOTALL)
    sections: dict[str, str] = dict(found)
    for rule in rules():
        assert rule["annotations"]["runbook"] == f"docs/watch.md#{rule['alert'].lower()}"
        assert [part for part in ("*Means*", "*Look at*", "*Do*") if part not in sections[rule["alert"]]] == []


def test_every_expression_parses() -> None:
    assert len(DASHBOARDS) == 4
    found = [expression for document in (rules(), *DASHBOARDS.values()) for expression in expressions_of(document)]
    assert len(found) > 40
    for expression in found:
        promql_parser.parse(expression)
    with pytest.raises(ValueError, match="unclosed"):
        promql_parser.parse("sum by (service (rate(x[5m]))")


def _panels(board: Any) -> list[Any]:
    return list(board["panels"])


@pytest.mark.parametrize("name", sorted(DASHBOARDS))
def test_panels_of_a_dashboard_lie_side_by_side(name: str) -> None:
    places = [tuple(panel["gridPos"][side] for side in "xy") for panel in _panels(DASHBOARDS[name])]
    assert len(set(places)) == len(places)
    assert all(panel["targets"] and panel["title"] for panel in _panels(DASHBOARDS[name]))
