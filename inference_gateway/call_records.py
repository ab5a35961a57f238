"""One record for each call, whatever its end: a line in the log, and the metrics.

It holds no body, address or secret.
"""

import asyncio
import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from inference_gateway.access import Caller
from inference_gateway.gates import Settled, UpstreamError
from inference_gateway.metrics import Metrics
from inference_gateway.problems import problem_of
from tetrad.contracts.inference import Measured

LONGEST_NAME = 64  # characters of a model's name in the log: no registry has a longer one
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
    pictures: int = 0
    is_kept: bool = False
    is_drained: bool = False
    error: str = ""
    reason: str = ""

    def answered(
        self,
        measured: Measured,
        tokens: tuple[int | None, int | None],
        settled: Settled | None,
        stops: Sequence[str] = (),
    ) -> None:
        """Record the usage of an answered call; `settled` is None where nothing is billed."""
        self.response_model, self.served_by = measured.model, measured.served_by
        self.attempts = measured.attempts
        self.input_tokens, self.output_tokens = tokens
        self.stops = stops
        if settled is not None:
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
            found |= {"cost_dollars": self.cost / 1e9, "estimated": self.is_estimated, "over": self.is_over}
        return found | ({"kept": True} if self.is_kept else {}) | ({"drained": True} if self.is_drained else {})


class CallRecords:
    """Writes the record of every call."""

    def __init__(self, metrics: Metrics) -> None:
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
            record.error, record.reason = _told(error)
            raise
        finally:
            asyncio.get_running_loop().call_soon(self.write, record)

    def write(self, record: CallRecord) -> None:
        """Write the line and count the call."""
        log.info("call", extra=record.fields())
        self._metrics.observe(record)


def _told(error: Exception) -> tuple[str, str]:
    problem, code = problem_of(error)
    return code or str(problem.status), error.detail if isinstance(error, UpstreamError) else ""


def _milliseconds(seconds: float) -> float:
    return round(seconds * 1000, 2)
