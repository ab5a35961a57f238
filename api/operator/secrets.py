"""Counts the open draws that still need each seed secret.

The generator lists the open draws; the api knows which of them can still be answered.
"""

import sqlalchemy as sa

from api.database.schema import submissions
from api.operator.access import Operator
from api.operator.audit_log import note
from api.upstream.generator import Generator
from tetrad.contracts.operator import SecretState, SecretStates
from tetrad.internal.draws import OpenDraw
from tetrad.server.clock import patient_ms
from tetrad.server.database import read_transaction, write_transaction

UNFINISHED = ("open", "queued", "failed")
OPENING_MS = 600_000  # a draw is sealed before its submission's row is written


def review_secrets(engine: sa.Engine, generator: Generator, operator: Operator) -> SecretStates:
    """Close the draws that nobody can answer any more, and count for each secret those that need it.

    Nobody can answer a draw whose submission is void or was never written. A draw that is never fetched is closed by
    scoring.

    Raises:
        GeneratorAwayError, GeneratorFailedError: the generator is away.
    """
    needed: dict[str, int] = {}
    closed, after, loaded = 0, "", [""]
    while True:
        page = generator.open_draws(after)
        loaded = page.loaded
        lapsed = _find_lapsed(engine, page.draws)
        if lapsed:
            generator.close_draws(sorted(lapsed))
        closed += len(lapsed)
        for draw in page.draws:
            if draw.submission not in lapsed:
                needed[draw.secret] = needed.get(draw.secret, 0) + 1
        if page.next is None:
            break
        after = page.next
    if closed:
        with write_transaction(engine) as connection:
            note(connection, operator, "close draws", "secrets", reason="nobody can answer them", closed=closed)
    known = [*loaded, *(secret for secret in needed if secret not in loaded)]
    states = [
        SecretState(id=secret, current=secret == loaded[0], loaded=secret in loaded, needed_by=needed.get(secret, 0))
        for secret in known
    ]
    return SecretStates(secrets=states, closed=closed)


def _find_lapsed(engine: sa.Engine, draws: list[OpenDraw]) -> set[str]:
    old = {draw.submission for draw in draws if draw.sealed_at < patient_ms() - OPENING_MS}
    s = submissions.c
    query = sa.select(s.id).where(s.id.in_(old), s.state.in_(UNFINISHED))
    with read_transaction(engine) as connection:
        return old - set(connection.execute(query).scalars())
