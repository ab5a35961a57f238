"""Pauses a submission's deadline while one of its questions can't be shown because a source is damaged.

A pause begins with the first request that fails so, and ends when the same picture, or the same page of questions, is
served again. The time between is added to the deadline, `LONGEST_PAUSE_MS` in all. During a pause, `deadline_at`
includes the longest time that the pause may still last. So one column answers every question about deadlines.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence

import sqlalchemy as sa

from api.context import AppContext
from api.database.schema import submissions
from api.errors import SourceUnavailableError
from api.submissions.finishing import lock_submission
from tetrad.server.clock import now_ms
from tetrad.server.database import is_state, read_rows, write_transaction

LONGEST_PAUSE_MS = 72 * 3600 * 1000
"""Of all pauses of a submission together: an operator restores a store in three days."""


def of_questions(item: int) -> str:
    """Return the name under which a page of questions pauses a deadline: its first item."""
    return str(item)


def of_picture(item: int, name: str) -> str:
    """Return the name under which a picture pauses a deadline."""
    return f"{item}/{name}"


def pause(engine: sa.Engine, submission: str, what: str) -> None:
    """Pause the deadline of an open submission, unless it is paused or all its pauses together were too long."""
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
    """End the pause, and add its length to the deadline."""
    with write_transaction(engine) as connection:
        row = lock_submission(connection, submission)
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
    """End the pause if one of these items caused it: their questions were served."""
    if paused_for is not None and paused_for.isdecimal() and int(paused_for) in served:
        resume(engine, submission, paused_for)


def paused_for(engine: sa.Engine, submission: str) -> str | None:
    """Return the name of the item or picture that pauses the submission's deadline; None if it is not paused."""
    query = sa.select(submissions.c.paused_for).where(submissions.c.id == submission)
    return next((row.paused_for for row in read_rows(engine, query)), None)


async def fetch_picture(context: AppContext, submission: str, item: int, name: str, paused: str | None) -> bytes:
    """Return a picture of an open question; `paused` is the item or picture that pauses the deadline.

    Raises:
        SourceUnavailableError: it can't be shown; the deadline is paused from now on.
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


async def fetch_pictures(
    context: AppContext, submission: str, item: int, names: Sequence[str], paused: str | None
) -> Mapping[str, bytes]:
    """Return pictures of an item's open questions by name, in one request to the generator.

    Where one of them can't be shown, or the deadline is paused, each is asked for alone: it pauses for one picture.

    Raises:
        SourceUnavailableError: one can't be shown; the deadline is paused from now on.
    """
    if paused is None:
        try:
            return await context.generator.sealed_pictures(submission, item, names)
        except SourceUnavailableError:
            pass
    return {name: await fetch_picture(context, submission, item, name, paused) for name in names}
