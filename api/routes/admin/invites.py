"""Operators and invites: codes with which teams are registered."""

from typing import Any

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.params import JSONBody

from api.context import AppContext
from api.http.documents import problems
from api.http.page_links import Cursor, PageLimit, page_links
from api.http.path_ids import InviteId
from api.operator.access import Operator
from api.teams.invites import list_invites, make_invite, revoke_invite
from tetrad.contracts.operator import InviteList, InviteRecord, InviteRequest, NewInvite, Noted


@post(
    "/invites",
    operation_id="adminMakeInvite",
    summary="Make a code with which teams are registered, shown only now",
    responses=problems(400, 422),
    sync_to_thread=True,
)
def new_invite(
    context: NamedDependency[AppContext], operator: NamedDependency[Operator], data: JSONBody[InviteRequest]
) -> Response[NewInvite]:
    """Make a code for some teams within some days. Its hash alone is kept."""
    made = make_invite(context.engine, operator, data)
    return Response(made, status_code=201, headers={"Cache-Control": "no-store"})


@get(
    "/invites",
    operation_id="adminListInvites",
    summary="The invites, without the codes themselves",
    responses=problems(400, 422),
    sync_to_thread=True,
)
def invites(
    *,
    context: NamedDependency[AppContext],
    request: Request[Any, Any, Any],
    cursor: Cursor = None,
    limit: PageLimit = 50,
) -> Response[InviteList]:
    """Give each invite with the number of teams that can still be registered with it."""
    page = list_invites(context.engine, cursor, limit)
    return Response(page, headers=page_links(context.settings, request, page.next))


@post(
    "/invites/{invite:str}/revoke",
    status_code=200,
    operation_id="adminRevokeInvite",
    summary="Let nobody register with a code any more",
    responses=problems(400, 404, 422),
    sync_to_thread=True,
)
def revoke_code(
    context: NamedDependency[AppContext],
    operator: NamedDependency[Operator],
    invite: InviteId,
    data: JSONBody[Noted],
) -> InviteRecord:
    """Take the code back. Teams that were registered with it stay."""
    return revoke_invite(context.engine, operator, invite, data.reason)


HANDLERS = [new_invite, invites, revoke_code]
