"""The migrations, from the first one, make just the tables that the code speaks of."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import run
from sys import executable

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from api.boards.board_key import board_of
from api.boards.queries import BoardQuery
from api.database.idempotency import ClientKey, Lease, lease
from api.database.schema import metadata
from api.database.upgrading import UPGRADE_LOCK, VERSIONS, upgrade
from api.errors import StateConflictError
from tests.integration.api.stand_in import card
from tetrad.canonical import hexdigest
from tetrad.contracts.wire import ParameterValue
from tetrad.server.clock import now_ms
from tetrad.server.database import make_engine, write_transaction
from tetrad.server.migrations import migrate

NEWEST = max(path.name.partition("_")[0] for path in VERSIONS.glob("0*.py"))
START = "import sys; from api.database.upgrading import upgrade; from tetrad.server.database import make_engine;"


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path, new_postgres: Callable[[str], str]) -> str:
    return f"sqlite:///{tmp_path / 'empty.db'}" if request.param == "sqlite" else new_postgres("empty")


@pytest.fixture
def empty(url: str) -> Iterator[sa.Engine]:
    engine = make_engine(url)
    yield engine
    engine.dispose()


def test_the_migrations_make_the_tables_of_the_schema(empty: sa.Engine) -> None:
    upgrade(empty)
    with empty.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, metadata) == []


def test_an_upgrade_of_what_is_up_to_date_changes_nothing(empty: sa.Engine) -> None:
    upgrade(empty)
    with empty.begin() as connection:
        connection.execute(
            sa.text("INSERT INTO teams (id, name, title, created_at) VALUES ('team_1', 'north', 'North', 1)")
        )
    upgrade(empty)
    with empty.connect() as connection:
        assert connection.execute(sa.text("SELECT count(*) FROM teams")).scalar() == 1


def test_processes_that_start_together_upgrade_once(url: str, empty: sa.Engine) -> None:
    command = [executable, "-c", f"{START} upgrade(make_engine(sys.argv[1]))", url]
    with ThreadPoolExecutor(4) as pool:
        ended = list(pool.map(lambda _: run(command, capture_output=True, check=False), range(4)))
    assert [process.returncode for process in ended] == [0] * 4, [process.stderr for process in ended]
    with empty.connect() as connection:
        assert connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalars().all() == [NEWEST]


def test_a_failed_upgrade_leaves_nothing_behind(empty: sa.Engine) -> None:
    with empty.begin() as connection:
        connection.execute(sa.text("CREATE TABLE verifications (id INTEGER)"))
    with pytest.raises(sa.exc.DBAPIError):
        upgrade(empty)
    assert sa.inspect(empty).get_table_names() == ["verifications"]


def test_rows_move_to_the_boards_of_their_own_sources(empty: sa.Engine) -> None:
    """Before 0005 scores on two sources stood on one board; a row that was hidden there stays hidden on both."""
    upgrade_to(empty, "0004")
    insert = (
        "INSERT INTO submissions (id, team_id, model_id, benchmark, version, bank, track, setting, parameters, board, "
        "size, visibility, nonce, commitment, state, opened_at, deadline_at) VALUES (:id, 'team_1', 'model_1', 'kiva', "
        "1, :bank, 'kiva', 'full', '{}', :board, 1, 'public', 'n', 'c', 'open', 1, 2)"
    )
    with empty.begin() as connection:
        connection.execute(sa.text("INSERT INTO teams (id, name, title, created_at) VALUES ('team_1', 'n', 'N', 1)"))
        connection.execute(
            sa.text(
                "INSERT INTO models (id, team_id, name, title, created_at) VALUES ('model_1', 'team_1', 'm', 'M', 1)"
            )
        )
        for name, bank, board in (("s1", "one", "a"), ("s2", "two", "a"), ("s3", "one", "b")):
            connection.execute(sa.text(insert), {"id": name, "bank": bank, "board": board * 64})
        hidden = "INSERT INTO hidden_rows (board, model_id, reason, hidden_at) VALUES (:board, 'model_1', 'leaked', 5)"
        for board in ("a", "c"):
            connection.execute(sa.text(hidden), {"board": board * 64})
    upgrade(empty)
    with empty.connect() as connection:
        boards: dict[str, str] = dict(connection.execute(sa.text("SELECT id, board FROM submissions")).all())
        hidden_on = set(connection.execute(sa.text("SELECT board FROM hidden_rows")).scalars())
    assert boards == {
        "s1": hexdigest("tetrad/board/2", "a" * 64, "one"),
        "s2": hexdigest("tetrad/board/2", "a" * 64, "two"),
        "s3": hexdigest("tetrad/board/2", "b" * 64, "one"),
    }
    assert hidden_on == {boards["s1"], boards["s2"], "c" * 64}


def test_the_board_of_a_new_submission_is_that_of_a_moved_one() -> None:
    ranked: dict[str, ParameterValue] = {"repeats": 1, "shiny": False, "tint": "red"}
    given = ranked | {"wording": "child"}
    where = BoardQuery("plain", "full", given, "fresh")
    old = hexdigest("tetrad/board/1", "trio", 2, "plain", "full", ranked)
    assert board_of(card(2), where, "bank") == hexdigest("tetrad/board/2", old, "bank")
    assert board_of(card(2), where, "other") != board_of(card(2), where, "bank")


def test_an_operator_s_act_is_never_changed_or_deleted(empty: sa.Engine) -> None:
    upgrade(empty)
    act = {"at": 1, "operator": "ada", "act": "void", "subject": "sub_1", "reason": "leaked", "details": "{}"}
    with empty.begin() as connection:
        connection.execute(sa.insert(metadata.tables["operator_acts"]).values(act))
    for statement in ("UPDATE operator_acts SET reason = 'none'", "DELETE FROM operator_acts"):
        with empty.begin() as connection, pytest.raises(sa.exc.DBAPIError, match="append-only"):
            connection.execute(sa.text(statement))
    with empty.connect() as connection:
        assert connection.execute(sa.text("SELECT reason FROM operator_acts")).scalars().all() == ["leaked"]


def upgrade_to(engine: sa.Engine, revision: str) -> None:
    """Make the tables of an older version."""
    with write_transaction(engine) as connection:
        migrate(connection, VERSIONS, lock=UPGRADE_LOCK, to=revision)


def insert(connection: sa.Connection, table: str, **row: object) -> None:
    """Insert a row as an older version did: the columns of this one may be others."""
    names = ", ".join(row)
    connection.execute(sa.text(f"INSERT INTO {table} ({names}) VALUES (:{', :'.join(row)})"), row)  # noqa: S608 -- ours


def insert_submission(
    connection: sa.Connection, name: str, state: str, replies: Sequence[tuple[str, str | None]]
) -> None:
    texts = dict.fromkeys(("benchmark", "bank", "track", "setting", "board", "visibility", "nonce", "commitment"), "x")
    numbers = {"version": 1, "size": 1, "opened_at": 1, "deadline_at": 2, "answered_count": len(replies)}
    counts = {"opened_count": 0, "finished_items": 0, "attempt": 0}
    owner = {"team_id": "team_1", "model_id": "mdl_1", "parameters": "{}"}
    insert(connection, "submissions", id=name, state=state, **texts, **numbers, **counts, **owner)
    for question, reply in replies:
        sealed = {"item": 0, "question": question, "answer": None, "response": reply, "sealed_at": 1}
        insert(connection, "answers", submission_id=name, **sealed)


def test_an_open_submission_of_an_older_version_is_counted_with_the_replies_it_has(empty: sa.Engine) -> None:
    upgrade_to(empty, "0003")
    with empty.begin() as connection:
        insert(connection, "teams", id="team_1", name="north", title="North", created_at=1)
        insert(connection, "models", id="mdl_1", team_id="team_1", name="m", title="M", created_at=1)
        replies = [("a", "so A"), ("b", '"B"\n'), ("c", None)]
        insert_submission(connection, "sub_1", "open", replies)
        insert_submission(connection, "sub_2", "scored", replies)
    upgrade(empty)
    with empty.connect() as connection:
        counted = connection.execute(sa.text("SELECT reply_bytes FROM submissions ORDER BY id")).scalars().all()
    assert counted == [6 + 9, 0]


def test_what_an_older_version_made_under_an_idempotency_key_is_not_made_again(empty: sa.Engine) -> None:
    answered, in_flight, day_old = ("1" * 64, "2" * 64, "3" * 64)
    now = now_ms()
    upgrade_to(empty, "0004")
    with empty.begin() as connection:
        leased = {"fingerprint": "f" * 64, "claim": "c" * 32, "claimed_until": now + 60_000}
        insert(connection, "kept_replies", id=answered, **leased, created_at=now, reply=b"encrypted")
        insert(connection, "kept_replies", id=in_flight, **leased, created_at=now, reply=None)
        insert(connection, "kept_replies", id=day_old, **leased, created_at=now - 25 * 3_600_000, reply=b"encrypted")
    upgrade(empty)
    with pytest.raises(StateConflictError, match="before this service was upgraded") as caught:
        lease(empty, ClientKey(answered, "f" * 64))
    assert caught.value.retry_after is None, "asking again helps nobody"
    for free in (in_flight, day_old):
        assert isinstance(lease(empty, ClientKey(free, "f" * 64)), Lease)


def test_submissions_of_an_older_version_were_asked_in_fresh_contexts(empty: sa.Engine) -> None:
    upgrade_to(empty, "0005")
    with empty.begin() as connection:
        insert(connection, "teams", id="team_1", name="north", title="North", created_at=1)
        insert(connection, "models", id="mdl_1", team_id="team_1", name="m", title="M", created_at=1)
        insert_submission(connection, "sub_1", "open", [])
        insert_submission(connection, "sub_2", "scored", [])
    upgrade(empty)
    with empty.connect() as connection:
        rows = connection.execute(sa.text("SELECT id, conversation, board FROM submissions ORDER BY id")).all()
    assert [tuple(row) for row in rows] == [("sub_1", "fresh", "x"), ("sub_2", "fresh", "x")]
