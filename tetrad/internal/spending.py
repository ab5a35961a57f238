"""Report the cost of model calls from the gateway, which holds the running ledger, to the api, which stores it.

POST /internal/v1/settlements records a batch. POST /internal/v1/ledger begins the next epoch of the ledger.
Amounts are nanodollars. A budget is named SCOPE|ID with the scope team, token, evaluation or day.
"""

from typing import Annotated

import msgspec

from tetrad.contracts.wire import END, Request, Wire

Nanodollars = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
BudgetName = Annotated[str, msgspec.Meta(pattern=rf"^(team|token|evaluation|day)\|.{{1,128}}{END}")]


class Settlement(Request, frozen=True, kw_only=True):
    """The cost of one call of a model. `estimated`: it is the reservation, because the upstream reported no usage.

    `epoch` is that of the ledger in which the cost was booked. `at` is milliseconds since 1970.
    """

    id: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
    epoch: int
    at: int
    cost: Nanodollars
    estimated: bool
    budgets: Annotated[list[BudgetName], msgspec.Meta(max_length=8)]
    team: Annotated[str, msgspec.Meta(max_length=128)]
    account: Annotated[str, msgspec.Meta(max_length=200)]
    model: Annotated[str, msgspec.Meta(max_length=200)]


class Settlements(Request, frozen=True, kw_only=True):
    settlements: Annotated[list[Settlement], msgspec.Meta(max_length=1000)]


class KeptSettlement(Wire, frozen=True, kw_only=True):
    """The record of a settlement in the database. Sending a settlement again gives the same answer.

    `grown`: how much the sums have grown by it since the epoch began; below 0 for a correction, 0 if the sums at the
    beginning held all of it. `estimates_grown`: the same for the sums of what is estimated. `is_late`: it is of an
    earlier epoch. `estimated`: what is kept is an estimate.
    """

    id: str
    budgets: list[str]
    grown: int
    estimates_grown: int
    estimated: bool
    is_late: bool


class SettlementsRecorded(Wire, frozen=True, kw_only=True):
    epoch: int
    kept: list[KeptSettlement]


class BudgetSpent(Wire, frozen=True, kw_only=True):
    """The sum of a budget. `estimated`: what of it nobody has measured."""

    budget: str
    spent: int
    estimated: int


class LedgerOpened(Wire, frozen=True, kw_only=True):
    """A new epoch, and the sums of every budget at its beginning."""

    epoch: int
    spent: list[BudgetSpent]
