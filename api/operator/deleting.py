"""Deletes a team: personal data is deleted; data that others' results depend on is kept under a pseudonym.

Gone: name, title, contact, keys, approvals, names and addresses of models, nonces, replies, reports that were proposed
and never applied, and every submission that stands on no board, with its reports. Kept: the log of commitments (it
names submissions, no team), and the scored public submissions with the labels that were read, so that ranks, reports
and the log stay checkable.
"""

import hashlib

import sqlalchemy as sa
from msgspec import json
from msgspec.structs import replace

from api.context import AppContext
from api.database.parts import parts
from api.database.schema import (
    answers,
    commitments,
    metadata,
    models,
    reports,
    rescorings,
    submissions,
    superseded_reports,
    teams,
)
from api.errors import InvalidInputError, ReportJustWrittenError
from api.inputs import storable
from api.operator.access import Operator
from api.operator.audit_log import note
from api.operator.teams import living_team
from api.teams.accounts import team_of
from tetrad.contracts.operator import Deletion, DeletionRequest
from tetrad.contracts.rescoring import ProposedReport
from tetrad.internal.kept_answers import digest_of, folder_of, object_name, pack_answers, unpack_answers
from tetrad.server.damage import read_object
from tetrad.server.database import read_transaction, write_transaction
from tetrad.server.named_objects import digest_in

STANDING = ("scored", "void")
WITHDRAWN = "its team is being deleted"


def pseudonym(team_id: str) -> str:
    """Return the name of a deleted team; it follows from the team's id, which tells nothing."""
    return f"deleted-{hashlib.sha256(team_id.encode()).hexdigest()[:12]}"


def delete_team(context: AppContext, operator: Operator, team: str, request: DeletionRequest) -> Deletion:
    """Delete the team: first the objects and the generator's nonces, then every row, in one transaction.

    Only the rows name the objects and the draws. So the rows stay while the store or the generator is away, and a
    second request continues.

    Raises:
        NotFoundError: there is no such team.
        DeletedTeamError: it is deleted already.
        ReportJustWrittenError: a report of it was written at this moment.
        InvalidInputError: the name to confirm is another one.
        GeneratorAwayError, GeneratorFailedError: the generator is away.
        StoreError: the object store is.
        DamageError: an object of its answers is not what was kept.
    """
    for field in ("public_reason", "reason"):
        storable(field, getattr(request, field))
    with write_transaction(context.engine) as connection:
        _, every = _confirm(connection, team, request)
        _withdraw_proposals(connection, list(every))
        deleted = set(_objects(connection, every))
    context.generator.close_draws(list(every))
    for name in deleted:
        context.store.delete(name)
    blanked = _blank_kept_answers(context, every)
    with write_transaction(context.engine) as connection:
        team_id, every = _confirm(connection, team, request)
        gone, kept = _standing(every, stands=False), _standing(every, stands=True)
        named = _kept_answers(connection, kept)
        if not deleted.issuperset(_objects(connection, every)) or named.keys() - blanked.keys():
            raise ReportJustWrittenError("a report of this team was written at this moment; ask again")
        _delete_submissions(connection, gone)
        _forget_replies(connection, kept)
        for submission, (name, digest) in blanked.items():
            this = sa.update(submissions).where(submissions.c.id == submission)
            connection.execute(this.values(answers_object=name, answers_digest=digest))
        _become_pseudonym(connection, team_id, request)
        counts = {"submissions_kept": len(kept), "submissions_deleted": len(gone)}
        note(connection, operator, "delete team", team_id, reason=request.reason, **counts)
    with read_transaction(context.engine) as connection:
        return Deletion(team=team_of(connection, context.settings, team_id), **counts)


def _confirm(connection: sa.Connection, team: str, request: DeletionRequest) -> tuple[str, dict[str, bool]]:
    """Return the team's id and submissions, once its name is repeated."""
    team_id = living_team(connection, team)
    name = connection.execute(sa.select(teams.c.name).where(teams.c.id == team_id)).scalar_one()
    if request.confirm != name:
        raise InvalidInputError.at("confirm", request.confirm, "is not the team's name", "repeat the name of the team")
    return team_id, _submissions(connection, team_id)


def _submissions(connection: sa.Connection, team_id: str) -> dict[str, bool]:
    """Return the team's submissions by id: true for those that stand on a board."""
    s = submissions.c
    rows = connection.execute(sa.select(s.id, s.visibility, s.state).where(s.team_id == team_id).with_for_update())
    return {row.id: row.visibility == "public" and row.state in STANDING for row in rows}


def _standing(every: dict[str, bool], *, stands: bool) -> list[str]:
    return [submission for submission, does in every.items() if does is stands]


def _withdraw_proposals(connection: sa.Connection, every: list[str]) -> None:
    """Drop all proposals: once applied, one would name a report that is about to be deleted."""
    r = rescorings.c
    for part in parts(every):
        proposed = sa.update(rescorings).where(r.submission_id.in_(part), r.state == "proposed")
        connection.execute(proposed.values(state="dropped", failure=WITHDRAWN))


def _objects(connection: sa.Connection, every: dict[str, bool]) -> list[str]:
    """Return the names of the reports to delete: all of what stands on no board, and every proposal not applied."""
    found: list[str] = []
    for part in parts(_standing(every, stands=False)):
        for table in (reports, superseded_reports):
            query = sa.select(table.c.object).where(table.c.submission_id.in_(part))
            found += connection.execute(query).scalars()
    r = rescorings.c
    for part in parts(list(every)):
        proposals = sa.select(r.report).where(r.submission_id.in_(part), r.state != "applied", r.report.is_not(None))
        found += [json.decode(report, type=ProposedReport).object for report in connection.execute(proposals).scalars()]
    return found


def _kept_answers(connection: sa.Connection, among: list[str]) -> dict[str, str]:
    """Return the names of the objects that replaced the rows of answers, by submission."""
    s = submissions.c
    found: dict[str, str] = {}
    for part in parts(among):
        query = sa.select(s.id, s.answers_object).where(s.id.in_(part), s.answers_object.is_not(None))
        found |= {row.id: row.answers_object for row in connection.execute(query)}
    return found


def _blank_kept_answers(context: AppContext, every: dict[str, bool]) -> dict[str, tuple[str, str]]:
    """Leave no replies in the objects of a team's answers; return names and digests of those that stay, by submission.

    The object without replies is written before the one with them goes. Done again after a kill, the first is found.

    Raises:
        DamageError: one is not what was kept.
    """
    store = context.store
    blanked: dict[str, tuple[str, str]] = {}
    for submission, stands in every.items():
        names = list(store.names(folder_of(submission)))
        bodies = [read_object(context.engine, store, name, digest_in(name)) for name in names if stands]
        for body in bodies:
            without = pack_answers(replace(answer, response=None) for answer in unpack_answers(body))
            blanked[submission] = (object_name(submission, digest_of(without)), digest_of(without))
            store.put(blanked[submission][0], without)
        for name in names:
            if name != blanked.get(submission, ("", ""))[0]:
                store.delete(name)
    return blanked


def _delete_submissions(connection: sa.Connection, gone: list[str]) -> None:
    """Delete them from every table that names them, also those of later versions, but not from the public log."""
    naming = [table for table in reversed(metadata.sorted_tables) if "submission_id" in table.c]
    for part in parts(gone):
        for table in naming:
            if table.name != commitments.name:
                connection.execute(sa.delete(table).where(table.c.submission_id.in_(part)))
        connection.execute(sa.delete(submissions).where(submissions.c.id.in_(part)))


def _forget_replies(connection: sa.Connection, kept: list[str]) -> None:
    """Blank everything that the team wrote: its replies, and its part of the seeds."""
    for part in parts(kept):
        connection.execute(sa.update(answers).where(answers.c.submission_id.in_(part)).values(response=None))
        connection.execute(sa.update(submissions).where(submissions.c.id.in_(part)).values(nonce=""))
        waiting = sa.delete(rescorings).where(rescorings.c.submission_id.in_(part))
        connection.execute(waiting.where(rescorings.c.state.in_(("queued", "proposed", "dropped"))))


def _become_pseudonym(connection: sa.Connection, team_id: str, request: DeletionRequest) -> None:
    for table in reversed(metadata.sorted_tables):
        if "team_id" in table.c and table.name not in {models.name, submissions.name}:
            connection.execute(sa.delete(table).where(table.c.team_id == team_id))
    name = pseudonym(team_id)
    own = connection.execute(sa.select(models.c.id).where(models.c.team_id == team_id).order_by(models.c.id))
    for number, model in enumerate(own.scalars().all(), 1):
        new = {"name": f"{name}-model-{number}", "title": f"model {number} of a deleted team", "url": None}
        connection.execute(sa.update(models).where(models.c.id == model).values(new))
    state = {"state": "deleted", "state_reason": request.public_reason}
    blank = {"name": name, "title": "a deleted team", "contact": None, **state}
    connection.execute(sa.update(teams).where(teams.c.id == team_id).values(blank))
