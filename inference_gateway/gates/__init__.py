"""Gates between a request and an upstream: rates, permits, budgets, breakers. Callers import this module alone.

    async with gates.admit(call) as permit:  # raises Refused: nothing was sent, nothing is billed
        await permit.mark_sent()  # from here on the call is billed
        reply = await provider.chat(...)
        await permit.settle(Usage(input_tokens=..., output_tokens=...))

A block that ends without `settle` is settled from what is known. The reservation of a call that was never sent is given
back. An UpstreamError says whether the upstream bills the call. Any other call that was sent is settled at its
reservation and marked as estimated. `gates.attempts.attempt_routes` is this block with retries and fallback around it.
Money is counted in whole nanodollars.
"""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Decimal
from enum import StrEnum
from typing import Literal, Protocol

from inference_gateway.gates.replies import Replies
from inference_gateway.usage import MOST_TOKENS, Usage
from tetrad.contracts.inference import ShortBudget

_NANODOLLARS_PER_TOKEN = Decimal(1000)  # of a price of one dollar a million tokens


@dataclass(frozen=True, kw_only=True)
class Price:
    """Dollars a million tokens. A cached token costs `cached_input`, or `input` if that is None."""

    input: Decimal
    output: Decimal
    cached_input: Decimal | None = None

    def __post_init__(self) -> None:
        """Check that prices are amounts. Raises: ValueError: one is negative or not a number."""
        for name in ("input", "output", "cached_input"):
            value = getattr(self, name)
            if value is not None and not (value.is_finite() and value >= 0):
                raise ValueError(f"{name}: {value} is not a price; give dollars for a million tokens, 0 or more")

    def cost(self, input_tokens: int, output_tokens: int, cached_input_tokens: int = 0) -> int:
        """Return the cost in nanodollars, rounded up; cached tokens are among the input tokens."""
        cached = self.input if self.cached_input is None else self.cached_input
        dollars_a_million = (
            self.input * (input_tokens - cached_input_tokens)
            + cached * cached_input_tokens
            + self.output * output_tokens
        )
        return int((dollars_a_million * _NANODOLLARS_PER_TOKEN).to_integral_value(ROUND_CEILING))

    def bound(self, estimate: "Estimate") -> int:
        """Return the most that a call within its estimate can cost, in nanodollars."""
        dearest = max(self.input, self.cached_input or Decimal(0))
        return Price(input=dearest, output=self.output).cost(estimate.input_tokens, estimate.output_tokens)


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """Upper bounds of one attempt, in tokens.

    `input_tokens`: UTF-8 bytes of everything that is sent as text (a byte-level tokenizer reaches a token a byte) and
    the declared tokens of each picture. `output_tokens`: the cap that is sent upstream, times n.
    """

    input_tokens: int
    output_tokens: int

    @property
    def tokens(self) -> int:
        """Return the sum, which counts towards the limit of tokens a minute."""
        return self.input_tokens + self.output_tokens


BudgetScope = Literal["team", "token", "evaluation", "day"]


@dataclass(frozen=True, kw_only=True)
class Budget:
    """A limit in nanodollars on everything that one team, one token or one evaluation ever spends, or on a day's calls.

    Budgets of scope `day` are the gateway's own bounds: the database's answers can't lower what is counted of them.
    """

    scope: BudgetScope
    id: str
    limit: int


@dataclass(frozen=True, kw_only=True)
class Upstream:
    """One account at one address. Each has its own limits, and a breaker for each model.

    `account` never holds a secret.

    `requests_per_minute`, `tokens_per_minute`: None for no limit. The adaptive limit of concurrent calls begins at
    `start_permits` and stays within `least_permits` and `most_permits`. `local_permits`: concurrent calls a process
    while Redis is away.
    """

    account: str
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    least_permits: int = 1
    start_permits: int = 10
    most_permits: int = 100
    local_permits: int = 4


@dataclass(frozen=True, kw_only=True)
class Call:
    """One attempt at one upstream, as the gates see it: no text, no picture, no secret.

    `price` is None where nothing is billed (in process, Triton). `patience`: seconds that the call may wait for its
    turn before it is refused as busy. `holds`: the reservation begins as unsent and `permit.mark_sent()` marks it, at
    one more trip to Redis; otherwise it is marked as sent at admission. `capacity`: the most tokens that the model can
    take and write in this call; None if its context is not registered.
    """

    team: str
    token: str
    model: str
    upstream: Upstream
    estimate: Estimate
    price: Price | None = None
    budgets: tuple[Budget, ...] = ()
    patience: float = 60.0
    holds: bool = False
    attempt: int = 1
    capacity: Estimate | None = None

    @property
    def reservation(self) -> int:
        """Return what is reserved, in nanodollars."""
        return 0 if self.price is None else self.price.bound(self.estimate)

    def is_odd(self, usage: Usage) -> bool:
        """Return whether a reported usage can't be true: the model has no such capacity, or more is cached than sent.

        Without a registered capacity nothing above the reservation is believed.
        """
        most = self.capacity
        if most is None:
            unbounded = Estimate(input_tokens=MOST_TOKENS, output_tokens=MOST_TOKENS)
            most = unbounded if self.price is None else self.estimate
        return usage.is_odd(most.input_tokens, most.output_tokens)


LONGEST_PAUSE = 60.0
"""Seconds that a 429 holds a model back at most, whatever its upstream asks for."""


class Failure(StrEnum):
    """The kinds of failed attempts that gates distinguish."""

    RATE_LIMITED = "rate-limited"  # 429, Triton's UNAVAILABLE: never a fault of the upstream
    SERVER = "server"  # 5xx
    TIMEOUT = "timeout"
    CONNECTION = "connection"  # refused, reset, cut
    REJECTED = "rejected"  # any other 4xx: the same again would fail again


class UpstreamError(Exception):
    """An attempt failed upstream. Providers raise it (or a subclass) and fill in its fields.

    Errors with equal `detail` are identical: it is the status and code, never a body or an address. `billed` says
    whether the upstream bills the attempt; None leaves it to the kind: time-outs and cut connections count as billed.
    `once_more`: a second attempt may help, and a third one would not.
    """

    def __init__(
        self,
        failure: Failure,
        detail: str,
        *,
        retry_after: float | None = None,
        billed: bool | None = None,
        once_more: bool = False,
    ) -> None:
        super().__init__(f"{failure}: {detail}")
        self.failure = failure
        self.detail = detail
        self.retry_after = retry_after
        self.once_more = once_more
        self.billed = failure in {Failure.TIMEOUT, Failure.CONNECTION} if billed is None else billed


class Reason(StrEnum):
    """Why a call was refused."""

    BUDGET = "budget"
    DAY_BUDGET = "day-budget"
    DAY_BUDGET_HELD = "day-budget-held"  # calls in flight hold what is left of it
    RATE = "rate"
    BUSY = "busy"
    BREAKER = "breaker"
    IDENTICAL_ERRORS = "identical-errors"
    PICTURES = "pictures"
    LEDGER_AWAY = "ledger-away"


REFUSAL_STATUS: Mapping[Reason, int] = {
    Reason.BUDGET: 402,
    Reason.DAY_BUDGET: 429,
    Reason.DAY_BUDGET_HELD: 429,
    Reason.RATE: 429,
    Reason.BUSY: 429,
    Reason.BREAKER: 503,
    Reason.IDENTICAL_ERRORS: 503,
    Reason.PICTURES: 413,
    Reason.LEDGER_AWAY: 503,
}


class Refused(Exception):  # noqa: N818 - named for what happened to the call
    """A gate refused the call: nothing was sent, nothing is billed. `retry_after` is in seconds, None for never.

    `short`: the budget that leaves too little.
    """

    def __init__(  # noqa: PLR0917 - the four parts of every error message, in their order
        self,
        reason: Reason,
        field: str,
        value: object,
        problem: str,
        remedy: str,
        retry_after: float | None = None,
        *,
        short: ShortBudget | None = None,
    ) -> None:
        super().__init__(f"{field} {value!r} {problem}; {remedy}")
        self.reason = reason
        self.status = REFUSAL_STATUS[reason]
        self.field = field
        self.value = value
        self.problem = problem
        self.remedy = remedy
        self.retry_after = retry_after
        self.short = short


@dataclass(frozen=True, kw_only=True)
class Settled:
    """The final cost of a call, in nanodollars.

    `over`: the upstream reported more than was reserved. `odd`: it reported what can't be true; nothing of it counts.
    """

    id: str
    cost: int
    reserved: int
    estimated: bool = False
    over: bool = False
    odd: bool = False


class Permit(Protocol):
    """The right to call one upstream once. Its lease is renewed while the block runs."""

    @property
    def id(self) -> str: ...

    @property
    def waited(self) -> float:
        """Return the seconds that passed before admission."""
        ...

    async def mark_sent(self) -> None:
        """Mark the call as sent: from here on it is billed."""
        ...

    async def settle(self, usage: Usage | None) -> Settled:
        """Book the cost of the call, once; `usage` is None if the upstream reported nothing.

        The adaptive limit counts a success.
        """
        ...

    async def fail(self, error: UpstreamError) -> Settled:
        """Book a failed attempt, once. Leaving the block by an UpstreamError does the same."""
        ...


LedgerState = Literal["open", "closed", "none"]
"""`closed`: calls with a price are refused for now. `none`: always, because nothing here keeps what they cost."""


class Gates(Protocol):
    @property
    def replies(self) -> Replies:
        """Return the calls under an Idempotency-Key."""
        ...

    @property
    def ledger_state(self) -> LedgerState:
        """Return whether calls with a price can be booked, as far as this process knows."""
        ...

    def admit(self, call: Call) -> AbstractAsyncContextManager[Permit]:
        """Wait for the call's turn and hold its permit. Raises: Refused: a gate does not let it pass."""
        ...

    async def start(self) -> None:
        """Begin the work in the background: leases, settlements. Once, inside the event loop."""
        ...

    async def stop(self) -> None:
        """Send the remaining settlements and end the work in the background."""
        ...


@dataclass(frozen=True, kw_only=True)
class GateSettings:
    """Times in seconds. A lease lasts several renewals, so that one late renewal loses none.

    `is_alone`: no other process of the gateway uses this Redis, so none can have calls in flight that it lost.
    `days_folder`: where `DayRecord` keeps what calls of a day cost; empty for memory alone.
    """

    lease: float = 15.0
    renewal: float = 2.0
    is_alone: bool = False
    days_folder: str = ""
    picture_bytes: int = 512 * 2**20
    breaker_failures: int = 8
    breaker_pause: float = 20.0
    identical_errors: int = 10
    identical_pause: float = 60.0
    retry_away: float = 5.0
    key_prefix: str = field(default="tetrad:{gateway}")
