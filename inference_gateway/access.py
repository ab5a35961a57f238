"""Finds the caller of a request and its purpose, by service tokens of the deployment or signed tokens of teams.

The gateway fetches the list of revoked tokens and the budgets of teams from the api every few seconds. Without a list,
or with an old one, it refuses every signed token. So a revocation always takes effect.
"""

import asyncio
import hmac
import logging
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Literal, TypeAlias

import aiohttp
import msgspec
from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler
from litestar.types import Guard

from inference_gateway.day_bounds import DayBounds
from inference_gateway.gates import Budget
from tetrad.contracts.inference import Purpose, RevokedTokens
from tetrad.money import NANODOLLARS_A_MICRODOLLAR
from tetrad.server.clock import now_ms
from tetrad.server.gateway_tokens import (
    PREFIX,
    REVOKED_PATH,
    GatewayClaims,
    GatewayTokenError,
    verify,
)
from tetrad.server.problems import ProblemError
from tetrad.server.tokens import bearer_token

SERVICE = "service"
LIST: Literal["list"] = "list"
ServicePurpose: TypeAlias = Purpose | Literal["list"]
"""The purpose of a service's token. `list`: it lists models and makes no call, as the api does."""
BOUNDLESS = 2**53 - 1  # nanodollars, nine million dollars: the largest number that Redis's scripts count exactly
CHALLENGE = {"WWW-Authenticate": "Bearer"}
log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Caller:
    """The caller of a request. Without `models` it may use all of them.

    `team` is `service` for the deployment's own services. `may_spend`: it may use models that cost money; so may a
    signed token that names a budget. `only_lists`: it lists models, of any team, and makes no call.
    """

    team: str
    token: str
    purpose: Purpose = "sealed"
    models: frozenset[str] = frozenset()
    budgets: tuple[Budget, ...] = ()
    may_spend: bool = True
    only_lists: bool = False

    def may_use(self, model: str) -> bool:
        return not self.models or model in self.models


@dataclass
class Revocations:
    """The ids of revoked tokens and the budgets of teams, as last fetched from the api.

    Without an api there are none.
    """

    api_url: str = ""
    token: str = ""
    seconds: float = 5.0
    grace_seconds: float = 600.0
    _revoked: frozenset[str] = frozenset()
    _budgets: Mapping[str, int] = field(default_factory=dict)
    _heard_at: float | None = field(default=None)

    @property
    def is_known(self) -> bool:
        """Return whether there is a list that is recent enough."""
        if not self.api_url:
            return True
        return self._heard_at is not None and time.monotonic() - self._heard_at < self.grace_seconds

    def __contains__(self, token: str) -> bool:
        return token in self._revoked

    def team_limit(self, team_id: str) -> int:
        """Return what a team may spend in all, in nanodollars."""
        found = self._budgets.get(team_id)
        return BOUNDLESS if found is None else min(BOUNDLESS, found * NANODOLLARS_A_MICRODOLLAR)

    async def follow(self) -> None:
        """Fetch the list again and again, until cancelled."""
        if not self.api_url:
            return
        timeout = aiohttp.ClientTimeout(total=10)
        async with aiohttp.ClientSession(timeout=timeout, trust_env=False) as session:
            while True:
                await self._fetch(session)
                await asyncio.sleep(self.seconds if self._heard_at is not None else 0.5)

    async def _fetch(self, session: aiohttp.ClientSession) -> None:
        headers = {"Authorization": f"Bearer {self.token}"}
        try:
            async with session.get(self.api_url + REVOKED_PATH, headers=headers, allow_redirects=False) as answer:
                if answer.status != HTTPStatus.OK:
                    log.warning("the api refuses the list of revoked tokens", extra={"status": answer.status})
                    return
                tokens = msgspec.json.decode(await answer.read(), type=RevokedTokens)
                self._revoked, self._budgets = frozenset(tokens.revoked), tokens.budgets
                self._heard_at = time.monotonic()
        except (aiohttp.ClientError, TimeoutError, msgspec.DecodeError) as error:
            log.warning("the list of revoked tokens can't be fetched", extra={"error": type(error).__name__})


class Access:
    """Tells callers by their tokens. `service_tokens`: each with the purpose of the service's calls."""

    def __init__(
        self, service_tokens: Mapping[str, ServicePurpose], secrets: str, revocations: Revocations, days: DayBounds
    ) -> None:
        self._days = days
        self._services = service_tokens
        self._secrets = secrets
        self._revocations = revocations

    def guard(self) -> Guard:
        """Return a guard that keeps the caller in the connection's scope: async, or Litestar takes a thread for it."""

        async def guard(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
            caller = self.caller_with(bearer_token(connection))
            if caller.only_lists and connection.scope.get("method") != "GET":
                detail = "this token only lists models; send one that `tetrad admin gateway-token make` made"
                raise ProblemError(403, detail)
            connection.scope["auth"] = caller

        return guard

    def caller_with(self, token: str | None) -> Caller:
        """Return who has this token.

        Raises:
            ProblemError: 401 without one or with an unknown, expired, revoked or damaged one, 503 while the gateway
                has no recent list of revoked tokens.
        """
        if token is None:
            detail = "a token is needed: send Authorization: Bearer TOKEN; `tetrad admin gateway-token` makes one"
            raise ProblemError(401, detail, headers=CHALLENGE)
        if token.startswith(PREFIX):
            return self._of_claims(self._verify_claims(token))
        for number, (known, purpose) in enumerate(self._services.items(), start=1):
            if hmac.compare_digest(token.encode(), known.encode()):
                name = f"{SERVICE}-{number}"
                if purpose == LIST:
                    return Caller(team=SERVICE, token=name, only_lists=True)
                return Caller(team=SERVICE, token=name, purpose=purpose, budgets=self._days.budgets(purpose))
        detail = "nobody knows this token here; send one that `tetrad admin gateway-token` made"
        raise ProblemError(401, detail, headers=CHALLENGE)

    def _verify_claims(self, token: str) -> GatewayClaims:
        try:
            claims = verify(token, self._secrets, now_ms())
        except GatewayTokenError as error:
            detail = f"{error}; ask the operator for another one (`tetrad admin gateway-token`)"
            raise ProblemError(401, detail, headers=CHALLENGE) from error
        if not self._revocations.is_known:
            detail = "the gateway does not know now which tokens are revoked; try again in some seconds"
            raise ProblemError(503, detail, headers={"Retry-After": "5"})
        if claims.id in self._revocations:
            raise ProblemError(401, "this token is revoked; ask the operator for another one", headers=CHALLENGE)
        return claims

    def _of_claims(self, claims: GatewayClaims) -> Caller:
        return Caller(
            team=claims.team,
            token=claims.id,
            purpose=claims.purpose,
            models=frozenset(claims.models),
            budgets=tuple(self._budgets_of(claims)),
            may_spend=claims.budget is not None or claims.evaluation_budget is not None,
        )

    def _budgets_of(self, claims: GatewayClaims) -> Iterator[Budget]:
        """Yield the budgets of a token. The team's spending is counted even while it has no bound."""
        yield from self._days.budgets(claims.purpose)
        yield Budget(scope="team", id=claims.team_id, limit=self._revocations.team_limit(claims.team_id))
        if claims.budget is not None:
            yield Budget(scope="token", id=claims.id, limit=min(BOUNDLESS, claims.budget * NANODOLLARS_A_MICRODOLLAR))
        if claims.evaluation is not None:
            given = claims.evaluation_budget
            limit = BOUNDLESS if given is None else min(BOUNDLESS, given * NANODOLLARS_A_MICRODOLLAR)
            yield Budget(scope="evaluation", id=claims.evaluation, limit=limit)
