"""A question that can't be shown because a source is damaged costs no time: its submission's deadline pauses."""

from pathlib import Path

import pytest
import sqlalchemy as sa
from litestar.exceptions import LitestarException

from api.database.schema import submissions
from api.submissions import pausing
from api.submissions.asking import SHOWN_SECONDS
from api.submissions.pausing import LONGEST_PAUSE_MS
from api.upstream.generator import MENDING_SECONDS
from scoring_service.jobs.sweeper import queue_expired
from tests.integration.api.conftest import BOTH_DATABASES
from tests.integration.api.team import NONCE, Team
from tests.integration.api.trio import damage_of
from tests.integration.real_generator import seed_of
from tetrad.server.clock import now_ms

HOUR = 3600 * 1000


class Clock:
    """The clock of pauses, which tests put forward."""

    ahead = 0

    def now(self) -> int:
        return now_ms() + self.ahead


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(pausing, "now_ms", made.now)
    return made


@pytest.fixture
def submission(team: Team) -> str:
    return team.open(deadline_hours=1.0)


@pytest.fixture
def damage(generator_folder: Path, submission: str) -> Path:
    """Return the file that damages a picture of the submission's first item while it is there."""
    return generator_folder / damage_of(seed_of(submission, NONCE), 0, "what-0-1.png")


def row_of(engine: sa.Engine, submission: str) -> sa.Row[tuple[object, ...]]:
    with engine.connect() as connection:
        return connection.execute(sa.select(submissions).where(submissions.c.id == submission)).one()


def ask_for(team: Team, submission: str, item: int = 0) -> int:
    reply = team.get(f"/v1/submissions/{submission}/items/{item}/images/what-0-1.png")
    if reply.status_code == 503:
        problem = reply.json()
        assert problem["faults"][0]["field"] == "source"
        assert "jumping" not in reply.text, "file names are for operators"
    return reply.status_code


@BOTH_DATABASES
def test_the_time_in_which_a_picture_could_not_be_shown_is_added_to_the_deadline(
    team: Team, submission: str, engine: sa.Engine, damage: Path, clock: Clock
) -> None:
    team.questions(submission)
    before = row_of(engine, submission)
    damage.touch()
    assert [ask_for(team, submission) for _ in range(2)] == [503, 503]
    paused = team.get(f"/v1/submissions/{submission}").json()
    assert paused["paused_since"] is not None
    assert row_of(engine, submission).deadline_at == before.deadline_at + LONGEST_PAUSE_MS
    assert queue_expired(engine, before.deadline_at + HOUR) == [], "the sweeper waits, too"
    assert ask_for(team, submission, item=1) == 200
    assert row_of(engine, submission).paused_for == "0/what-0-1.png", "another picture mends nothing"
    clock.ahead = 2 * HOUR
    damage.unlink()
    assert ask_for(team, submission) == 200
    after = row_of(engine, submission)
    assert 2 * HOUR <= after.deadline_at - before.deadline_at < 2 * HOUR + 60_000
    assert (after.paused_for, after.paused_at) == (None, None)
    assert team.get(f"/v1/submissions/{submission}").json()["paused_since"] is None
    assert ask_for(team, submission) == 200
    assert row_of(engine, submission).deadline_at == after.deadline_at, "once"
    assert queue_expired(engine, after.deadline_at) == [submission]


def test_who_waits_as_told_is_asked_for_the_pause_by_every_process() -> None:
    assert SHOWN_SECONDS < MENDING_SECONDS, "what a process knew before the pause began is forgotten by then"


def test_questions_that_can_t_be_made_pause_it_too(
    team: Team, submission: str, engine: sa.Engine, generator_folder: Path, clock: Clock
) -> None:
    before = row_of(engine, submission)
    damage = generator_folder / damage_of(seed_of(submission, NONCE), 0)
    damage.touch()
    assert team.get(f"/v1/submissions/{submission}/questions").status_code == 503
    damage.unlink()
    clock.ahead = HOUR
    assert team.questions(submission)
    added = row_of(engine, submission).deadline_at - before.deadline_at
    assert HOUR <= added < HOUR + 60_000


def test_pauses_are_bounded_in_all(team: Team, submission: str, engine: sa.Engine, damage: Path, clock: Clock) -> None:
    team.questions(submission)
    before = row_of(engine, submission)
    for days in (2, 4, 6):
        damage.touch()
        assert ask_for(team, submission) == 503
        clock.ahead = days * 24 * HOUR
        damage.unlink()
        assert ask_for(team, submission) == 200
    assert row_of(engine, submission).deadline_at == before.deadline_at + LONGEST_PAUSE_MS


def test_the_bundle_pauses_it_and_lets_it_run_again(
    team: Team, submission: str, engine: sa.Engine, damage: Path, clock: Clock
) -> None:
    before = row_of(engine, submission)
    damage.touch()
    with pytest.raises(LitestarException, match="after response started"):
        team.get(f"/v1/submissions/{submission}/questions", Accept="application/x-tar")
    assert row_of(engine, submission).paused_for == "0/what-0-1.png"
    damage.unlink()
    clock.ahead = HOUR
    assert team.get(f"/v1/submissions/{submission}/questions", Accept="application/x-tar").status_code == 200
    assert HOUR <= row_of(engine, submission).deadline_at - before.deadline_at < HOUR + 60_000


def test_several_pictures_at_once_pause_it_for_the_damaged_one_and_let_it_run_again(
    team: Team, submission: str, engine: sa.Engine, damage: Path, clock: Clock
) -> None:
    team.questions(submission)
    before = row_of(engine, submission)
    together = f"/v1/submissions/{submission}/images?pictures=1/what-0-1.png,0/what-0-1.png"
    damage.touch()
    assert [team.get(together).status_code for _ in range(2)] == [503, 503]
    assert row_of(engine, submission).paused_for == "0/what-0-1.png"
    damage.unlink()
    clock.ahead = HOUR
    assert team.get(together).status_code == 200
    assert HOUR <= row_of(engine, submission).deadline_at - before.deadline_at < HOUR + 60_000
