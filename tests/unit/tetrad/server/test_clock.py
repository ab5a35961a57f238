"""The patient clock, with clocks that are handed in."""

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from tetrad.server.clock import PATIENCE_MS, TOLERANCE_MS, PatientClock

HOUR = 3_600_000


@dataclass
class Machine:
    """A machine whose clock can be set."""

    steady: int = 0
    offset: int = 10**12

    def wall(self) -> int:
        return self.steady + self.offset

    def clock(self) -> PatientClock:
        return PatientClock(self.wall, lambda: self.steady)


def test_a_jump_forward_counts_once_it_has_lasted_and_one_back_at_once() -> None:
    machine = Machine()
    now = machine.clock()
    machine.steady += HOUR
    assert now() == machine.wall(), "time that really passed"
    machine.offset += HOUR
    assert now() == machine.wall() - HOUR
    machine.steady += PATIENCE_MS - 1
    assert now() == machine.wall() - HOUR
    machine.steady += 1
    assert now() == machine.wall()
    machine.offset -= HOUR
    assert now() == machine.wall()


@given(st.lists(st.tuples(st.integers(0, 10_000), st.sampled_from([0, 0, 500, HOUR, 2 * HOUR])), max_size=30))
def test_what_is_set_forward_and_back_again_is_never_seen(steps: list[tuple[int, int]]) -> None:
    """The clock is set forward before some readings, and back after each."""
    machine = Machine()
    now = machine.clock()
    for passed, jump in steps:
        machine.steady += passed
        machine.offset += jump
        assert machine.wall() - jump <= now() <= machine.wall() - jump + TOLERANCE_MS
        machine.offset -= jump
        assert now() == machine.wall()
