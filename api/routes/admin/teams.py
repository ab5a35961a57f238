"""Operators and teams: listing, approving, suspending, caps, corpora, deleting."""

from typing import Annotated, Any

import msgspec
from litestar import Request, Response, delete, get, patch, post, put
from litestar.di import NamedDependency
from litestar.params import JSONBody, QueryParameter

from api.context import AppContext
from api.http.documents import problems
from api.http.page_links import Cursor, PageLimit, page_links
from api.http.path_ids import Corpus, TeamIdOrName
from api.operator.access import Operator
from api.operator.deleting import delete_team
from api.operator.teams import approve_corpus, disapprove_corpus, list_teams, seen_by, set_caps, set_state, show_team
from tetrad.contracts.accounts import TeamState
from tetrad.contracts.operator import (
    ApprovalRequest,
    CapsRequest,
    Deletion,
    DeletionRequest,
    Explained,
    Noted,
    TeamRecord,
    TeamRecordList,
)


@get(
    "/teams",
    operation_id="adminListTeams",
    summary="Every team, oldest first",
    responses=problems(400, 422),
    sync_to_thread=True,
)
def teams(
    *,
    context: NamedDependency[AppContext],
    operator: NamedDependency[Operator],
    request: Request[Any, Any, Any],
    cursor: Cursor = None,
    limit: PageLimit = 50,
    status: Annotated[TeamState | None, QueryParameter(description="only teams in this state")] = None,
) -> Response[TeamRecordList]:
    """Give every team with its contact, its valid keys, its models and its submissions by state.

    An operator who may only view sees no contact.
    """
    page = list_teams(context.engine, context.settings, cursor, limit, status)
    page = msgspec.structs.replace(page, teams=[seen_by(operator, record) for record in page.teams])
    return Response(page, headers=page_links(context.settings, request, page.next))


@get(
    "/teams/{team:str}",
    operation_id="adminGetTeam",
    summary="One team, by id or name",
    responses=problems(404, 422),
    sync_to_thread=True,
)
def team(
    context: NamedDependency[AppContext],
    operator: NamedDependency[Operator],
    team: TeamIdOrName,
) -> TeamRecord:
    """Give the team with its contact, its valid keys, its models and its submissions by state.

    An operator who may only view sees no contact.
    """
    return seen_by(operator, show_team(context.engine, context.settings, team))


@post(
    "/teams/{team:str}/approve",
    status_code=200,
    operation_id="adminApproveTeam",
    summary="Let a pending or suspended team work",
    responses=problems(400, 404, 409, 422),
    sync_to_thread=True,
)
def approve_team(
    context: NamedDependency[AppContext],
    operator: NamedDependency[Operator],
    team: TeamIdOrName,
    data: JSONBody[Noted],
) -> TeamRecord:
    """Make the team active: from now on it may open submissions."""
    return set_state(context.engine, context.settings, operator, team, "active", reason=data.reason)


@post(
    "/teams/{team:str}/suspend",
    status_code=200,
    operation_id="adminSuspendTeam",
    summary="Let a team only read, with a reason it is shown",
    responses=problems(400, 404, 409, 422),
    sync_to_thread=True,
)
def suspend_team(
    context: NamedDependency[AppContext],
    operator: NamedDependency[Operator],
    team: TeamIdOrName,
    data: JSONBody[Explained],
) -> TeamRecord:
    """Let the team's keys read and nothing else. Its gateway tokens are refused within seconds."""
    return set_state(context.engine, context.settings, operator, team, "suspended", reason=data.reason)


@patch(
    "/teams/{team:str}/caps",
    operation_id="adminSetCaps",
    summary="Change a team's caps; null means the default",
    responses=problems(400, 404, 409, 422),
    sync_to_thread=True,
)
def caps(
    context: NamedDependency[AppContext],
    operator: NamedDependency[Operator],
    team: TeamIdOrName,
    data: JSONBody[CapsRequest],
) -> TeamRecord:
    """Set each cap that is given. The others stay as they are, and null restores the instance's default."""
    return set_caps(context.engine, context.settings, operator, team, data)


@put(
    "/teams/{team:str}/approvals/{corpus:str}",
    operation_id="adminApproveCorpus",
    summary="Let a team open so many submissions on a corpus",
    responses=problems(400, 404, 409, 422),
    sync_to_thread=True,
)
def approval(
    *,
    context: NamedDependency[AppContext],
    operator: NamedDependency[Operator],
    team: TeamIdOrName,
    corpus: Corpus,
    data: JSONBody[ApprovalRequest],
) -> TeamRecord:
    """Approve the team for a fixed corpus, up to a number of submissions. A second approval replaces the number."""
    return approve_corpus(context.engine, context.settings, operator, team, corpus, request=data)


@delete(
    "/teams/{team:str}/approvals/{corpus:str}",
    status_code=200,
    operation_id="adminDisapproveCorpus",
    summary="Take the approval for a corpus back",
    responses=problems(404, 409, 422),
    sync_to_thread=True,
)
def no_approval(
    context: NamedDependency[AppContext],
    operator: NamedDependency[Operator],
    team: TeamIdOrName,
    corpus: Corpus,
) -> TeamRecord:
    """Let the team open no further submission on the corpus. Those that are open go on."""
    return disapprove_corpus(context.engine, context.settings, operator, team, corpus)


@post(
    "/teams/{team:str}/delete",
    status_code=200,
    operation_id="adminDeleteTeam",
    summary="Delete what is personal of a team; what boards rest on stays under a pseudonym",
    responses=problems(400, 404, 409, 422, 502, 503),
    sync_to_thread=True,
)
def deletion(
    context: NamedDependency[AppContext],
    operator: NamedDependency[Operator],
    team: TeamIdOrName,
    data: JSONBody[DeletionRequest],
) -> Deletion:
    """Delete its name, contact, keys, replies and private submissions.

    Scored public submissions stay under a pseudonym.
    """
    return delete_team(context, operator, team, data)


HANDLERS = [teams, team, approve_team, suspend_team, caps, approval, no_approval, deletion]
