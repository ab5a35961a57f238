"""Asks a model of the gateway, and measures what each reply took.

A request is named by its run, its item and question, and its content. So a run that goes on after a kill asks the same
under the same name, and the gateway, which keeps replies for an hour, asks the model only for what it has not.
"""

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Mapping
from http import HTTPStatus
from threading import Lock
from typing import Any

import msgspec
from aiohttp import ClientError, ClientSession, ClientTimeout, ServerDisconnectedError, TCPConnector

from api.evaluations.event_loop import EventLoop
from api.upstream.http_answers import HttpAnswer, whole_answer
from tetrad.account_errors import tells_of_account, tells_of_spent_attempts, tells_of_spent_day
from tetrad.contracts.inference import BudgetProblem, ChatReply, ModelPrice, ShortBudget, Usage
from tetrad.contracts.problems import Problem
from tetrad.runner.fitting import fit_thought, replace_unfit
from tetrad.runner.ports import ModelReply, Prompt, RefusedError, ReplyError
from tetrad.server.clock import now_ms
from tetrad.server.request_ids import outgoing_headers
from tetrad.tls import load_trusted
from tetrad.waits import wait_of

CALL_SECONDS = 900.0  # the gateway waits, calls and tries again within this
CONNECT_SECONDS = 3.0
BUDGET_SECONDS = 6.0  # a budget that an operator raised reaches the gateway within 5
SETTLING_SECONDS = 30.0  # by then, estimates that can be corrected are
NANO_A_TOKEN = 1000  # nanodollars, of a price of a dollar a million tokens
WAITED, KEPT = "x-tetrad-waited-ms", "x-tetrad-kept"
LONGEST_DETAIL = 500
_WORTH_RETRYING = frozenset(
    {
        HTTPStatus.REQUEST_TIMEOUT,
        HTTPStatus.CONFLICT,
        HTTPStatus.TOO_EARLY,
        HTTPStatus.TOO_MANY_REQUESTS,
    }
)

Place = tuple[int, str]
"""An item's number and a question's id."""


class OutOfBudgetError(RefusedError):
    """A budget at the gateway leaves too little, also once the calls in flight have ended. `short`: its sums."""

    def __init__(self, detail: str, short: ShortBudget | None = None) -> None:
        super().__init__(detail)
        self.short = short


class AccountError(RefusedError):
    """A provider refuses the operator's key, or the account there is empty. No request of a team can change that."""


class DayIsSpentError(RefusedError):
    """The gateway's own bound of what a day's calls cost is reached; `wait_seconds` is until the next day."""


class StoppedError(RefusedError):
    """The run stops here: nothing more is asked."""


class ModelCaller:
    """The responder of one run. It is called from several threads."""

    def __init__(  # noqa: PLR0917 - what a run knows of its model
        self,
        gateway_url: str,
        token: str,
        run: str,
        model: str,
        price: ModelPrice | None,
        loop: EventLoop,
        is_stopped: Callable[[], bool],
    ) -> None:
        self._loop = loop
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._session: ClientSession | None = None
        self._address = gateway_url.rstrip("/") + "/v1/chat/completions"
        self._run, self._model, self._price = run, model, price
        self._is_stopped = is_stopped
        self._ids = outgoing_headers()  # of the run: threads of the runner ask, too
        self._lock = Lock()
        self._made: dict[Place, list[dict[str, Any]]] = {}
        self._failed: Counter[Place] = Counter()
        self._in_flight = 0
        self._unpaid_since: float | None = None
        self.failures = 0

    def close(self) -> None:
        if self._session is not None:
            self._loop.run(self._session.close())

    def __call__(self, prompt: Prompt) -> ModelReply:
        """Return the model's reply.

        Raises:
            StoppedError: the run stops.
            OutOfBudgetError: a budget leaves too little.
            AccountError: the model's account at its provider is at fault.
            DayIsSpentError: the instance may spend no more today.
            RefusedError: the gateway or the model refuses this request for good.
            ReplyError: none came, and asking again may help.
        """
        if self._is_stopped():
            raise StoppedError("the run stops")
        place = (prompt.item, prompt.question.id)
        content = msgspec.json.encode({"model": self._model, "messages": prompt.messages})
        name = hashlib.sha256(f"{self._run} {prompt.item} {prompt.question.id}\n".encode() + content).hexdigest()
        asked_at, begun = now_ms(), time.monotonic()
        try:
            answer = self._ask(content, name)
        except ReplyError:
            with self._lock:
                self._failed[place] += 1
                self.failures += 1
            raise
        reply = _decode_reply(answer)
        self._keep(place, answer, reply, asked_at, time.monotonic() - begun)
        first = reply.choices[0]
        text = first.message.content or first.message.refusal or ""
        return ModelReply(text=text, stop=None if first.stop is None else first.stop.kind)

    def take(self, place: Place, first_step: int | None = None) -> list[dict[str, Any]]:
        """Return the rows of the calls for a question, in the order of its steps, and forget them.

        Steps begin at 0, and the reply of the last one is left out: it is sealed with the answer. With `first_step`
        they begin there, and all replies are kept.
        """
        with self._lock:
            made = self._made.pop(place, [])
        if first_step is not None:
            return [{**row, "step": step} for step, row in enumerate(made, first_step)]
        return [
            {**row, "step": step, "reply": None if row is made[-1] else row["reply"]} for step, row in enumerate(made)
        ]

    def _ask(self, content: bytes, name: str) -> HttpAnswer:
        with self._lock:
            self._in_flight += 1
        try:
            answer = self._loop.run(self._post(content, {"Idempotency-Key": name, **self._ids}))
        except (TimeoutError, ClientError) as error:
            raise ReplyError(f"the gateway gave no reply ({type(error).__name__})") from error
        finally:
            with self._lock:
                self._in_flight -= 1
                others = self._in_flight
        if answer.is_success:
            self._unpaid_since = None
            return answer
        detail = f"the gateway answered {answer.status}: {_detail(answer)}"
        if answer.status == HTTPStatus.PAYMENT_REQUIRED:
            raise self._budget_error(answer, detail, are_others_in_flight=others > 0)
        body = answer.content.decode(errors="replace")
        if tells_of_account(body):
            raise AccountError(f"the account of {self._model} at its provider is at fault, which its operator mends")
        wait = wait_of(answer.headers)
        if tells_of_spent_day(body):
            raise DayIsSpentError(detail, wait_seconds=wait)
        is_worth = answer.status in _WORTH_RETRYING or answer.is_server_error
        if is_worth and not tells_of_spent_attempts(body):
            raise ReplyError(detail, wait_seconds=wait)
        raise RefusedError(detail)

    def _budget_error(self, answer: HttpAnswer, detail: str, *, are_others_in_flight: bool) -> ReplyError:
        """Return the error of a call that was refused for a budget: a final one if waiting does not help."""
        if "retry-after" in answer.headers:  # calls in flight will cost less than they have reserved
            self._unpaid_since = None
            return ReplyError(detail)
        short = _short_budget(answer)
        may_be_corrected = short is not None and short.would_hold_the_call
        is_final = self._is_unpaid_for(SETTLING_SECONDS if may_be_corrected else BUDGET_SECONDS)
        return OutOfBudgetError(detail, short) if is_final and not are_others_in_flight else ReplyError(detail)

    def _is_unpaid_for(self, seconds: float) -> bool:
        """Tell whether every call of these last seconds was refused for a budget; this one was."""
        with self._lock:
            if self._unpaid_since is None:
                self._unpaid_since = time.monotonic()
            return time.monotonic() - self._unpaid_since >= seconds

    async def _post(self, content: bytes, headers: Mapping[str, str]) -> HttpAnswer:
        """Return the gateway's answer. If a connection broke, ask once more: the gateway knows the call by its name."""
        if self._session is None:
            # The gateway's gates bound the calls, and the run's concurrency does; no third place has to.
            connector = TCPConnector(limit=0, ssl=load_trusted())
            timeout = ClientTimeout(total=CALL_SECONDS, connect=CONNECT_SECONDS)
            self._session = ClientSession(connector=connector, timeout=timeout, headers=self._headers)
        try:
            return await self._answer(self._session, content, headers)
        except ServerDisconnectedError:
            return await self._answer(self._session, content, headers)

    async def _answer(self, session: ClientSession, content: bytes, headers: Mapping[str, str]) -> HttpAnswer:
        async with session.post(self._address, data=content, headers=headers) as response:
            return await whole_answer(response)

    def _keep(self, place: Place, answer: HttpAnswer, reply: ChatReply, asked_at: int, seconds: float) -> None:
        usage, measured, first = reply.usage, reply.measured, reply.choices[0]
        prompt_details = None if usage is None else usage.prompt_tokens_details
        completion_details = None if usage is None else usage.completion_tokens_details
        waited = answer.headers.get(WAITED)
        row = {
            "submission_id": self._run,
            "item": place[0],
            "question": place[1],
            "asked_at": asked_at,
            "seconds": seconds,
            "waited": None if waited is None else float(waited) / 1000,
            "upstream_attempts": None if measured is None else measured.attempts,
            "prompt_tokens": None if usage is None else usage.prompt_tokens,
            "completion_tokens": None if usage is None else usage.completion_tokens,
            "cached_tokens": None if prompt_details is None else prompt_details.cached_tokens,
            "reasoning_tokens": None if completion_details is None else completion_details.reasoning_tokens,
            "cost": cost_of(self._price, usage),
            "stop": None if first.stop is None else first.stop.kind,
            "served_by": self._model if measured is None else measured.served_by or self._model,
            "kept": KEPT in answer.headers,
            "reply": None if first.message.content is None else replace_unfit(first.message.content),
            "thought": fit_thought(first.message.content or "", first.message.reasoning_content or "") or None,
        }
        with self._lock:
            failed = self._failed.pop(place, 0)
            self._made.setdefault(place, []).append({**row, "attempts": failed + 1})


def cost_of(price: ModelPrice | None, usage: Usage | None) -> int | None:
    """Return the cost of a call in nanodollars, by its usage; 0 where nobody bills, None where no usage is known."""
    if price is None:
        return 0
    if usage is None:
        return None
    cached = 0 if usage.prompt_tokens_details is None else usage.prompt_tokens_details.cached_tokens or 0
    cached_price = price.input if price.cached_input is None else price.cached_input
    dollars_a_million = (
        (usage.prompt_tokens - cached) * price.input + cached * cached_price + usage.completion_tokens * price.output
    )
    return round(dollars_a_million * NANO_A_TOKEN)


def _decode_reply(answer: HttpAnswer) -> ChatReply:
    try:
        reply = msgspec.json.decode(answer.content, type=ChatReply)
    except msgspec.DecodeError as error:
        raise ReplyError("the gateway's answer is not a chat completion") from error
    if not reply.choices:
        raise ReplyError("the gateway gave a chat completion without choices")
    return reply


def _short_budget(answer: HttpAnswer) -> ShortBudget | None:
    try:
        return msgspec.json.decode(answer.content, type=BudgetProblem).budget
    except msgspec.DecodeError:
        return None


def _detail(answer: HttpAnswer) -> str:
    try:
        return msgspec.json.decode(answer.content, type=Problem).detail[:LONGEST_DETAIL]
    except msgspec.DecodeError:
        return "no problem document"
