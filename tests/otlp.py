"""A receiver of traces: OTLP over HTTP in protobuf, as every collector speaks it."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any, NamedTuple

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.serving import answered_by


class Received(NamedTuple):
    """A span as it was sent. Ids are in hex, "" for none."""

    service: str
    name: str
    trace: str
    span: str
    parent: str
    links: list[str]
    attributes: dict[str, Any]


@contextmanager
def receiving() -> Iterator[tuple[str, list[Received]]]:
    """Yield the address of a receiver, and the spans that it has received so far."""
    spans: list[Received] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = ExportTraceServiceRequest()
            request.ParseFromString(self.rfile.read(int(self.headers["Content-Length"])))
            for part in request.resource_spans:
                service = next(one.value.string_value for one in part.resource.attributes if one.key == "service.name")
                spans.extend(_read(service, span) for scope in part.scope_spans for span in scope.spans)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Write nothing."""

    with answered_by(Receiver) as url:
        yield url, spans


def _read(service: str, span: Any) -> Received:
    ids = (span.trace_id.hex(), span.span_id.hex(), span.parent_span_id.hex())
    attributes = {one.key: one.value.string_value or one.value.int_value for one in span.attributes}
    return Received(service, span.name, *ids, [link.span_id.hex() for link in span.links], attributes)
