"""Opens a submission: seals a draw, then keeps the submission and its line of the public log, or neither."""

import secrets
from typing import NamedTuple

import sqlalchemy as sa
from msgspec import json

from api.boards.board_key import board_of
from api.boards.queries import BoardQuery, resolve_conversation
from api.context import AppContext
from api.database.idempotency import Keep, unkept
from api.database.schema import submissions
from api.inputs import storable
from api.settings import ApiSettings
from api.submissions.finding import JOINED, show
from api.submissions.log import append
from api.teams.access import Caller
from api.teams.approvals import allowed_to, check_approval, check_size
from api.teams.caps import allow_submission, locked_team, team_row
from api.teams.instance_caps import ESTABLISHED_WEIGHT, NEW_WEIGHT, allow_items, count_items, is_established
from api.teams.models import own_model
from tetrad.contracts.benchmarks import Card, Conversation
from tetrad.contracts.submissions import Submission, SubmissionRequest
from tetrad.internal.draws import DrawRequest, SealedDraw
from tetrad.server.clock import HOUR_MS, now_ms, rfc3339
from tetrad.server.database import chained_transaction, read_transaction
from tetrad.server.ids import new_id
from tetrad.server.scoring_tables import add_event


def open_submission(
    context: AppContext,
    caller: Caller,
    request: SubmissionRequest,
    keep: Keep[Submission] = unkept,
    *,
    address: str = "",
) -> Submission:
    """Open a submission on a draw of its own. `address` is the client's; without one, none is counted.

    The generator is asked first, outside of any transaction. A draw that was sealed for nothing is forgotten, because
    no line of the log tells of it.

    Raises:
        NotFoundError, InvalidInputError: there is no such benchmark, track, setting, parameter, size or model, or there
            is nothing to join.
        InactiveTeamError, NotApprovedError: the team may not, for itself or on a fixed corpus.
        CapReachedError: it may not now.
    """
    model = own_model(context.engine, context.gateway, caller, request.model)
    newest = context.cards.get(request.benchmark).card
    track, setting = newest.place(request.track, request.setting)
    conversation = resolve_conversation(newest, setting, request.conversation)
    allowed = _check_caps(context, caller, request, newest, address)
    nonce = storable("nonce", request.nonce) or secrets.token_hex(16)
    submission = new_id("sub")
    draw = context.generator.seal(
        DrawRequest(
            submission=submission,
            nonce=nonce,
            benchmark=request.benchmark,
            track=track,
            setting=setting,
            parameters=request.parameters,
            size=request.size,
            sources=request.source,
            allowed=allowed,
        )
    )
    card = context.cards.get(draw.identity.benchmark, draw.identity.version).card
    row = {**draw_columns(card, draw, conversation), "nonce": nonce, "model_id": model, "team_id": caller.team_id}
    row |= {"visibility": request.visibility}
    open_for = int(request.deadline_hours * HOUR_MS)
    return _write(context.engine, context.settings, card, row, open_for, address=address, keep=keep)


def _check_caps(context: AppContext, caller: Caller, request: SubmissionRequest, card: Card, address: str) -> list[str]:
    """Check that the team may open it, and return the sources that it may use: looked at again, locked, at the end.

    Raises:
        InvalidInputError, InactiveTeamError, NotApprovedError, CapReachedError: it may not.
    """
    if card.corpus is not None:
        check_size(card.corpus, request.size)
    with read_transaction(context.engine) as connection:
        team, now = team_row(connection, caller.team_id), now_ms()
        allow_submission(connection, context.settings, team, request.size, now)
        established = is_established(connection, context.settings, team, now)
        allow_items(connection, context.settings, established=established, address=address, size=request.size)
        if card.corpus is not None:
            check_approval(connection, caller.team_id, request.benchmark)
        return allowed_to(connection, caller.team_id)


def draw_columns(card: Card, draw: SealedDraw, conversation: Conversation) -> dict[str, object]:
    """Return the columns of a submission that follow from its draw."""
    identity = draw.identity
    where = BoardQuery(identity.track, identity.setting, identity.parameters, conversation)
    return {
        "id": draw.submission,
        "benchmark": identity.benchmark,
        "version": identity.version,
        "bank": identity.bank,
        "track": identity.track,
        "setting": identity.setting,
        "parameters": json.encode(identity.parameters, order="sorted").decode(),
        "conversation": conversation,
        "board": board_of(card, where, identity.bank),
        "size": draw.size,
        "commitment": draw.commitment,
    }


def _write(
    engine: sa.Engine,
    settings: ApiSettings,
    card: Card,
    row: dict[str, object],
    open_for: int,
    *,
    address: str,
    keep: Keep[Submission],
) -> Submission:
    """Write the submission, its log entry and its first event in one transaction.

    Raises:
        CapReachedError, NotApprovedError: another request was faster and the team is at its cap now; or all teams
            together are.
    """
    with chained_transaction(engine) as connection:
        inserted = insert_submission(connection, settings, card, row, open_for)
        written = connection.execute(JOINED.where(submissions.c.id == str(row["id"]))).one()
        opened = show(settings, written)
        keep(connection, opened)
        enter_in_log(connection, settings, inserted, address=address)
    return opened


class Inserted(NamedTuple):
    """A submission whose row is written, and that is neither counted nor in the log."""

    id: str
    commitment: str
    size: int
    at: int
    established: bool


def insert_submission(
    connection: sa.Connection,
    settings: ApiSettings,
    card: Card,
    row: dict[str, object],
    open_for: int,
) -> Inserted:
    """Insert a submission, open for `open_for` ms. `enter_in_log` follows in the same transaction.

    Raises:
        CapReachedError, NotApprovedError, InactiveTeamError: the team may not open it now.
    """
    now, size = now_ms(), int(str(row["size"]))
    team = locked_team(connection, str(row["team_id"]))
    allow_submission(connection, settings, team, size, now)
    if card.corpus is not None:
        check_approval(connection, str(row["team_id"]), card.name)
    established = is_established(connection, settings, team, now)
    row = {**row, "weight": ESTABLISHED_WEIGHT if established else NEW_WEIGHT}
    times = {"state": "open", "opened_at": now, "deadline_at": now + open_for}
    connection.execute(sa.insert(submissions).values(**row, **times))
    return Inserted(str(row["id"]), str(row["commitment"]), size, now, established)


def enter_in_log(connection: sa.Connection, settings: ApiSettings, inserted: Inserted, *, address: str) -> None:
    """Count a submission that is inserted, and write its log entry and its first event.

    From here to the end of the transaction all other openings wait: it is the transaction's last step.

    Raises:
        CapReachedError: all teams together, or this address, have too much.
    """
    count_items(connection, settings, established=inserted.established, address=address, size=inserted.size)
    entry = append(connection, inserted.id, inserted.commitment, rfc3339(inserted.at))
    data = {"commitment": inserted.commitment, "log_entry": entry.number}
    add_event(connection, inserted.id, inserted.at, "opened", data)
