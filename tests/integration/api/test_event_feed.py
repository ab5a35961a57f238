"""One look for all listeners of a process: what it costs, and that nothing is lost between two looks."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

import pytest
import sqlalchemy as sa

from api.database.schema import events as table
from api.errors import CapReachedError
from api.submissions import events
from api.submissions.events import EventFeed, Listener
from tests.integration.api.conftest import BOTH_DATABASES
from tests.integration.api.streams import follow_until_revoked
from tests.integration.api.team import Team
from tetrad.server.scoring_tables import add_event

PATIENCE = 10.0


def told(connection: sa.Connection, submission: str) -> None:
    add_event(connection, submission, 1, "answered", {})


def newest(engine: sa.Engine) -> int:
    with engine.connect() as connection:
        return int(connection.execute(sa.select(sa.func.max(table.c.id))).scalar_one())


def listen(engine: sa.Engine, submission: str, act: Callable[[Listener], Awaitable[None]]) -> None:
    """Listen to a submission from its newest event on, and do this meanwhile."""

    async def run() -> None:
        feed = EventFeed(engine)
        with feed.listening(submission, newest(engine)) as listener:
            await act(listener)
        await feed.close()

    with patch.object(events, "LOOK_SECONDS", 0.01):
        asyncio.run(run())


@BOTH_DATABASES
def test_a_look_for_five_thousand_listeners_is_one_small_query(engine: sa.Engine, team: Team) -> None:
    team.open(size=1)
    asked: list[str] = []

    def note(_c: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        asked.append(f"{len(parameters)} {statement}")

    async def run() -> int:
        feed, looks = EventFeed(engine), []
        pause = asyncio.sleep

        async def counted(seconds: float) -> None:
            looks.append(seconds)
            await pause(0)

        with ExitStack() as stack, patch("api.submissions.events.asyncio.sleep", counted):
            for number in range(5_000):
                stack.enter_context(feed.listening(f"sub_{number}", 0))
            while len(looks) < 2 * events.LOOKS_A_PART:
                await pause(0.01)
        await feed.close()
        return len(looks)

    sa.event.listen(engine, "before_cursor_execute", note)
    looks = asyncio.run(run())
    of_parts = [one for one in asked if " IN " in one]
    assert len(of_parts) <= looks / events.LOOKS_A_PART + 1
    assert len(asked) <= looks + len(of_parts) + 2, "each look has one query, and the first asks what is newest"


@pytest.mark.parametrize("database", ["postgres"], indirect=True)  # SQLite has one writer at a time
@pytest.mark.parametrize(
    "without",
    [{"LOOKS_A_PART": 10**9}, {"OVERLAP_SECONDS": 0.0, "OVERLAP_IDS": 0}],
    ids=["within the overlap", "longer than the overlap"],
)
def test_an_event_whose_transaction_ends_after_a_later_one_s_is_heard(
    engine: sa.Engine, team: Team, without: dict[str, Any]
) -> None:
    slow, fast = team.open(size=1), team.open(size=1)

    async def act(listener: Listener) -> None:
        with engine.begin() as late:
            told(late, slow)
            with engine.begin() as early:
                told(early, fast)
            await asyncio.sleep(0.3)
            assert not listener.arrived.is_set()
        await asyncio.wait_for(listener.arrived.wait(), PATIENCE)

    with patch.multiple(events, **without):
        listen(engine, slow, act)


@BOTH_DATABASES
def test_each_listener_is_woken_for_its_own_submission_only(engine: sa.Engine, team: Team) -> None:
    heard, other = team.open(size=1), team.open(size=1)

    async def run() -> None:
        feed, last = EventFeed(engine), newest(engine)
        with (
            feed.listening(heard, last) as one,
            feed.listening(heard, last) as two,
            feed.listening(other, last) as three,
        ):
            with engine.begin() as connection:
                told(connection, heard)
            await asyncio.wait_for(asyncio.gather(one.arrived.wait(), two.arrived.wait()), PATIENCE)
            assert not three.arrived.is_set()
        await feed.close()

    with patch.object(events, "LOOK_SECONDS", 0.01):
        asyncio.run(run())


def test_a_stream_ends_soon_after_its_key_is_revoked(team: Team) -> None:
    submission = team.open(size=1)
    said = follow_until_revoked(team, f"/v1/submissions/{submission}/events").splitlines()
    assert [line for line in said if line][-1] == ": this key is revoked"


def test_a_key_has_so_many_streams_and_an_end_counts_once() -> None:
    streams = events.OpenStreams(2)
    ends = [streams.take("key_1") for _ in range(2)]
    with pytest.raises(CapReachedError, match="2 streams"):
        streams.take("key_1")
    streams.take("key_2")
    ends[0]()
    ends[0]()
    streams.take("key_1")
    with pytest.raises(CapReachedError):
        streams.take("key_1")
