"""One record for each call, whatever its end, in the log and in the metrics. It holds no body, address or secret.

In order: the time of a call, its record, the metrics, and `CallRecords`, which writes records to log and metrics.
"""

import asyncio
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from inference_gateway.access import Caller
from inference_gateway.gates import Settled, UpstreamError
from inference_gateway.problems import problem_of
from tetrad.contracts.inference import Measured
from tetrad.money import NANODOLLARS_A_DOLLAR
from tetrad.server.clock import DAY_MS, now_ms
from tetrad.server.metrics import Metrics
from tetrad.server.request_ids import add_wait

LONGEST_NAME = 64  # characters of a model's name in the log: no registry has a longer one
DAY_BUDGET = "day_budget"  # the code of a call that the day's budget leaves no room for
OTHER = "_OTHER"
"""The model's label if the registry has no such model: labels in callers' words would make endless series."""
PROVIDER_NAMES: Mapping[str, str] = {"gemini": "gcp.gemini", "in-process": "tetrad", "embeddings": "tetrad"}
"""Providers whose names differ between the conventions and the registry."""
_DURATIONS = tuple(0.01 * 2**power for power in range(14))  # 10 ms to 82 s
_FIRST = (0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0)
_TOKENS = tuple(4**power for power in range(14))  # 1 to 67 million
_OVERHEADS = (0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.024)
_CALL = ("gen_ai_operation_name", "gen_ai_provider_name", "gen_ai_request_model")
_ANSWERED = (*_CALL, "gen_ai_response_model")
log = logging.getLogger(__name__)


@dataclass
class Timing:
    """The time of a call, in seconds: the upstream's, waiting, and the rest, which is the gateway's own.

    `first`: until the first piece of a stream.
    """

    begun: float = field(default_factory=time.perf_counter)
    upstream: float = 0.0
    waited: float = 0.0
    first: float | None = None

    @contextmanager
    def of_upstream(self) -> Iterator[None]:
        """Count the time of the block as the upstream's."""
        begun = time.perf_counter()
        try:
            yield
        finally:
            self.upstream += time.perf_counter() - begun
            add_wait("upstream", begun)

    @contextmanager
    def of_waiting(self) -> Iterator[None]:
        """Count the time until the block begins as waiting."""
        begun = time.perf_counter()
        yield
        self.waited += time.perf_counter() - begun

    def total(self) -> float:
        """Return the seconds since the call began."""
        return time.perf_counter() - self.begun

    def overhead(self) -> float:
        """Return the seconds that the gateway itself took so far."""
        return max(0.0, self.total() - self.upstream - self.waited)


@dataclass(kw_only=True)
class CallRecord:
    """The facts known about a call so far.

    `provider` is "" until its model is found. `error`: the code of what went wrong, "" for nothing; `reason`: the
    details of an upstream's error. `cost`: nanodollars, None where nothing is billed. `is_kept`: the reply of an
    earlier call was given. `is_drained`: the caller disconnected before the end.
    """

    kind: Literal["chat", "embedding"]
    caller: Caller
    model: str
    timing: Timing
    is_stream: bool = False
    provider: str = ""
    response_model: str = ""
    served_by: str = ""
    attempts: int = 0
    stops: Sequence[str] = ()
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: int | None = None
    is_estimated: bool = False
    is_over: bool = False
    is_odd: bool = False
    pictures: int = 0
    is_kept: bool = False
    is_drained: bool = False
    error: str = ""
    reason: str = ""

    def add_answer(
        self,
        measured: Measured,
        tokens: tuple[int | None, int | None],
        settled: Settled,
        *,
        is_billed: bool,
        stops: Sequence[str] = (),
    ) -> None:
        """Record the usage of an answered call."""
        self.response_model, self.served_by = measured.model, measured.served_by
        self.attempts = measured.attempts
        self.input_tokens, self.output_tokens = tokens
        self.stops = stops
        self.is_odd = settled.odd
        if is_billed:
            self.cost, self.is_estimated, self.is_over = settled.cost, settled.estimated, settled.over

    def fields(self) -> dict[str, Any]:
        """Return the fields of the call's log line."""
        caller, timing = self.caller, self.timing
        found: dict[str, Any] = {
            "operation": self.kind,
            "team": caller.team,
            "token": caller.token,
            "purpose": caller.purpose,
            "model": self.model,
            "provider": self.provider,
            "response_model": self.response_model,
            "served_by": self.served_by,
            "stream": self.is_stream,
            "attempts": self.attempts,
            "stop": list(self.stops),
            "prompt_tokens": self.input_tokens,
            "completion_tokens": self.output_tokens,
            "pictures": self.pictures,
            "total_ms": _milliseconds(timing.total()),
            "upstream_ms": _milliseconds(timing.upstream),
            "error": self.error,
        }
        if not self.error:
            found |= {"waited_ms": _milliseconds(timing.waited), "overhead_ms": _milliseconds(timing.overhead())}
        if self.reason:
            found["reason"] = self.reason
        if timing.first is not None:
            found["first_ms"] = _milliseconds(timing.first)
        if self.cost is not None:
            found |= {
                "cost_dollars": self.cost / NANODOLLARS_A_DOLLAR,
                "estimated": self.is_estimated,
                "over": self.is_over,
            }
        found |= {"odd_usage": True} if self.is_odd else {}
        return found | ({"kept": True} if self.is_kept else {}) | ({"drained": True} if self.is_drained else {})


class CallMetrics:
    """The calls as numbers for Prometheus.

    Source: OpenTelemetry semantic conventions, GenAI metrics (names, attributes and bucket boundaries), in the form
    that Prometheus gives them: dots are underscores, and a unit in seconds is a suffix.
    """

    def __init__(self, metrics: Metrics) -> None:
        self._spent_day = -1
        about = "1 if a call was refused on this day (UTC) because the day's budget is spent"
        metrics.watch("tetrad_gateway_day_is_spent", about, lambda: self._spent_day == now_ms() // DAY_MS)
        self._requests = metrics.histogram(
            "gen_ai_server_request_duration_seconds",
            "Calls as their callers see them",
            (*_CALL, "error_type"),
            _DURATIONS,
        )
        self._operations = metrics.histogram(
            "gen_ai_client_operation_duration_seconds",
            "Time that providers took, over all attempts of a call",
            (*_CALL, "error_type"),
            _DURATIONS,
        )
        self._first = metrics.histogram(
            "gen_ai_server_time_to_first_token_seconds", "Time until the first piece of a stream", _CALL, _FIRST
        )
        self._tokens = metrics.histogram(
            "gen_ai_client_token_usage", "Tokens of a call", (*_ANSWERED, "gen_ai_token_type"), _TOKENS
        )
        self._overhead = metrics.histogram(
            "tetrad_gateway_overhead_seconds", "The gateway's own share of an answered call", _CALL, _OVERHEADS
        )
        self._waits = metrics.histogram(
            "tetrad_gateway_wait_seconds", "Waiting for permits, rates and between attempts", _CALL, _DURATIONS
        )
        self._attempts = metrics.counter("tetrad_gateway_attempts", "Attempts at providers", _CALL)
        self._stops = metrics.counter("tetrad_gateway_stops", "Choices by the reason of their end", (*_CALL, "stop"))
        self._cost = metrics.counter(
            "tetrad_gateway_cost_dollars",
            "Cost of calls; estimated: the reservation, because the provider reported no usage",
            (*_CALL, "estimated"),
        )
        self._over = metrics.counter(
            "tetrad_gateway_over_reservation", "Calls whose provider reported more than was reserved", _CALL
        )
        self._odd = metrics.counter(
            "tetrad_gateway_odd_usage", "Calls whose provider reported a usage that can't be true", _CALL
        )

    def observe(self, record: CallRecord) -> None:
        """Count a call that has ended."""
        if record.error == DAY_BUDGET:
            self._spent_day = now_ms() // DAY_MS
        operation = {"chat": "chat", "embedding": "embeddings"}[record.kind]
        provider = PROVIDER_NAMES.get(record.provider, record.provider) or OTHER
        call = (operation, provider, record.model if record.provider else OTHER)
        timing = record.timing
        self._requests.labels(*call, record.error).observe(timing.total())
        if timing.upstream:
            self._operations.labels(*call, record.error).observe(timing.upstream)
        if timing.first is not None:
            self._first.labels(*call).observe(timing.first)
        if record.attempts:
            self._attempts.labels(*call).inc(record.attempts)
        if not (record.error or record.is_kept):
            self._observe_answer(record, call)

    def _observe_answer(self, record: CallRecord, call: tuple[str, str, str]) -> None:
        self._overhead.labels(*call).observe(record.timing.overhead())
        self._waits.labels(*call).observe(record.timing.waited)
        for kind, count in (("input", record.input_tokens), ("output", record.output_tokens)):
            if count is not None:
                self._tokens.labels(*call, record.response_model, kind).observe(count)
        for stop in record.stops:
            self._stops.labels(*call, stop).inc()
        if record.cost is not None:
            self._cost.labels(*call, str(record.is_estimated).lower()).inc(record.cost / 1e9)
        for is_so, counter in ((record.is_over, self._over), (record.is_odd, self._odd)):
            if is_so:
                counter.labels(*call).inc()


class CallRecords:
    """Writes the record of every call."""

    def __init__(self, metrics: CallMetrics) -> None:
        self._metrics = metrics

    @contextmanager
    def of(
        self,
        kind: Literal["chat", "embedding"],
        caller: Caller,
        model: str,
        timing: Timing,
        *,
        is_stream: bool = False,
        pictures: int = 0,
    ) -> Iterator[CallRecord]:
        """Give an empty record of a call, and write it when the block ends, also by an error.

        The line is written in the event loop's next turn, when the reply is on its way: a caller does not wait for it.
        """
        record = CallRecord(
            kind=kind,
            caller=caller,
            model=model[:LONGEST_NAME],
            timing=timing,
            is_stream=is_stream,
            pictures=pictures,
        )
        try:
            yield record
        except asyncio.CancelledError:
            record.error = "cancelled"
            raise
        except Exception as error:
            record.error, record.reason = _describe_error(error)
            raise
        finally:
            asyncio.get_running_loop().call_soon(self.write, record)

    def write(self, record: CallRecord) -> None:
        """Write the line and count the call. What the operator alone can mend is an error in the log."""
        level = logging.ERROR if record.error == "upstream_credentials" else logging.INFO
        log.log(level, "call", extra=record.fields())
        self._metrics.observe(record)


def _describe_error(error: Exception) -> tuple[str, str]:
    problem, code = problem_of(error)
    return code or str(problem.status), error.detail if isinstance(error, UpstreamError) else ""


def _milliseconds(seconds: float) -> float:
    return round(seconds * 1000, 2)
