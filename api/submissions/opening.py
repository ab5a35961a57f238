"""Opening a submission: seal a draw, then keep the submission and its line of the public log, or neither."""

import secrets

import sqlalchemy as sa
from msgspec import json

from api.boards.board_key import board_of
from api.context import Services
from api.database.schema import submissions
from api.http.idempotency import Keep, unkept
from api.http.texts import storable
from api.practice.allowed import allowed_to
from api.submissions.events.records import tell
from api.submissions.finding import JOINED, show
from api.submissions.fixed_corpora import check_approval, check_size
from api.submissions.log import append
from api.teams.access import Caller
from api.teams.caps import allow_submission, locked_team, team_row
from api.teams.models import own_model
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.submissions import Submission, SubmissionRequest
from tetrad.internal.draws import DrawRequest, SealedDraw
from tetrad.server.clock import now_ms, rfc3339
from tetrad.server.database import read_transaction, write_transaction
from tetrad.server.ids import new_id

HOUR_MS = 3_600_000


def open_submission(
    services: Services, caller: Caller, request: SubmissionRequest, keep: Keep[Submission] = unkept
) -> Submission:
    """Open a submission on a draw of its own.

    The generator is asked first, outside of any transaction: a draw that was sealed for nothing is forgotten,
    since no line of the log tells of it.

    Raises:
        ProblemError: 404 or 422, no such benchmark, track, setting, parameter, size or model; 403 or 429, the team
            may not, or not now: for itself, or on a fixed corpus.
    """
    model = own_model(services, caller, request.model)
    newest = services.cards.get(request.benchmark).card
    track, setting = newest.place(request.track, request.setting)
    if newest.corpus is not None:
        check_size(newest.corpus, request.size)
    with read_transaction(services.engine) as connection:  # looked at again, locked, where it counts
        allow_submission(connection, services.settings, team_row(connection, caller.team_id), request.size, now_ms())
        if newest.corpus is not None:
            check_approval(connection, caller.team_id, request.benchmark)
    nonce = storable("nonce", request.nonce) or secrets.token_hex(16)
    submission = new_id("sub")
    draw = services.generator.seal(
        DrawRequest(
            submission=submission,
            nonce=nonce,
            benchmark=request.benchmark,
            track=track,
            setting=setting,
            parameters=request.parameters,
            size=request.size,
            sources=request.source,
            allowed=allowed_to(services, caller.team_id),
        )
    )
    card = services.cards.get(draw.identity.benchmark, draw.identity.version).card
    row = {**_of_draw(card, draw), "nonce": nonce, "model_id": model, "team_id": caller.team_id}
    row |= {"visibility": request.visibility}
    return _write(services, card, row, int(request.deadline_hours * HOUR_MS), keep)


def _of_draw(card: Card, draw: SealedDraw) -> dict[str, object]:
    identity = draw.identity
    return {
        "id": draw.submission,
        "benchmark": identity.benchmark,
        "version": identity.version,
        "bank": identity.bank,
        "track": identity.track,
        "setting": identity.setting,
        "parameters": json.encode(identity.parameters, order="sorted").decode(),
        "board": board_of(card, identity.track, identity.setting, identity.parameters, identity.bank),
        "size": draw.size,
        "commitment": draw.commitment,
    }


def _write(services: Services, card: Card, row: dict[str, object], open_for: int, keep: Keep[Submission]) -> Submission:
    """Write the submission, its log entry and its first event in one transaction.

    Raises:
        ProblemError: 403 or 429, another request was faster and the team is at its cap now.
    """
    submission, commitment = str(row["id"]), str(row["commitment"])
    with write_transaction(services.engine) as connection:
        now = now_ms()
        team = locked_team(connection, str(row["team_id"]))
        allow_submission(connection, services.settings, team, int(str(row["size"])), now)
        if card.corpus is not None:
            check_approval(connection, str(row["team_id"]), card.name)
        times = {"state": "open", "opened_at": now, "deadline_at": now + open_for}
        connection.execute(sa.insert(submissions).values(**row, **times))
        entry = append(connection, submission, commitment, rfc3339(now))
        tell(connection, submission, now, "opened", {"commitment": commitment, "log_entry": entry.number})
        written = connection.execute(JOINED.where(submissions.c.id == submission)).one()
        opened = show(services.settings, written)
        keep(connection, opened)
    return opened
