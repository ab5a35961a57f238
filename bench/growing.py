"""Rows of what a long life brings: a board of 50,000 submissions, reads on Postgres, many event listeners.

Each is measured beside the way it was done before, in the same run.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import sqlalchemy as sa
from msgspec import json

from api.boards.board_key import board_of
from api.boards.finished_boards import FinishedBoards
from api.boards.queries import BoardQuery, board_query
from api.database import schema
from api.database.parts import parts
from api.database.upgrading import upgrade
from api.submissions.events import LOOK_SECONDS, LOOKS_A_PART, events_above, newest_events
from bench.measuring import Bench, Line, interleave, median_ratio
from bench.processes import TICKS
from tests.integration.api.trio import BANK, card
from tests.postgres import address_of, postgres_running
from tetrad.contracts.reports import MetricValue
from tetrad.server.clock import now_ms
from tetrad.server.database import insert_rows, make_engine, read_rows, write_transaction

MODELS, PAGE = 50, 50
MOST_BOARD_MS, MOST_LISTENING = 10.0, 0.05
LEAST_OWN, LEAST_POSTGRES = 1.5, 2.0
CARD = card(2)
HEADLINE = json.encode(
    MetricValue(
        name="which", facets={}, value=0.5, interval=None, standard_error=None, items=100, questions=100, total=50.0
    )
).decode()


def board(bench: Bench) -> Iterator[Line]:
    """Look at a board that many submissions stand on: unchanged, and after a change of one row."""
    with _open_filled_board(bench.scale.scored) as (engine, where):
        kept = FinishedBoards(engine)
        place = schema.submissions.c.id == "sub_0"

        def look(boards: FinishedBoards) -> bytes:
            return json.encode(boards.get(CARD, where, BANK).page("", PAGE))

        def change(turn: int) -> None:
            with write_transaction(engine) as connection:
                connection.execute(sa.update(schema.submissions).where(place).values(fetched_at=turn))

        def make_anew(_: int) -> None:
            with write_transaction(engine) as connection:
                connection.execute(sa.delete(schema.kept_pools))
            look(FinishedBoards(engine))

        look(kept)
        rounds, clock = bench.scale.rounds, time.process_time
        again, anew, first = interleave(
            rounds, lambda _: look(kept), make_anew, lambda _: look(FinishedBoards(engine)), clock=clock
        )
        changed: list[float] = []
        for turn in range(rounds):
            change(turn + 1)
            begun = clock()
            look(kept)
            changed.append(clock() - begun)
    shown = median(again) * 1000
    yield Line(
        name=f"a look at a board of {bench.scale.scored:,} scored submissions",
        value=f"{shown:.1f} core ms",
        ratio=f"{median_ratio(anew, again):.0f} times less than made anew ({median(anew) * 1000:.0f} core ms); "
        f"the first look of another process: {median(first) * 1000:.0f} core ms; "
        f"after a change of one row of {MODELS}: {median(changed) * 1000:.1f} core ms",
        aim=f"{MOST_BOARD_MS:.0f} core ms or less",
        met=shown <= MOST_BOARD_MS,
    )


def listeners(bench: Bench) -> Iterator[Line]:
    """Look for events of many listeners: by one query, and by submission in parts, as it was done before."""
    count = bench.scale.listeners
    with _open_filled_board(count) as (engine, _):
        rows = [{"submission_id": f"sub_{at}", "at": 1, "kind": "opened", "data": "{}"} for at in range(count)]
        with write_transaction(engine) as connection:
            insert_rows(connection, schema.events, rows)
        listened = [f"sub_{at}" for at in range(count)]

        def look(turn: int) -> None:
            events_above(engine, count)
            if turn % LOOKS_A_PART == 0:
                newest_events(engine, listened[:500])

        def by_submission(_: int) -> None:
            for part in parts(listened):
                newest_events(engine, part)

        rounds = LOOKS_A_PART * bench.scale.rounds
        now, before = interleave(rounds, look, by_submission, clock=time.process_time)
    share, was = sum(now) / rounds / LOOK_SECONDS, sum(before) / rounds / LOOK_SECONDS
    yield Line(
        name=f"looking for events of {count:,} listeners",
        value=f"{share:.2%} of a core",
        ratio=f"{was / share:.0f} times less than by submission ({was:.1%})",
        aim=f"{MOST_LISTENING:.0%} or less",
        met=share <= MOST_LISTENING,
    )


def reads(bench: Bench) -> Iterator[Line]:
    """Find a row on Postgres: a single statement, and a transaction behind a ping, as it was done before."""
    count = bench.scale.requests
    query = sa.select(schema.teams).where(schema.teams.c.id == "team_0")
    with postgres_running(syncs=True) as server:
        url = address_of(server)
        single, pinged = make_engine(url), sa.create_engine(url, pool_pre_ping=True)
        try:
            upgrade(single)
            backends = [_backend(engine) for engine in (single, pinged)]
            works: list[Callable[[int], object]] = [
                lambda _: [read_rows(single, query) for _ in range(count)],
                lambda _: [_in_transaction(pinged, query) for _ in range(count)],
            ]
            for work in works:
                work(0)  # from the fifth time on the driver has the statement prepared
            begun = [_core_seconds(pid) for pid in backends]
            own = interleave(bench.scale.rounds, *works, clock=time.process_time)
            theirs = [_core_seconds(pid) - before for pid, before in zip(backends, begun, strict=True)]
        finally:
            single.dispose()
            pinged.dispose()
    ratio, of_postgres = median_ratio(own[1], own[0]), theirs[1] / max(theirs[0], 0.01)
    yield Line(
        name="a read of one row on Postgres",
        value=f"{median(own[0]) / count * 1e6:.0f} core us",
        ratio=f"{ratio:.1f} times less than in a transaction behind a ping; Postgres's own time {of_postgres:.1f}",
        aim=f"{LEAST_OWN} and {LEAST_POSTGRES} times or more",
        met=ratio >= LEAST_OWN and of_postgres >= LEAST_POSTGRES,
    )


def _in_transaction(engine: sa.Engine, query: sa.Executable) -> object:
    with engine.connect() as connection:
        connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        return connection.execute(query).one_or_none()


def _backend(engine: sa.Engine) -> int:
    return int(read_rows(engine, sa.text("SELECT pg_backend_pid()"))[0][0])


def _core_seconds(pid: int) -> float:
    fields = (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / TICKS


@contextmanager
def _open_filled_board(scored: int) -> Iterator[tuple[sa.Engine, BoardQuery]]:
    """An api's SQLite with one board of many scored submissions."""
    where = board_query(CARD, [("track", "plain")])
    now = now_ms()
    plain = {"benchmark": CARD.name, "version": CARD.version, "bank": BANK, "track": "plain", "setting": "full"}
    plain |= {"parameters": "{}", "board": board_of(CARD, where, BANK), "size": 100, "visibility": "public"}
    plain |= {"nonce": "n", "commitment": "c", "state": "scored", "opened_at": now, "deadline_at": now}
    report = {"attempt": 1, "object": "o", "digest": "d", "seed": "s", "metric": "which", "headline": HEADLINE}
    report |= {"items": 100, "asked": 100, "unread": 0, "missing": 0, "differences": "[]"}
    with tempfile.TemporaryDirectory(prefix="tetrad-bench-") as folder:
        engine = make_engine(f"sqlite:///{folder}/api.db")
        upgrade(engine)
        teams = [{"id": f"team_{at}", "name": f"n{at}", "title": "T", "created_at": 1} for at in range(MODELS)]
        models = [{**team, "id": f"mdl_{at}", "team_id": team["id"]} for at, team in enumerate(teams)]
        rows: list[dict[str, object]] = []
        reports: list[dict[str, object]] = []
        for at in range(scored):
            owner = {"team_id": f"team_{at % MODELS}", "model_id": f"mdl_{at % MODELS}"}
            rows.append({"id": f"sub_{at}", **owner, **plain, "fetched_at": at, "scored_at": now + at})
            reports.append({"submission_id": f"sub_{at}", **report, "total": at % 101, "scored_at": now + at})
        with write_transaction(engine) as connection:
            for table, filled in ((schema.teams, teams), (schema.models, models)):
                insert_rows(connection, table, filled)
            insert_rows(connection, schema.submissions, rows)
            insert_rows(connection, schema.reports, reports)
        try:
            yield engine, where
        finally:
            engine.dispose()
