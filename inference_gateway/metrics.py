"""The gateway's metrics for Prometheus, with names from OpenTelemetry's conventions for generative AI where they exist.

Source: OpenTelemetry semantic conventions, GenAI metrics (names, attributes and bucket boundaries), in the form that
Prometheus gives them: dots are underscores, and a unit in seconds is a suffix. Each process has its own numbers.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

if TYPE_CHECKING:
    from inference_gateway.call_records import CallRecord

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


class Metrics:
    """The numbers of one process."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._requests = self._histogram(
            "gen_ai_server_request_duration_seconds",
            "Calls as their callers see them",
            (*_CALL, "error_type"),
            _DURATIONS,
        )
        self._operations = self._histogram(
            "gen_ai_client_operation_duration_seconds",
            "Time that providers took, over all attempts of a call",
            (*_CALL, "error_type"),
            _DURATIONS,
        )
        self._first = self._histogram(
            "gen_ai_server_time_to_first_token_seconds", "Time until the first piece of a stream", _CALL, _FIRST
        )
        self._tokens = self._histogram(
            "gen_ai_client_token_usage", "Tokens of a call", (*_ANSWERED, "gen_ai_token_type"), _TOKENS
        )
        self._overhead = self._histogram(
            "tetrad_gateway_overhead_seconds", "The gateway's own share of an answered call", _CALL, _OVERHEADS
        )
        self._waits = self._histogram(
            "tetrad_gateway_wait_seconds", "Waiting for permits, rates and between attempts", _CALL, _DURATIONS
        )
        self._attempts = self._counter("tetrad_gateway_attempts", "Attempts at providers", _CALL)
        self._stops = self._counter("tetrad_gateway_stops", "Choices by the reason of their end", (*_CALL, "stop"))
        self._cost = self._counter(
            "tetrad_gateway_cost_dollars",
            "Cost of calls; estimated: the reservation, because the provider reported no usage",
            (*_CALL, "estimated"),
        )
        self._over = self._counter(
            "tetrad_gateway_over_reservation", "Calls whose provider reported more than was reserved", _CALL
        )

    def watch(self, name: str, about: str, value: Callable[[], float]) -> None:
        """Show what a function returns, as a gauge, whenever the numbers are read."""
        Gauge(name, about, registry=self._registry).set_function(value)

    def observe(self, record: "CallRecord") -> None:
        """Count a call that has ended."""
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
        if record.error or record.is_kept:
            return
        self._overhead.labels(*call).observe(timing.overhead())
        self._waits.labels(*call).observe(timing.waited)
        for kind, count in (("input", record.input_tokens), ("output", record.output_tokens)):
            if count is not None:
                self._tokens.labels(*call, record.response_model, kind).observe(count)
        for stop in record.stops:
            self._stops.labels(*call, stop).inc()
        if record.cost is not None:
            self._cost.labels(*call, str(record.is_estimated).lower()).inc(record.cost / 1e9)
        if record.is_over:
            self._over.labels(*call).inc()

    def exposition(self) -> bytes:
        """Return all numbers in Prometheus's text format."""
        return generate_latest(self._registry)

    def _histogram(self, name: str, about: str, labels: tuple[str, ...], buckets: tuple[float, ...]) -> Histogram:
        return Histogram(name, about, labels, buckets=buckets, registry=self._registry)

    def _counter(self, name: str, about: str, labels: tuple[str, ...]) -> Counter:
        return Counter(name, about, labels, registry=self._registry)
