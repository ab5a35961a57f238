"""Scoring as its own user of Postgres: everything it does works, and the rest of the api's tables is closed to it."""

from collections.abc import Callable, Iterator

import msgspec
import pytest
import sqlalchemy as sa

from api.database import schema
from api.database.upgrading import RIGHTS, upgrade
from scoring_service.jobs.context import WorkerContext, open_context
from scoring_service.jobs.sweeper import drop_lapsed, drop_verifications, lapse_unseen, queue_expired
from scoring_service.jobs.worker import work_on_next
from scoring_service.settings import ScoringSettings
from tests.integration.scoring import sealed_toy
from tests.integration.scoring.rows import (
    add_submission,
    add_team,
    add_verification,
    report_rows,
    submission_row,
    the_row,
)
from tetrad.server import scoring_tables
from tetrad.server.clock import now_ms
from tetrad.server.database import make_engine, write_transaction

ROLE = "scoring_of_rights"


@pytest.fixture
def owner(new_postgres: Callable[[str], str]) -> Iterator[sa.Engine]:
    """The api's engine on tables of its own, with rights granted to the role."""
    engine = make_engine(new_postgres("rights"))
    with engine.begin() as connection:
        connection.execute(sa.text(f"DROP ROLE IF EXISTS {ROLE}"))
        connection.execute(sa.text(f"CREATE ROLE {ROLE} LOGIN"))
    upgrade(engine, ROLE)
    upgrade(engine, ROLE)
    with write_transaction(engine) as connection:
        add_team(connection)
    yield engine
    with engine.begin() as connection:
        connection.execute(sa.text(f"DROP OWNED BY {ROLE}"))
        connection.execute(sa.text(f"DROP ROLE {ROLE}"))
    engine.dispose()


@pytest.fixture
def limited(owner: sa.Engine, settings: ScoringSettings) -> Iterator[WorkerContext]:
    url = owner.url.set(username=ROLE).render_as_string(hide_password=False)
    opened = open_context(msgspec.structs.replace(settings, database_url=url))
    yield opened
    opened.close()


def test_a_submission_is_scored_and_its_report_verified(owner: sa.Engine, limited: WorkerContext) -> None:
    add_submission(owner, answers=sealed_toy.right_answers("sub_1", 4))
    work_on_next(limited)
    assert submission_row(owner).state == "scored"
    add_verification(owner, str(report_rows(owner)[0].object))
    work_on_next(limited)
    assert the_row(owner, schema.verifications, "ver_1").state == "done"
    assert drop_verifications(limited.engine, limited.store, now_ms() + 1) == 1


def test_deadlines_are_kept(owner: sa.Engine, limited: WorkerContext) -> None:
    add_submission(owner, "sub_1", state="open", deadline_at=1)
    add_submission(owner, "sub_2", state="open", deadline_at=1, fetched_at=None)
    assert queue_expired(limited.engine, now_ms()) == ["sub_1"]
    assert drop_lapsed(limited.engine, lapse_unseen(limited.engine, now_ms())) == 1


def test_what_scoring_does_not_touch_is_closed(owner: sa.Engine, limited: WorkerContext) -> None:
    closed = sorted(set(schema.metadata.tables) - set(RIGHTS))
    assert "keys" in closed
    for name in closed:
        with pytest.raises(sa.exc.ProgrammingError, match="permission denied"), limited.engine.begin() as connection:
            connection.execute(sa.text(f"SELECT * FROM {name}"))  # noqa: S608 - names of our own schema
    assert sa.inspect(owner).has_table("keys")


@pytest.mark.parametrize("change", ["team_id = 'team_2'", "visibility = 'public'", "nonce = ''", "commitment = ''"])
def test_what_a_submission_is_stays_as_it_was_opened(owner: sa.Engine, limited: WorkerContext, change: str) -> None:
    add_submission(owner)
    with pytest.raises(sa.exc.ProgrammingError, match="permission denied"), limited.engine.begin() as connection:
        connection.execute(sa.text(f"UPDATE submissions SET {change}"))  # noqa: S608 - the changes above


def test_rights_are_granted_on_the_tables_that_scoring_touches() -> None:
    assert set(RIGHTS) == {table.name for table in vars(scoring_tables).values() if isinstance(table, sa.Table)}


def test_no_other_table_refers_to_a_submission() -> None:
    """`drop_lapsed` deletes a submission and what refers to it; a further table must be added there."""
    referring = {
        table.name
        for table in schema.metadata.sorted_tables
        for key in table.foreign_keys
        if key.column.table.name == "submissions"
    }
    only_once_scored = {"superseded_reports", "rescorings", "scoring_slices"}
    assert referring - only_once_scored == {"questions", "items", "answers", "reports", "events"}
