"""Which sources a caller may draw from, beside the public ones."""

from typing import Any

from litestar import Request

from api.context import Services
from api.teams.access import identify
from api.teams.approvals import approvals_of
from tetrad.server.database import read_transaction
from tetrad.server.tokens import bearer_token

TEAMS = "teams"
"""What stands for every source that is for teams."""


def allowed_to(services: Services, team_id: str) -> list[str]:
    """Return what a team may draw from: what is for teams, and the titles of sources that it is approved for."""
    with read_transaction(services.engine) as connection:
        return [TEAMS, *(one.corpus for one in approvals_of(connection, team_id) if ":" in one.corpus)]


def allowed_by_request(services: Services, request: Request[Any, Any, Any]) -> list[str]:
    """Return what whoever sent a request without a guard may draw from. Nobody is asked where all sources are public.

    Raises:
        ProblemError: 401, the key is nobody's.
    """
    if all(source.access == "public" for info in services.cards.all() for source in info.sources):
        return []
    key = bearer_token(request)
    return [] if key is None else allowed_to(services, identify(services.engine, key).team_id)
