"""Times as they are written, ids that sort by them, logs as JSON lines."""

import asyncio
import json
import logging
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from tetrad.server.clock import now_ms, rfc3339
from tetrad.server.ids import new_id
from tetrad.server.logs import configure_logs, json_lines
from tetrad.server.request_ids import working_for
from tetrad.server.settings import SettingsError


def test_a_time_is_written_to_the_millisecond_in_utc() -> None:
    assert rfc3339(0) == "1970-01-01T00:00:00.000Z"
    assert rfc3339(1_795_231_020_007) == "2026-11-21T03:17:00.007Z"


@pytest.mark.parametrize("milliseconds", [1, 999, 1_795_231_020_999, 1_795_231_059_999, 4_102_444_799_999])
def test_a_written_time_reads_back_as_the_same_millisecond(milliseconds: int) -> None:
    back = datetime.fromisoformat(rfc3339(milliseconds))
    assert round(back.timestamp() * 1000) == milliseconds


def test_now_is_between_two_looks_at_the_clock() -> None:
    before, now, after = time.time(), now_ms(), time.time()
    assert int(before * 1000) <= now <= after * 1000
    assert datetime.fromisoformat(rfc3339(now)).tzinfo == UTC


def test_ids_sort_by_the_time_of_making_even_within_a_millisecond() -> None:
    made = [new_id("sub") for _ in range(5000)]
    assert made == sorted(made)
    assert all(re.fullmatch(r"sub_[0-9a-f]{32}", one) for one in made)


def test_ids_of_many_threads_never_meet() -> None:
    with ThreadPoolExecutor(8) as pool:
        made = [one for batch in pool.map(lambda _: [new_id("x") for _ in range(1000)], range(8)) for one in batch]
    assert len(set(made)) == 8000


def test_an_id_holds_its_time() -> None:
    assert abs(int(new_id("sub")[4:16], 16) - now_ms()) < 5000


@pytest.fixture(autouse=True)
def kept_logging() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers, root.level = handlers, level


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    captured = capsys.readouterr()
    assert captured.out == "", "standard output is not for logs"
    return [json.loads(line) for line in captured.err.splitlines()]


def test_a_record_is_one_json_line_with_its_service_level_and_time(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("shop")
    logging.getLogger("shop.till").info("sold %s\nagain", "a cup", extra={"cups": 2})
    (line,) = lines(capsys)
    at = line.pop("at")
    assert line == {
        "event": "sold a cup\nagain",
        "service": "shop",
        "level": "info",
        "logger": "shop.till",
        "cups": 2,
    }
    assert datetime.fromisoformat(at).tzinfo == UTC


def test_records_of_other_threads_name_the_service_too(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("shop")
    thread = threading.Thread(target=logging.getLogger("x").warning, args=("from a thread",))
    thread.start()
    thread.join()
    assert lines(capsys)[0]["service"] == "shop"


def test_a_line_names_the_request_that_is_worked_on_and_no_other_does(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("shop")
    with working_for({"request_id": "r-1"}, "row_1"):
        logging.getLogger("x").warning("inside")
    with working_for({}, "row_1"):
        logging.getLogger("x").warning("for a row that nobody asked for")
    logging.getLogger("x").warning("outside")
    assert [line.get("request") for line in lines(capsys)] == ["r-1", "row_1", None]


def test_lines_of_requests_are_written_together_and_before_any_other(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("shop")
    handler = json_lines()
    assert handler is not None

    async def serve() -> str:
        handler.add_request({"request": "a"}, logging.INFO)
        handler.add_request({"request": "\udcff"}, logging.INFO)  # half a surrogate pair
        handler.add_request({"request": "not at this level"}, logging.DEBUG)
        soon = capsys.readouterr().err
        handler.add_request({"request": "c"}, logging.ERROR)
        return soon

    assert asyncio.run(serve()) == ""
    assert [(line["request"], line["event"]) for line in lines(capsys)] == [(name, "request") for name in "a\udcffc"]


def sell(_password: str) -> None:
    raise RuntimeError("no cups")


def test_an_error_s_trace_stays_on_its_line_and_shows_no_values(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("shop")
    try:
        sell(f"hunter{2}")
    except RuntimeError:
        logging.getLogger("x").exception("failed", extra={"path": "/v1/cups"})
    (line,) = lines(capsys)
    assert "RuntimeError: no cups" in line["exception"]
    assert "hunter2" not in json.dumps(line)


def test_requests_to_neighbours_are_not_logged_with_their_query(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("shop")
    transport = httpx.MockTransport(lambda _: httpx.Response(200))
    with httpx.Client(transport=transport) as http:
        http.get("http://x/y", params={"token": "hunter2"})
    assert lines(capsys) == []


def test_the_level_and_what_json_does_not_know(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("shop", "ERROR")
    logging.getLogger("x").warning("not shown")
    logging.getLogger("x").error("shown", extra={"what": 1 + 2j})
    assert [line["what"] for line in lines(capsys)] == ["(1+2j)"]


@pytest.mark.parametrize("level", ["info", "LOUD", ""])
def test_a_level_that_is_none_is_refused_by_its_variable(level: str) -> None:
    with pytest.raises(
        SettingsError, match=rf"TETRAD_SHOP_LOG_LEVEL: '{level}' is not a level; use one of DEBUG, INFO"
    ):
        configure_logs("shop", level)


def test_configuring_twice_writes_each_record_once() -> None:
    script = (
        "import logging; from tetrad.server.logs import configure_logs as c; c('a'); c('b');"
        "logging.getLogger('x').warning('once')"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert [json.loads(line)["service"] for line in ended.stderr.splitlines()] == ["b"]
