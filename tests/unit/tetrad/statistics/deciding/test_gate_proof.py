"""A small part of docs/proof/gates.md, computed again, and what a fault would do to it."""

import numpy as np
import pytest

from tests import gate_proof
from tests.gate_proof import (
    REPORT,
    coverage_of_shares,
    least_errors,
    paired_chances,
    percent,
    share,
    unpaired_chances,
)
from tetrad.statistics.deciding import decide_unpaired, differences


def cells(*first: str) -> list[list[str]]:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in REPORT.read_text().splitlines()]
    return [row[len(first) :] for row in rows if tuple(row[: len(first)]) == first]


def test_the_report_says_that_all_hold() -> None:
    assert "All hold." in REPORT.read_text()


def test_its_shares_are_what_the_gates_do_now() -> None:
    assert cells("250", "70%") == [[percent(one) for one in least_errors(250, 0.7)]]
    found = [paired_chances(50, 0.1, better, better + 0.1) for better in gate_proof.BETTER]
    largest = [percent(max(one[side] for one in found)) for side in (0, 1)]
    assert cells("50", "10", largest[0]) == [[largest[1]]]
    assert cells("accuracy, exact", "250", "97%") == [[percent(one) for one in coverage_of_shares(250, 0.97)]]


def test_all_outcomes_of_a_draw_add_up_to_what_simulation_finds() -> None:
    rng = np.random.default_rng(8)
    drawn = [(int(one), int(other)) for one, other in rng.binomial(50, (0.4, 0.6), (300, 2))]
    ends = [decide_unpaired(share(one, 50), share(other, 50), 0.1).outcome for one, other in drawn]
    exact = unpaired_chances(50, 50, 0.1, (0.4, 0.6))
    assert exact == pytest.approx([ends.count("pass") / 300, ends.count("fail") / 300], abs=0.07)
    assert exact[1] > 0.1


def test_without_the_correction_the_proof_would_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(differences, "LOWER_CORRECTION", 0.0)
    monkeypatch.setattr(differences, "UPPER_CORRECTION", 0.0)
    gate_proof.paired_limits.cache_clear()
    try:
        passes, fails = paired_chances(100, 0.1, 0.0, 0.1)
    finally:
        gate_proof.paired_limits.cache_clear()
    assert passes > 0.05
    assert fails > 0.05
