"""Rows as the api writes them."""

from collections.abc import Callable, Sequence

import msgspec
import sqlalchemy as sa

from api.database import schema
from tests.integration.scoring import sealed_toy
from tetrad.contracts.answers import SealedAnswer
from tetrad.server.clock import now_ms
from tetrad.server.database import read_transaction, write_transaction

HOUR = 3_600_000
seal_draw: Callable[[str, int], None] | None = None
"""Seals the draw of each new submission, where a test has a generator."""


def add_team(connection: sa.Connection) -> None:
    connection.execute(sa.insert(schema.teams).values(id="team_1", name="t", title="T", created_at=1))
    model = {"id": "mdl_1", "team_id": "team_1", "name": "m", "title": "M", "created_at": 1}
    connection.execute(sa.insert(schema.models).values(model))


def add_submission(engine: sa.Engine, submission: str = "sub_1", size: int = 4, **values: object) -> str:
    """Add a finished submission, without answers unless `answers` is given."""
    answers: Sequence[SealedAnswer] | None = values.pop("answers", None)  # type: ignore[assignment]
    now = now_ms()
    row = {
        "id": submission,
        "team_id": "team_1",
        "model_id": "mdl_1",
        **msgspec.structs.asdict(sealed_toy.IDENTITY),
        "parameters": msgspec.json.encode(sealed_toy.IDENTITY.parameters).decode(),
        "board": "x",
        "size": size,
        "visibility": "public",
        "nonce": sealed_toy.NONCE,
        "commitment": sealed_toy.commitment(submission, size),
        "state": "queued",
        "opened_at": now,
        "deadline_at": now + HOUR,
        "fetched_at": now,
        **values,
    }
    if seal_draw is not None:  # first: a worker that runs may ask for keys as soon as it sees the row
        seal_draw(submission, size)
    with write_transaction(engine) as connection:
        connection.execute(sa.insert(schema.submissions).values(row))
        if answers is not None:
            connection.execute(sa.insert(schema.answers), _answer_rows(submission, answers))
    return submission


def add_answers(engine: sa.Engine, submission: str, answers: Sequence[SealedAnswer]) -> None:
    with write_transaction(engine) as connection:
        connection.execute(sa.insert(schema.answers), _answer_rows(submission, answers))


def _answer_rows(submission: str, answers: Sequence[SealedAnswer]) -> list[dict[str, object]]:
    return [{"submission_id": submission, "sealed_at": 1, **msgspec.structs.asdict(answer)} for answer in answers]


def add_verification(engine: sa.Engine, name: str, verification: str = "ver_1", **values: object) -> str:
    row = {"id": verification, "object": name, "state": "queued", "created_at": now_ms(), "asker": "team_1", **values}
    with write_transaction(engine) as connection:
        connection.execute(sa.insert(schema.verifications).values(row))
    return verification


def the_row(engine: sa.Engine, table: sa.Table, row_id: str) -> sa.Row[tuple[object, ...]]:
    with read_transaction(engine) as connection:
        return connection.execute(sa.select(table).where(table.c.id == row_id)).one()


def submission_row(engine: sa.Engine, submission: str = "sub_1") -> sa.Row[tuple[object, ...]]:
    return the_row(engine, schema.submissions, submission)


def report_rows(engine: sa.Engine) -> list[sa.Row[tuple[object, ...]]]:
    with read_transaction(engine) as connection:
        return list(connection.execute(sa.select(schema.reports)))


def event_kinds(engine: sa.Engine) -> list[str]:
    with read_transaction(engine) as connection:
        return list(connection.execute(sa.select(schema.events.c.kind).order_by(schema.events.c.id)).scalars())


def is_gone(engine: sa.Engine, submission: str) -> bool:
    try:
        submission_row(engine, submission)
    except sa.exc.NoResultFound:
        return True
    return False
