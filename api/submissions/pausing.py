"""Pauses a submission's deadline while one of its questions can't be shown because a source is damaged.

A pause begins with the first request that fails so, and ends when the same picture, or the same page of questions, is
served again. What lay between is added to the deadline, `LONGEST_PAUSE_MS` in all. Until then `deadline_at` stands as
far ahead as a pause may still last, so that whoever looks at deadlines looks at one column.
"""

import asyncio
from collections.abc import Collection

import sqlalchemy as sa

from api.context import AppContext
from api.database.schema import submissions
from api.errors import SourceUnavailableError
from api.submissions.finishing import locked
from tetrad.server.clock import now_ms
from tetrad.server.database import is_state, read_rows, write_transaction

LONGEST_PAUSE_MS = 72 * 3600 * 1000
"""Of all pauses of a submission together: an operator restores a store in three days."""


def of_questions(item: int) -> str:
    """Name what a page of questions failed at: its first item."""
    return str(item)


def of_picture(item: int, name: str) -> str:
    """Name what a picture's request failed at."""
    return f"{item}/{name}"


def pause(engine: sa.Engine, submission: str, what: str) -> None:
    """Stop the clock of an open submission, unless it stands already or has stood too long."""
    s, now = submissions.c, now_ms()
    waits = sa.and_(is_state(s.state, "open"), s.finish_reason.is_(None), s.deadline_at > now)
    this = sa.update(submissions).where(s.id == submission, waits, s.paused_for.is_(None))
    with write_transaction(engine) as connection:
        connection.execute(
            this.where(s.paused_ms < LONGEST_PAUSE_MS).values(
                paused_for=what[:128], paused_at=now, deadline_at=s.deadline_at + (LONGEST_PAUSE_MS - s.paused_ms)
            )
        )


def resume(engine: sa.Engine, submission: str, what: str) -> None:
    """Let the clock run again: the time that it stood is added to the deadline."""
    with write_transaction(engine) as connection:
        row = locked(connection, submission)
        if row.state != "open" or row.paused_for != what[:128]:
            return
        left = LONGEST_PAUSE_MS - row.paused_ms
        stood = min(max(0, now_ms() - row.paused_at), left)
        this = sa.update(submissions).where(submissions.c.id == submission)
        connection.execute(
            this.values(
                paused_for=None,
                paused_at=None,
                paused_ms=row.paused_ms + stood,
                deadline_at=row.deadline_at - left + stood,
            )
        )


def resume_questions(engine: sa.Engine, submission: str, paused_for: str | None, served: Collection[int]) -> None:
    """Let the clock run again if it stands for one of these items, whose questions were served."""
    if paused_for is not None and paused_for.isdecimal() and int(paused_for) in served:
        resume(engine, submission, paused_for)


def paused_for(engine: sa.Engine, submission: str) -> str | None:
    """Return what the submission's clock stands for; None where it runs."""
    query = sa.select(submissions.c.paused_for).where(submissions.c.id == submission)
    return next((row.paused_for for row in read_rows(engine, query)), None)


async def fetch_picture(context: AppContext, submission: str, item: int, name: str, paused: str | None) -> bytes:
    """Return a picture of an open question; `paused` is what the submission's clock stands for.

    Raises:
        SourceUnavailableError: it can't be shown; the clock stands from now on.
    """
    what = of_picture(item, name)
    try:
        pixels = await context.generator.sealed_picture(submission, item, name)
    except SourceUnavailableError:
        await asyncio.to_thread(pause, context.engine, submission, what)
        raise
    if paused == what[:128]:
        await asyncio.to_thread(resume, context.engine, submission, what)
    return pixels
