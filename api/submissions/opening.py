"""Opening a submission: seal a draw, then keep the submission and its line of the public log, or neither."""

import secrets

import sqlalchemy as sa
from msgspec import json

from api.access import Caller
from api.boards import board_of
from api.corpora import check_approval, check_size, count_in
from api.database.schema import submissions
from api.models import own_model
from api.services import Services
from api.submissions.events import tell
from api.submissions.finding import owned, show
from api.submissions.log import append
from api.texts import storable
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.draws import DrawRequest, SealedDraw
from tetrad.contracts.submissions import Submission, SubmissionRequest
from tetrad.serving.clock import now_ms, rfc3339
from tetrad.serving.database import reading, writing
from tetrad.serving.ids import new_id

HOUR_MS = 3_600_000


def open_submission(services: Services, caller: Caller, request: SubmissionRequest) -> Submission:
    """Open a submission on a draw of its own.

    The generator is asked first, outside of any transaction: a draw that was sealed for nothing is forgotten,
    since no line of the log tells of it.

    Raises:
        ProblemError: 404 or 422, no such benchmark, track, setting, parameter, size or model; 403, a fixed corpus
            that the team may not open, or not again.
    """
    model = own_model(services, caller, request.model)
    _check_corpus(services, caller, request)
    nonce = storable("nonce", request.nonce) or secrets.token_hex(16)
    submission = new_id("sub")
    draw = services.generator.seal(
        DrawRequest(
            submission=submission,
            nonce=nonce,
            benchmark=request.benchmark,
            track=request.track,
            setting=request.setting,
            parameters=request.parameters,
            size=request.size,
        )
    )
    card = services.cards.get(draw.identity.benchmark, draw.identity.version).card
    row = {**_of_draw(card, draw), "nonce": nonce, "model_id": model, "team_id": caller.team_id}
    open_for = int(request.deadline_hours * HOUR_MS)
    _keep(services.engine, {**row, "visibility": request.visibility}, open_for, fixed=card.corpus is not None)
    return show(services.settings, owned(services, caller, submission))


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
        "board": board_of(card, identity.track, identity.setting, identity.parameters),
        "size": draw.size,
        "commitment": draw.commitment,
    }


def _check_corpus(services: Services, caller: Caller, request: SubmissionRequest) -> None:
    """Refuse before a draw is sealed for nothing; what counts is said again in the transaction that opens."""
    cards = (info.card for info in services.cards.all() if info.card.name == request.benchmark)
    corpus = next((card.corpus for card in cards if card.corpus is not None), None)
    if corpus is not None:
        check_size(corpus, request.size)
        with reading(services.engine) as connection:
            check_approval(connection, caller.team_id, request.benchmark)


def _keep(engine: sa.Engine, row: dict[str, object], open_for: int, *, fixed: bool) -> None:
    """Write the submission, its log entry and its first event in one transaction."""
    submission, commitment = str(row["id"]), str(row["commitment"])
    with writing(engine) as connection:
        if fixed:
            count_in(connection, str(row["team_id"]), str(row["benchmark"]))
        now = now_ms()
        times = {"state": "open", "opened_at": now, "deadline_at": now + open_for}
        connection.execute(sa.insert(submissions).values(**row, **times))
        entry = append(connection, submission, commitment, rfc3339(now))
        tell(connection, submission, now, "opened", {"commitment": commitment, "log_entry": entry.number})
