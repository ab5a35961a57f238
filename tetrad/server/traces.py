"""Traces, by OpenTelemetry: a span for each request and each turn of a job, with what it waited for below it.

They are off unless a variable of trace_variables.py names a receiver; the group `otel` is needed then.
A share of requests is sent. Where strangers ask, each request has a draw of its own, whatever its traceparent says; our
own services go on with what their caller drew.

A span is made when its work has ended, of what request_ids.py kept. Nothing is made for a request that is not sampled.
"""

import atexit
import os
import random
import time
from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

from tetrad.server.request_ids import RequestContext
from tetrad.server.settings import SettingsError
from tetrad.server.trace_variables import ENDPOINT, SHARE
from tetrad.versions import find_version

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import SpanProcessor

NEEDED = ("opentelemetry.sdk", "opentelemetry.exporter")
HEX = 16
NANOSECONDS = 1_000_000_000
FLUSH_MS = 2_000


class Traces:
    """Sends the spans of one process."""

    def __init__(self, processor: "SpanProcessor", resource: "Resource", share: float) -> None:
        self._processor = processor
        self._resource = resource
        self._share = share
        self._draws = random.Random()

    def begin(self, asked: RequestContext, *, is_ours: bool) -> None:
        """Decide whether a request is sent, and keep what it waits for if it is."""
        if not is_ours:
            asked.is_sampled = self._draws.random() < self._share
        if asked.is_sampled:
            asked.parts = []

    def end(
        self,
        asked: RequestContext,
        name: str,
        begun: float,
        attributes: Mapping[str, Any],
        *,
        kind: Literal["server", "consumer"] = "server",
        has_failed: bool = False,
    ) -> None:
        """Send the spans of a request or job that began at `begun` (time.perf_counter) and ends now."""
        if asked.parts is None:
            return
        self._send(asked, name, asked.span, asked.parent, (begun, time.perf_counter()), attributes, kind, has_failed)
        for part, since, until in asked.parts:
            own = f"{self._draws.getrandbits(64) | 1:016x}"
            self._send(asked, part, own, asked.span, (since, until), {}, "client", has_failed=False)

    def _send(  # noqa: PLR0917 - the parts of a span
        self,
        asked: RequestContext,
        name: str,
        span: str,
        parent: str,
        times: tuple[float, float],
        attributes: Mapping[str, Any],
        kind: str,
        has_failed: bool,  # noqa: FBT001
    ) -> None:
        from opentelemetry.sdk.trace import ReadableSpan  # noqa: PLC0415 -- optional
        from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceFlags  # noqa: PLC0415

        flags = TraceFlags(TraceFlags.SAMPLED)
        trace = int(asked.trace, HEX)
        above = SpanContext(trace, int(parent, HEX), is_remote=True, trace_flags=flags) if parent else None
        offset = time.time() - time.perf_counter()
        self._processor.on_end(
            ReadableSpan(
                name,
                context=SpanContext(trace, int(span, HEX), is_remote=False, trace_flags=flags),
                parent=above,
                resource=self._resource,
                attributes=dict(attributes),
                links=[Link(above)] if above is not None and kind == "consumer" else [],
                kind=SpanKind[kind.upper()],
                status=Status(StatusCode.ERROR if has_failed else StatusCode.UNSET),
                start_time=int((times[0] + offset) * NANOSECONDS),
                end_time=int((times[1] + offset) * NANOSECONDS),
            )
        )


_opened: list[Traces] = []


def open_traces(service: str) -> None:
    """Send traces from now on, if the environment names a receiver.

    Raises:
        SettingsError: what sends them is not installed, or the share is no number from 0 to 1.
    """
    if not os.environ.get(ENDPOINT):
        return
    if any(_is_absent(module) for module in NEEDED):
        raise SettingsError(
            f"{ENDPOINT} is set, but OpenTelemetry is not installed: pip install -r requirements/otel.txt"
        )
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

    resource = Resource({"service.name": f"tetrad-{service}", "service.version": find_version()})
    processor = BatchSpanProcessor(OTLPSpanExporter())
    _opened[:] = [Traces(processor, resource, _share())]
    atexit.register(processor.shutdown)


def traces() -> Traces | None:
    """Return what sends the traces of this process; None if nothing does."""
    return _opened[0] if _opened else None


def _is_absent(module: str) -> bool:
    try:
        return find_spec(module) is None
    except ModuleNotFoundError:
        return True


def _share() -> float:
    text = os.environ.get(SHARE, "1")
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise SettingsError(f"{SHARE} is {text!r}; use a number from 0 to 1")
    return share
