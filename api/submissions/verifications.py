"""Queues checks of another instance's report: its size is checked here, then it is kept, and scoring verifies it.

Anybody may ask, and a verification costs room and time. So askers without an API key may ask for little, and only
while scoring has little to do.
"""

import hashlib
import logging
from typing import NamedTuple

import sqlalchemy as sa
from msgspec import json

from api.context import AppContext
from api.database.idempotency import Keep, unkept
from api.database.schema import submissions, verification_bytes, verifications
from api.errors import CapReachedError, InvalidInputError, LongQueueError, TooLargeError, not_found
from api.inputs import known_id
from api.settings import ApiSettings
from api.teams.instance_caps import address_digest
from tetrad.contracts.problems import Fault
from tetrad.contracts.reports import Finding, Report, Verification, VerificationRequest
from tetrad.server.clock import now_ms, rfc3339
from tetrad.server.database import insert_into, is_state, read_transaction, write_transaction
from tetrad.server.ids import new_id
from tetrad.server.request_ids import id_columns
from tetrad.server.value_words import find_place

MIB = 2**20
MOST_ITEMS = 1000  # without a key
MOST_QUESTIONS = 8 * MOST_ITEMS  # no benchmark asks more than six questions an item
LARGEST_WITHOUT_KEY = 8 * MIB  # the longest report of 1,000 items, a diagnosis each, has 6 MB
MOST_WAITING, MOST_WAITING_WITH_KEY = 2, 20  # of an address, of a team
MOST_KEPT, MOST_KEPT_WITH_KEY = 32 * MIB, 512 * MIB
PATIENCE_WITH_KEY = 10  # so many times as long a queue
QUEUE_SECONDS, OWN_SECONDS, KEPT_SECONDS = 30, 10, 3600
EVERYBODY = ""  # the asker under whom all kept bytes are summed
ROOM_LOCK = 0x7465_7472_7665  # "tetrve": on Postgres, one at a time looks for room and takes it

log = logging.getLogger(__name__)


class Asker(NamedTuple):
    """The asker of a verification: a team, known by its API key, or an address."""

    team: str | None
    address: str

    def subject(self, settings: ApiSettings) -> str:
        return self.team or address_digest(settings, self.address)

    @property
    def most_waiting(self) -> int:
        return MOST_WAITING_WITH_KEY if self.team else MOST_WAITING

    @property
    def most_kept(self) -> int:
        return MOST_KEPT_WITH_KEY if self.team else MOST_KEPT


def queue_verification(
    context: AppContext, asker: Asker, report: Report, size: int, keep: Keep[Verification] = unkept
) -> Verification:
    """Check a claimed report, keep it and queue its verification. Nothing is kept of what is refused.

    size: of the body that it came in, in bytes. The object is written before the row, so that no row points nowhere.

    Raises:
        InvalidInputError: the report does not name its own items.
        TooLargeError: it takes an API key.
        CapReachedError: the asker has as many waiting, or as many bytes kept, as it may.
        LongQueueError: too much waits for scoring now, or too many bytes are kept in all.
    """
    if asker.team is None and size > LARGEST_WITHOUT_KEY:
        raise too_large_without_key(size)
    _check_size(asker, report)
    kept = json.encode(report)
    with read_transaction(context.engine) as connection:  # looked at again where it counts
        _check_room(connection, context.settings, asker, len(kept))
    name = new_id("ver")
    stored = f"verifications/{name}-{hashlib.sha256(kept).hexdigest()}.json"
    context.store.put(stored, kept)
    now = now_ms()
    queued = Verification(id=name, state="queued", created_at=rfc3339(now))
    row = {"id": name, "object": stored, "state": "queued", "created_at": now, "bytes": len(kept)}
    try:
        with write_transaction(context.engine) as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(ROOM_LOCK)))
            _check_room(connection, context.settings, asker, len(kept))
            subject = asker.subject(context.settings)
            connection.execute(sa.insert(verifications).values(asker=subject, **row, **id_columns()))
            for counted_asker in (subject, EVERYBODY):
                _add_bytes(connection, counted_asker, len(kept))
            keep(connection, queued)
    except (CapReachedError, LongQueueError):
        context.store.delete(stored)
        raise
    context.notifier.verify(name)
    return queued


def too_large_without_key(size: int | None) -> TooLargeError:
    problem = f"without an API key a claimed report may have {LARGEST_WITHOUT_KEY} bytes and {MOST_ITEMS} items"
    shown = "more" if size is None else size
    return TooLargeError.at("report", shown, problem, "send an API key (POST /v1/teams gives one)")


def _check_size(asker: Asker, report: Report) -> None:
    """Check that the report is as large as it says, and no larger than the asker may send."""
    items = {result.item for result in report.questions}
    if not report.aggregates_only and (len(items) != report.size or not items <= set(range(report.size))):
        problem = f"names {len(items)} different items, but its size is {report.size}; items are numbered from 0"
        raise InvalidInputError.at("report.questions", None, problem, "send the whole report, unchanged")
    if asker.team is None and (report.size > MOST_ITEMS or len(report.questions) > MOST_QUESTIONS):
        raise too_large_without_key(report.size)


def _check_room(connection: sa.Connection, settings: ApiSettings, asker: Asker, size: int) -> None:
    v = verifications.c
    waiting = connection.execute(sa.select(sa.func.count()).where(is_state(v.state, "queued"))).scalar_one()
    s = submissions.c
    behind = connection.execute(sa.select(sa.func.count()).where(is_state(s.state, "queued"))).scalar_one()
    most = settings.verifications_queue * (PATIENCE_WITH_KEY if asker.team else 1)
    if waiting >= most or behind >= 2 * most:
        remedy = "" if asker.team else ", or send an API key, with which more is taken"
        detail = f"{waiting} verifications and {behind} submissions wait for scoring: no verification is taken now"
        raise LongQueueError(f"{detail}; try again in {QUEUE_SECONDS} s{remedy}", retry_after=QUEUE_SECONDS)
    subject = asker.subject(settings)
    own = sa.select(sa.func.count()).where(v.asker == subject, v.state == "queued")
    if (used := int(connection.execute(own).scalar_one())) >= asker.most_waiting:
        whose = "of your team" if asker.team else "from your address"
        problem = f"{used} verifications {whose} wait; at most {asker.most_waiting} may"
        remedy = "wait until one is done" if asker.team else "wait until one is done, or send an API key"
        fault = Fault(field="report", value=None, problem=problem, remedy=remedy)
        raise CapReachedError(f"{problem}; {remedy}", faults=[fault], retry_after=OWN_SECONDS)
    _check_bytes(connection, settings, asker, subject, size)


def _check_bytes(connection: sa.Connection, settings: ApiSettings, asker: Asker, subject: str, size: int) -> None:
    """Check what is kept of this asker, and in all. Claimed reports are deleted some days after their verification."""
    b = verification_bytes.c
    sums = sa.select(b.asker, b.bytes).where(b.asker.in_([subject, EVERYBODY]))
    kept = {row.asker: int(row.bytes) for row in connection.execute(sums)}
    if (own := kept.get(subject, 0)) + size > asker.most_kept:
        whose = "your team" if asker.team else "your address"
        problem = f"{own} bytes of claimed reports are kept for {whose}; at most {asker.most_kept} may be"
        remedy = "wait until older ones are deleted, or ask the operator (TETRAD_SCORING_VERIFICATION_DAYS)"
        fault = Fault(field="report", value=str(size), problem=problem, remedy=remedy)
        raise CapReachedError(f"{problem}; {remedy}", faults=[fault], retry_after=KEPT_SECONDS)
    if (every := kept.get(EVERYBODY, 0)) + size > settings.verifications_kept_mib * MIB:
        log.error(
            "no room for claimed reports: raise TETRAD_API_VERIFICATIONS_KEPT_MIB, or lower "
            "TETRAD_SCORING_VERIFICATION_DAYS, after which they are deleted",
            extra={"bytes": every},
        )
        detail = "this instance has no room for more claimed reports; ask its operator"
        raise LongQueueError(detail, retry_after=KEPT_SECONDS)


def _add_bytes(connection: sa.Connection, asker: str, size: int) -> None:
    """Add to what is kept of an asker. Scoring takes it off again when it deletes the report."""
    row = insert_into(connection, verification_bytes).values(asker=asker, bytes=size)
    added = {"bytes": verification_bytes.c.bytes + size}
    connection.execute(row.on_conflict_do_update(index_elements=["asker"], set_=added))


def find_verification(engine: sa.Engine, verification: str) -> Verification:
    """Return the state of a verification, and its findings.

    Raises:
        NotFoundError: there is none.
    """
    query = sa.select(verifications).where(verifications.c.id == known_id("ver", verification, "verification"))
    with read_transaction(engine) as connection:
        row = connection.execute(query).one_or_none()
    if row is None:
        raise not_found("verification", verification)
    findings = [] if row.result is None else json.decode(row.result, type=list[Finding])
    return Verification(
        id=row.id,
        state=row.state,
        confirmed=all(finding.ok for finding in findings) if row.state == "done" else None,
        findings=findings,
        failure=row.failure,
        created_at=rfc3339(row.created_at),
        finished_at=None if row.finished_at is None else rfc3339(row.finished_at),
    )


def read_claim(body: bytes) -> Report:
    """Return the report of a request.

    Raises:
        InvalidInputError: the body holds none.
    """
    try:
        return json.decode(body, type=VerificationRequest).report
    except (ValueError, RecursionError) as error:  # msgspec's errors and those of broken UTF-8 are ValueErrors
        remedy = 'send {"report": ...} with the JSON that GET /v1/submissions/{id}/report gave'
        place, problem = find_place(str(error))
        raise InvalidInputError.at(place or "report", None, problem, remedy) from error
