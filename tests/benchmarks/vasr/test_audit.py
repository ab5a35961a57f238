"""The audit of VASR's keys by a solver of pixels: it is refused where they disagree, or where too little is told."""

import pytest

from generator_service.benchmarks.vasr.knowledge import KeyDisputedError, write_judgement
from generator_service.benchmarks.vasr.spec import ROLES

AGREED = [(role, "1", "1") for role in ROLES for _ in range(10)]


def test_a_section_counts_what_agrees_by_role() -> None:
    section = write_judgement([*AGREED, ("tool", "2", "")])
    assert "| tool | 11 | 10 | 10 |" in section
    assert "| verb | 10 | 10 | 10 |" in section


def test_one_wrong_key_of_sixty_passes_and_two_are_refused() -> None:
    wrong = ("verb", "1", "2")
    write_judgement([wrong, *AGREED[1:]])
    with pytest.raises(KeyDisputedError, match=r"more than 3%"):
        write_judgement([wrong, wrong, *AGREED[2:]])


def test_a_solver_that_leaves_much_of_a_role_open_audits_nothing() -> None:
    with pytest.raises(KeyDisputedError, match="less than 70%"):
        write_judgement([("agent", "1", "")] * 5 + AGREED)
