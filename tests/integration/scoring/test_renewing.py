"""A lease renewed beside the work. No test waits: time passes in the rounds that a test says."""

import threading

import pytest
import sqlalchemy as sa

from tests.integration.scoring.rows import add_submission, submission_row
from tetrad.server import outbox
from tetrad.server.outbox import RENEWALS_PER_LEASE, Lease, kept_alive, lease_next
from tetrad.server.scoring_tables import submissions

LEASE_MS = 20_000


class Rounds(threading.Event):
    """The end of the work: it comes after so many rounds."""

    def __init__(self, rounds: int) -> None:
        super().__init__()
        self.left = rounds
        self.waited: list[float | None] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.waited.append(timeout)
        self.left -= 1
        return self.left < 0


@pytest.fixture
def held(engine: sa.Engine) -> Lease:
    add_submission(engine)
    found = lease_next(engine, submissions, 0, LEASE_MS, 5)
    assert found is not None
    return found


def test_a_lease_is_renewed_from_now_on_several_times_in_its_life(
    engine: sa.Engine, held: Lease, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter((5_000, 10_000))
    monkeypatch.setattr(outbox, "now_ms", lambda: next(clock))
    rounds = Rounds(2)
    outbox._renew_until(rounds, engine, held, LEASE_MS)
    assert submission_row(engine).lease_until == 10_000 + LEASE_MS
    assert rounds.waited == [LEASE_MS / 1000 / RENEWALS_PER_LEASE] * 3


def test_a_database_that_is_away_is_asked_again(
    engine: sa.Engine, held: Lease, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def unreachable(*_: object) -> bool:
        raise sa.exc.OperationalError("the query", {}, Exception())

    monkeypatch.setattr(outbox, "renew", unreachable)
    rounds = Rounds(3)
    outbox._renew_until(rounds, engine, held, LEASE_MS)
    assert caplog.messages == ["lease not renewed"] * 3
    assert "the query" not in caplog.text


def test_a_lease_that_is_lost_is_let_go(engine: sa.Engine, held: Lease, caplog: pytest.LogCaptureFixture) -> None:
    assert lease_next(engine, submissions, LEASE_MS + 1, LEASE_MS, 5) is not None
    rounds = Rounds(3)
    outbox._renew_until(rounds, engine, held, LEASE_MS)
    assert (caplog.messages, rounds.left) == (["lease lost"], 2)


def test_renewing_begins_with_the_work_and_has_ended_when_the_block_has(
    engine: sa.Engine, held: Lease, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, ended = threading.Event(), threading.Event()

    def renew_until(done: threading.Event, *given: object) -> None:
        assert given == (engine, held, LEASE_MS)
        began.set()
        done.wait(60)
        ended.set()

    monkeypatch.setattr(outbox, "_renew_until", renew_until)
    with kept_alive(engine, held, LEASE_MS):
        assert began.wait(60)
        assert not ended.is_set()
    assert ended.is_set()
