"""A row of Postgres at size: what a day's work takes beside a thousand teams' 5 million answers, and beside 60 teams.

Rows of teams, submissions, questions, items, answers, reports and events are made by Postgres itself, so they are of
one form: 50 submissions a team, each with 100 items that are answered and scored. What is measured is done over HTTP,
or by the worker's own function, in both databases of one server by turns.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import sqlalchemy as sa
from litestar.testing import TestClient

from api.app import create_app
from api.boards.board_key import board_of
from api.boards.queries import board_query
from api.database import schema
from api.database.upgrading import upgrade
from api.settings import ApiSettings
from bench.growing import CARD, HEADLINE
from bench.measuring import Bench, Line, interleave, tell
from scoring_service.jobs.context import WorkerContext, open_context
from scoring_service.jobs.retention import prune_answers
from scoring_service.settings import ScoringSettings
from tests.integration.api.operator import OPERATOR_TOKEN, Operator
from tests.integration.api.team import Team
from tests.integration.api.trio import BANK, trio_served
from tests.integration.real_generator import KEYS_TOKEN, PRACTICE_TOKEN, SEALED_TOKEN
from tests.postgres import create_database, postgres_running
from tetrad.server.clock import DAY_MS, now_ms
from tetrad.server.database import make_engine, write_transaction

SUBMISSIONS, ITEMS = 50, 100  # of a team, and of a submission
FEW_TEAMS = 60  # more than a page of the board has rows
MOST_GROWTH = 1.5
BOARD = "a board after a change"  # it ranks a row of every team
STEP = 50  # teams in one statement
FILL = (
    """INSERT INTO teams (id, name, title, created_at) SELECT 'team_' || t, 'n' || t, 'T', 1
       FROM generate_series(CAST(:first AS int), :last) AS t""",
    """INSERT INTO models (id, team_id, name, title, created_at) SELECT 'mdl_' || t, 'team_' || t, 'm', 'M', 1
       FROM generate_series(CAST(:first AS int), :last) AS t""",
    """INSERT INTO submissions (id, team_id, model_id, benchmark, version, bank, track, setting, parameters, board,
         size, visibility, nonce, commitment, state, opened_at, deadline_at, fetched_at, scored_at, answered_count)
       SELECT 'sub_' || t || '_' || s, 'team_' || t, 'mdl_' || t, 'trio', 2, :bank, 'plain', 'full', '{}', :board,
         :items, 'public', 'n', 'c', 'scored', :now, :now, s, CAST(:now AS bigint) - s * 1000, :items
       FROM generate_series(CAST(:first AS int), :last) AS t, generate_series(1, CAST(:submissions AS int)) AS s""",
    """INSERT INTO reports (submission_id, attempt, object, digest, seed, metric, headline, total, items, asked, unread,
         missing, scored_at, differences)
       SELECT id, 1, 'o', 'd', 's', 'which', :headline, length(id) % 7 * 10, size, size, 0, 0, scored_at, '[]' {of}""",
    """INSERT INTO events (submission_id, at, kind, data) SELECT id, 1, 'scored', '{}' {of}""",
    """INSERT INTO items (submission_id, item, closing, finished) SELECT id, item, true, true {of_items}""",
    """INSERT INTO questions (submission_id, item, question, shape, pictures, opened_at)
       SELECT id, item, 'which-0', '{}', 'a.png', 1 {of_items}""",
    """INSERT INTO answers (submission_id, item, question, answer, response, sealed_at)
       SELECT id, item, 'which-0', 'A', 'The answer is (A).', 1 {of_items}""",
)
OF = "FROM submissions WHERE split_part(id, '_', 2)::int BETWEEN :first AND :last"
OF_ITEMS = f"FROM (SELECT id, size {OF}) AS made, generate_series(0, size - 1) AS item"


@dataclass(kw_only=True)
class Side:
    """An api on a filled database, with a team of its own that works, and a worker. `next_team` is deleted next."""

    name: str
    engine: sa.Engine
    team: Team
    operator: Operator
    worker: WorkerContext
    next_team: int
    opened: list[str]

    def open(self, _: int) -> None:
        self.opened.append(self.team.open(size=ITEMS, setting="which-only"))

    def ask(self, turn: int) -> list[dict[str, object]]:
        """Return what answers every question of a submission that this side opened."""
        found = self.team.get(f"/v1/submissions/{self.opened[turn]}/questions?limit={ITEMS}").json()["questions"]
        return [{"item": asked["item"], "question": asked["question"]["id"], "answer": "A"} for asked in found]

    def seal(self, turn: int, answers: list[dict[str, object]]) -> None:
        self.team.seal(self.opened[turn], *answers).raise_for_status()

    def board(self, turn: int) -> None:
        """Look at a board of which one row has changed."""
        place = schema.submissions.c.id == "sub_1_1"
        with write_transaction(self.engine) as connection:
            connection.execute(sa.update(schema.submissions).where(place).values(fetched_at=turn + 1))
        self.team.get("/v1/leaderboards/trio?track=plain&limit=50").raise_for_status()

    def look(self, _: int) -> None:
        for path in ("teams/me", "models", "submissions?limit=20", "commitments"):
            self.team.get(f"/v1/{path}").raise_for_status()

    def prune(self, _: int) -> None:
        """Move the answers of 20 submissions to the object store."""
        if not prune_answers(self.worker, now_ms() + DAY_MS, now_ms()):
            raise RuntimeError("nothing was due: fewer rounds, or more teams")

    def delete(self, _: int) -> None:
        """Delete a team with all its submissions."""
        self.operator.post(
            f"teams/n{self.next_team}/delete", confirm=f"n{self.next_team}", public_reason="r", reason="r"
        )
        self.next_team -= 1


def size(bench: Bench) -> Iterator[Line]:
    """Measure a day's work on a large database beside the same on a small one."""
    rounds = bench.scale.rounds
    with postgres_running(syncs=True) as server, ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tetrad-bench-")))
        generator = stack.enter_context(trio_served(folder))
        few, many = (
            stack.enter_context(_open_side(server, name, teams, generator.url, folder))
            for name, teams in (("few", FEW_TEAMS), ("many", bench.scale.teams))
        )
        yield from _lines(few, many, bench.scale.teams, rounds)


def _lines(few: Side, many: Side, teams: int, rounds: int) -> Iterator[Line]:
    answers: dict[tuple[str, int], list[dict[str, object]]] = {}
    works: dict[str, tuple[Callable[[int], object], Callable[[int], object]]] = {
        "opening a submission": (few.open, many.open),
        "sealing its 100 answers": (
            lambda turn: few.seal(turn, answers[few.name, turn]),
            lambda turn: many.seal(turn, answers[many.name, turn]),
        ),
        BOARD: (few.board, many.board),
        "a team's four pages": (few.look, many.look),
        "retention of 20 submissions": (few.prune, many.prune),
        "deleting a team of 50": (few.delete, many.delete),
    }
    for name, (small, large) in works.items():
        if name.startswith("sealing"):
            answers |= {(side.name, turn): side.ask(turn) for side in (few, many) for turn in range(rounds + 1)}
        small_taken, large_taken = (
            taken[1:] for taken in interleave(rounds + 1, small, large)
        )  # the first one warms up
        growth = median(large_taken) / median(small_taken)
        most = teams / FEW_TEAMS if name == BOARD else MOST_GROWTH
        yield Line(
            name=f"{name}, beside {teams * SUBMISSIONS * ITEMS / 1e6:g} million answers of {teams:,} teams",
            value=f"{median(large_taken) * 1000:.0f} ms",
            ratio=f"{growth:.2f} times that beside {FEW_TEAMS} teams ({median(small_taken) * 1000:.0f} ms)",
            aim=f"{most:.1f} times at most" + (", as its rows" if name == BOARD else ""),
            met=growth <= most,
        )


@contextmanager
def _open_side(server: Any, name: str, teams: int, generator: str, folder: Path) -> Iterator[Side]:
    url = create_database(server, name)
    engine = make_engine(url)
    upgrade(engine)
    _fill(engine, name, teams)
    objects = f"file://{folder}/{name}"
    settings = ApiSettings(
        database_url=url,
        store_url=objects,
        generator_url=generator,
        generator_practice_token=PRACTICE_TOKEN,
        generator_sealed_token=SEALED_TOKEN,
        operator_token=f"ada={OPERATOR_TOKEN}",
        log_level="WARNING",
    )
    scoring = ScoringSettings(
        database_url=url,
        redis_url="",
        store_url=objects,
        generator_url=generator,
        generator_keys_token=KEYS_TOKEN,
    )
    worker = open_context(scoring)
    with TestClient(create_app(settings)) as client:
        yield Side(
            name=name,
            engine=engine,
            team=Team.registered(client, "team-one"),
            operator=Operator(client),
            worker=worker,
            next_team=teams,
            opened=[],
        )
    worker.close()
    engine.dispose()


def _fill(engine: sa.Engine, name: str, teams: int) -> None:
    """Make the rows of so many teams, and have Postgres look at them."""
    board = board_of(CARD, board_query(CARD, [("track", "plain")]), BANK)
    values = {"bank": BANK, "board": board, "items": ITEMS, "now": now_ms() - 90 * DAY_MS, "submissions": SUBMISSIONS}
    begun = time.monotonic()
    for first in range(1, teams + 1, STEP):
        tell(f"{name}: teams from {first} on, {time.monotonic() - begun:.0f} s")
        with write_transaction(engine) as connection:
            connection.exec_driver_sql("SET LOCAL synchronous_commit = off")
            connection.exec_driver_sql(
                "SET LOCAL session_replication_role = replica"
            )  # neither triggers nor references
            for statement in FILL:
                text = statement.replace("{of}", OF).replace("{of_items}", OF_ITEMS)
                given = {**values, "headline": HEADLINE, "first": first, "last": min(first + STEP - 1, teams)}
                connection.execute(sa.text(text), {key: value for key, value in given.items() if f":{key}" in text})
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("VACUUM ANALYZE")
