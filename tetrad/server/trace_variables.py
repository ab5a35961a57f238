"""The variables that turn traces on, by OpenTelemetry's own names, the same for every service.

They stand alone because `tetrad up` hands them on where no service's libraries are installed.
"""

from collections.abc import Mapping

ENDPOINT, SHARE, HEADERS = "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_TRACES_SAMPLER_ARG", "OTEL_EXPORTER_OTLP_HEADERS"
VARIABLES: Mapping[str, tuple[str, str]] = {
    ENDPOINT: ("", "a receiver of OTLP over HTTP, as `http://127.0.0.1:4318`; empty, there are no traces"),
    HEADERS: ("", "what the receiver wants to see, as `api-key=...`, joined by commas"),
    SHARE: ("1", "the share of requests that are sent, from 0 to 1"),
}
"""Their defaults, and what they say."""
