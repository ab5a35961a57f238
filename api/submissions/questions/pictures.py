"""Pictures of sealed items: for the owner's key, and only those of a question that is open or answered."""

import sqlalchemy as sa

from api.context import Services
from api.database.schema import questions, submissions
from api.http.known_ids import known_id, not_found
from api.teams.access import Caller
from tetrad.server.database import read_transaction

LARGEST_ITEM = 2**31 - 1  # what the column holds; no draw is as large


def allow_picture(services: Services, caller: Caller, submission: str, item: int, name: str) -> None:
    """Let a picture pass that an opened question of the caller's own submission shows.

    Raises:
        ProblemError: 404, otherwise: the same words whether it exists or not.
    """
    known_id("sub", submission, "submission")
    if not 0 <= item <= LARGEST_ITEM:
        raise not_found("picture", f"{submission}/{item}/{name}")
    q, s = questions.c, submissions.c
    shown = (
        sa.select(q.pictures)
        .join(submissions, s.id == q.submission_id)
        .where(q.submission_id == submission, q.item == item, s.team_id == caller.team_id)
    )
    with read_transaction(services.engine) as connection:
        names = {one for pictures in connection.execute(shown).scalars() for one in pictures.split()}
    if name not in names:
        raise not_found("picture", f"{submission}/{item}/{name}")
