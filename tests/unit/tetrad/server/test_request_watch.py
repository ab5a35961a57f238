"""Requests are watched: ids in and out, lines, numbers and traces, whatever the request is and however it ends."""

import json
import logging
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from litestar import Litestar, get
from litestar.params import FromPath
from litestar.testing import TestClient
from prometheus_client.parser import text_string_to_metric_families

from tests.otlp import receiving
from tetrad.server import traces as traces_module
from tetrad.server.http_edge import answer_head
from tetrad.server.logs import configure_logs
from tetrad.server.metrics import FOLDER, CountedRequests, Metrics
from tetrad.server.problems import PROBLEM_HANDLERS
from tetrad.server.request_ids import (
    RequestContext,
    current,
    id_columns,
    outgoing_headers,
    read_ids,
    waiting_for,
    working_for,
)
from tetrad.server.request_watch import watch_requests
from tetrad.server.traces import open_traces, traces

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
CANARY = "canary-that-nobody-may-find"


@get("/things/{name:str}", sync_to_thread=True)
def thing(name: FromPath[str]) -> dict[str, str]:
    with waiting_for("database"):
        if name == "broken":
            raise RuntimeError(CANARY)
        time.sleep(1.05 if name == "slow" else 0)
    return outgoing_headers()


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
def client(metrics: Metrics) -> Iterator[TestClient[Litestar]]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    configure_logs("shop")
    app = Litestar([thing], exception_handlers=PROBLEM_HANDLERS, logging_config=None, openapi_config=None)
    app.asgi_handler = answer_head(app.asgi_handler)
    watch_requests(app, CountedRequests(metrics))
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client
    root.handlers, root.level = handlers, level


def lines(capsys: pytest.CaptureFixture[str], count: int) -> list[dict[str, Any]]:
    """Return the lines of requests that were written, once there are so many."""
    text, end = "", time.monotonic() + 10
    while text.count('"event":"request"') < count and time.monotonic() < end:
        text += capsys.readouterr().err
        time.sleep(0.02)
    return [line for line in map(json.loads, text.splitlines()) if line["event"] == "request"]


def samples(metrics: Metrics, name: str) -> dict[tuple[str, ...], float]:
    found = [one for family in text_string_to_metric_families(metrics.exposition().decode()) for one in family.samples]
    return {tuple(one.labels.values()): one.value for one in found if one.name == name}


def test_what_a_caller_says_in_path_method_or_query_makes_no_series_and_no_field(
    client: TestClient[Litestar], metrics: Metrics, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(40):
        client.get(f"/things/{CANARY}{number}?q={CANARY}", headers={"Referer": CANARY})
        client.get(f"/{CANARY}/{number}")
        client.request(f"ODD{number}", "/things/x")
    client.head("/things/x")
    written = lines(capsys, 121)
    assert {line["route"] for line in written} == {"/things/{name}", "unmatched"}
    assert CANARY not in json.dumps(written)
    assert {line["method"] for line in written} == {"GET", "HEAD", "other"}
    counted = samples(metrics, "tetrad_requests_total")
    assert len(counted) == 4
    assert sum(counted.values()) == 121
    assert CANARY not in metrics.exposition().decode()


def test_a_failure_and_a_slow_reply_say_what_the_time_went_to(
    client: TestClient[Litestar], capsys: pytest.CaptureFixture[str]
) -> None:
    problem = client.get("/things/broken").json()
    client.get("/things/slow")
    failed, slow = lines(capsys, 2)
    assert (failed["status"], failed["level"], failed["request"]) == (500, "error", problem["request_id"])
    assert failed["waited_ms"].keys() == {"database"}
    assert (slow["level"], slow["slow"], slow["waited_ms"]["database"] > 1000) == ("warning", True, True)


@pytest.mark.parametrize(
    ("given", "is_read"),
    [
        (f"00-{TRACE}-{SPAN}-01", True),
        (f"00-{TRACE}-{SPAN}-00", True),
        (f"00-{'0' * 32}-{SPAN}-01", False),
        (f"00-{TRACE}-{'0' * 16}-01", False),
        (f"00-{TRACE.upper()}-{SPAN}-01", False),
        (f"ff-{TRACE}-{SPAN}-01", False),
        (f"00-{TRACE}-{SPAN}-01-more", False),
        (CANARY, False),
    ],
)
def test_a_stranger_s_trace_is_gone_on_with_and_never_switches_sampling_on(given: str, is_read: bool) -> None:  # noqa: FBT001
    stranger, ours = read_ids("id", given), read_ids("id", given, is_ours=True)
    assert (stranger.trace == TRACE) is is_read
    assert not stranger.is_sampled
    assert ours.is_sampled is (is_read and given.endswith("-01"))
    assert stranger.traceparent.endswith("-00")


def test_a_neighbour_and_a_job_are_told_the_ids(client: TestClient[Litestar]) -> None:
    told = client.get("/things/x", headers={"X-Request-Id": "mine", "traceparent": f"00-{TRACE}-{SPAN}-01"}).json()
    assert told["X-Request-Id"] == "mine"
    assert told["traceparent"].startswith(f"00-{TRACE}-")
    assert SPAN not in told["traceparent"], "a span of its own"
    token = current.set(RequestContext("asked", TRACE, is_sampled=True))
    columns = id_columns()
    current.reset(token)
    with working_for(columns, "row") as job:
        assert (job.id, job.trace, job.is_sampled) == ("asked", TRACE, True)
        assert job.parent in str(columns["traceparent"])
    assert id_columns() == {"request_id": None, "traceparent": None}


@pytest.fixture
def forgotten_traces() -> Iterator[None]:
    yield
    traces_module._opened.clear()


def test_spans_have_the_route_and_parts_below_them_and_hold_no_word_of_the_caller(
    client: TestClient[Litestar], monkeypatch: pytest.MonkeyPatch, forgotten_traces: None
) -> None:
    with receiving() as (url, spans):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
        open_traces("shop")
        client.get(f"/things/{CANARY}?q={CANARY}", headers={"traceparent": f"00-{TRACE}-{SPAN}-00"})
        client.get("/things/broken")
        sender = traces()
        assert sender is not None
        with working_for({"request_id": "a", "traceparent": f"00-{TRACE}-{SPAN}-01"}, "row") as job:
            sender.begin(job, is_ours=True)
            sender.end(job, "job score", time.perf_counter(), {}, kind="consumer")
        monkeypatch.setenv("OTEL_TRACES_SAMPLER_ARG", "0")
        open_traces("shop")
        client.get("/things/x", headers={"traceparent": f"00-{TRACE}-{SPAN}-01"})
        for each in (sender, traces()):
            assert each is not None
            each._processor.shutdown()
    assert [span.name for span in spans] == ["GET /things/{name}", "database"] * 2 + ["job score"]
    first, below, *_, linked = spans
    assert (first.service, first.trace, first.parent) == ("tetrad-shop", TRACE, SPAN)
    assert (below.parent, below.trace) == (first.span, TRACE)
    assert (linked.links, linked.parent) == ([SPAN], SPAN)
    assert first.attributes["http.response.status_code"] == 200
    assert CANARY not in repr(spans)


def test_sums_hold_what_ended_processes_counted_and_their_files_go(tmp_path: Path) -> None:
    script = (
        "from tetrad.server.metrics import Metrics\n"
        "metrics = Metrics()\n"
        "metrics.counter('cups', 'Cups', ('kind',)).labels('blue').inc(3)\n"
        "metrics.histogram('seconds', 'Seconds', (), (1.0,)).observe(0.5)\n"
        "print(metrics.exposition().decode())"
    )
    environment = os.environ | {FOLDER: str(tmp_path)}
    for number in range(1, 6):
        ended = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
        )
        assert f'cups_total{{kind="blue"}} {3.0 * number}' in ended.stdout
        assert f"seconds_count {1.0 * number}" in ended.stdout
    assert len(list(tmp_path.glob("*.db"))) == 4, "those that have ended share two files"
