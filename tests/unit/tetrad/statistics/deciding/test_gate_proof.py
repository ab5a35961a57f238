"""A small part of what docs/proof.md says of gates, computed again, and what a fault would do to it."""

import numpy as np
import pytest

from generator_service.proving.pages import digests
from generator_service.proving.report import PAGE
from tests import gate_proof
from tests.gate_proof import GATES, digest_of_small_part, paired_chances, share, unpaired_chances
from tetrad.statistics.deciding import decide_unpaired, differences


def test_the_page_says_that_all_hold() -> None:
    [*_, rows] = PAGE.rows()
    assert len(rows) == 8
    assert {row[-1] for row in rows} == {"holds"}


def test_its_shares_are_what_the_gates_do_now() -> None:
    assert digests(PAGE.name)[GATES] == digest_of_small_part(), (
        "docs/proof.md is stale: run `python -m tests.gate_proof`"
    )


def test_gates_that_decide_otherwise_have_another_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(differences, "LOWER_CORRECTION", 0.0)
    gate_proof.paired_limits.cache_clear()
    try:
        assert digest_of_small_part() != digests(PAGE.name)[GATES]
    finally:
        gate_proof.paired_limits.cache_clear()


def test_the_nightly_job_decides_and_a_slow_decay_does_not_pass_for_ever() -> None:
    """A small part: 10 months of each. `make proof` looks at 100, and computes the shares exactly."""
    rng = np.random.default_rng(9)
    assert gate_proof.months_with_red(rng, [0.0] * gate_proof.NIGHTS, 0.05, 10) == 0.0
    decay = [gate_proof.DECAY * (night + 1) for night in range(gate_proof.NIGHTS)]
    months = [gate_proof.month(rng, decay, 0.1) for _ in range(10)]
    first_red = [next(night for night, outcome in enumerate(month) if outcome != "pass") for month in months]
    assert max(first_red) < 12, "six points worse"
    assert all("fail" in month for month in months)
    assert set(gate_proof.month(rng, [0.1] * gate_proof.NIGHTS, 0.1)) == {"fail"}


def test_a_nightly_job_of_250_items_against_last_night_s_score_decides_almost_nothing() -> None:
    """It was shipped once: an unchanged model was green on a third of the nights."""
    for accuracy in (0.5, 0.75):
        green, fails = unpaired_chances(250, 250, 0.05, (accuracy, accuracy))
        assert green < 0.4
        assert fails < 0.01
        assert unpaired_chances(250, 250, 0.05, (accuracy - gate_proof.DECAY, accuracy))[1] < 0.01, "decay never fails"


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
