"""Sealing answers: all of an upload or nothing, and the same words for right and for wrong ones."""

import sqlalchemy as sa

from api.context import Services
from api.database.schema import answers
from api.submissions.answering.admissible import (
    Content,
    Judgement,
    Place,
    conflict,
    conflicts_among,
    judge,
    sealed_answers,
)
from api.submissions.answering.reply_room import check_room
from api.submissions.answering.uploads import Upload
from api.submissions.finding import SubmissionRow, owned
from api.submissions.finishing import check_open, count_up, finish_items, locked
from api.teams.access import Caller
from tetrad.contracts.answers import SealReceipt
from tetrad.contracts.problems import Fault
from tetrad.server.clock import now_ms
from tetrad.server.database import insert_rows, read_transaction, write_transaction
from tetrad.server.problems import ProblemError

CONFLICT = "answers that are sealed never change; nothing of this upload was kept"


def answerable(services: Services, caller: Caller, submission: str) -> SubmissionRow:
    """Return the submission that an upload is for, before the upload is read.

    Raises:
        ProblemError: 404, not the caller's; 409, not open.
    """
    row = owned(services, caller, submission)
    check_open(row, now_ms())
    return row


def seal(services: Services, row: SubmissionRow, upload: Upload, *, dry_run: bool) -> SealReceipt:
    """Seal the upload's answers, or with `dry_run` only say what would become of them.

    Raises:
        ProblemError: 409, open no more, or sealed otherwise before; 413, more replies than a submission may have;
            422, faults by line.
    """
    with read_transaction(services.engine) as connection:
        judgement = judge(connection, str(row.id), row.size, upload.lines)
    _check(upload, judgement)
    check_room(row, judgement.new.values())
    repeated = len(upload.lines) - len(judgement.new) - judgement.unchanged
    if dry_run or not judgement.new:
        return SealReceipt(
            accepted=len(judgement.new),
            unchanged=judgement.unchanged + repeated,
            dry_run=dry_run,
            state=row.state,
            answered=row.answered_count,
        )
    return _seal(services, row, judgement.new, judgement.unchanged + repeated)


def _check(upload: Upload, judgement: Judgement) -> None:
    wrong = [*upload.faults, *judgement.faults]
    everything = sorted([*wrong, *judgement.conflicts], key=_line)
    if wrong:
        found = "1 fault" if len(everything) == 1 else f"{len(everything)} faults"
        detail = f"{found}; nothing of this upload was kept: correct what is wrong and send it again"
        raise ProblemError(422, detail, faults=everything)
    if everything:
        raise ProblemError(409, CONFLICT, faults=everything)


def _line(fault: Fault) -> int:
    return fault.line or 0


def _seal(services: Services, row: SubmissionRow, new: dict[Place, Content], unchanged: int) -> SealReceipt:
    """Write the answers, having looked again at what only another upload can have changed meanwhile."""
    submission = str(row.id)
    among = sorted({item for item, _ in new})
    now = now_ms()
    with write_transaction(services.engine) as connection:
        current = locked(connection, submission)
        check_open(current, now)
        sealed = sealed_answers(connection, submission, among)
        if faster := sorted(conflicts_among(new, sealed)):
            raise ProblemError(409, CONFLICT, faults=[conflict(place) for place in faster])
        fresh = {place: content for place, content in new.items() if place not in sealed}
        taken = check_room(current, fresh.values())
        _insert(connection, submission, fresh, now)
        finished = finish_items(connection, submission, among[0], among[-1])
        counts = {"answered_count": len(fresh), "finished_items": finished, "reply_bytes": taken}
        state = count_up(connection, current, now, **counts)
    if state == "queued":
        services.doorbell.score(submission)
    return SealReceipt(
        accepted=len(fresh),
        unchanged=unchanged + len(new) - len(fresh),
        dry_run=False,
        state=state,
        answered=current.answered_count + len(fresh),
    )


def _insert(connection: sa.Connection, submission: str, fresh: dict[Place, Content], now: int) -> None:
    rows = [
        {
            "submission_id": submission,
            "item": item,
            "question": question,
            "answer": answer,
            "response": response,
            "sealed_at": now,
        }
        for (item, question), (answer, response) in fresh.items()
    ]
    insert_rows(connection, answers, rows)
