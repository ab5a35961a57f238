"""1,100 connections from one client that say nothing, speak slowly or listen: everybody else is served meanwhile."""

import resource
import socket
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

from tests.answering import answer_all, open_submission, wait_scored
from tests.chaos.conftest import USUAL_FILES
from tests.instance import Instance

CONNECTIONS = 1_100
ANSWER_SECONDS = 15.0
IDLE_SECONDS = 30.0  # more than the header timeout
STREAMS = 100  # of a key, the default
SPOKEN = {
    "nothing": b"",
    "half a head": b"GET /v1/benchmarks HTTP/1.1\r\nHost: x\r\n",
    "half a body": b"POST /v1/teams HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",
}


@pytest.fixture(scope="module", autouse=True)
def files() -> Iterator[None]:
    """Let this process open more files than the instance was started with."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 4 * CONNECTIONS:
        pytest.skip(f"only {hard} files may be open here (ulimit -Hn)")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@contextmanager
def connected(port: int, count: int, spoken: bytes) -> Iterator[list[socket.socket]]:
    with ExitStack() as stack:
        opened = []
        for _ in range(count):
            one = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=ANSWER_SECONDS))
            one.sendall(spoken)
            opened.append(one)
        yield opened


@pytest.mark.parametrize("spoken", SPOKEN.values(), ids=SPOKEN)
def test_others_are_served_beside_connections_that_say(instance: Instance, spoken: bytes) -> None:
    with (
        connected(instance.data_directory.port, CONNECTIONS, spoken),
        connected(instance.data_directory.gateway_port, CONNECTIONS, spoken),
    ):
        for _ in range(3):
            assert httpx.get(f"{instance.url}/health/ready", timeout=ANSWER_SECONDS).status_code == httpx.codes.OK
            assert httpx.get(f"{instance.url}/v1/benchmarks", timeout=ANSWER_SECONDS).status_code == httpx.codes.OK
        gateway = f"{instance.gateway_url}/health/ready"
        assert httpx.get(gateway, timeout=ANSWER_SECONDS).status_code == httpx.codes.OK


@pytest.mark.parametrize("program", ["api", "gateway", "generator", "valkey"])
def test_a_server_may_open_more_files_than_its_starter_might(instance: Instance, program: str) -> None:
    for pid in instance.pids(program):
        limits = (Path("/proc") / str(pid) / "limits").read_text().splitlines()
        (files,) = [line.split()[3] for line in limits if line.startswith("Max open files")]
        assert int(files) >= 4 * USUAL_FILES


def ends(connection: socket.socket) -> bool:
    """Tell whether the server closes a connection in time; it may say why before."""
    connection.settimeout(IDLE_SECONDS)
    try:
        while connection.recv(4096):
            pass
    except TimeoutError:
        return False
    return True


def test_a_head_that_does_not_come_ends_its_connection(instance: Instance) -> None:
    port = instance.data_directory.port
    asked = b"GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n"  # and then nothing
    with (
        connected(port, 1, SPOKEN["nothing"]) as silent,
        connected(port, 1, SPOKEN["half a head"]) as slow,
        connected(port, 1, asked) as idle,
    ):
        assert all(ends(one) for one in (*silent, *slow, *idle))


def test_a_key_has_so_many_streams_and_others_are_served(instance: Instance) -> None:
    with instance.team("listeners") as client:
        submission = open_submission(client, "stream", size=1).id
        key = str(client._authorization["Authorization"])
        head = (
            f"GET /v1/submissions/{submission}/events HTTP/1.1\r\nHost: x\r\nAuthorization: {key}\r\n"
            "Accept: text/event-stream\r\n\r\n"
        ).encode()
        with connected(instance.data_directory.port, CONNECTIONS, head) as opened:
            statuses = Counter(one.recv(4096).split()[1] for one in opened)
            assert statuses == {b"200": STREAMS, b"429": CONNECTIONS - STREAMS}
            assert httpx.get(f"{instance.url}/health/ready", timeout=ANSWER_SECONDS).status_code == httpx.codes.OK
            assert client.team().name == "listeners"
        assert status_after_closing(instance.data_directory.port, head) == b"200"
        answer_all(client, submission)
        wait_scored(client, submission)  # an open draw would keep the secret that test_restore.py drops


def status_after_closing(port: int, head: bytes) -> bytes:
    """Return the status of another stream, once the server has seen that the others are closed."""
    end = time.monotonic() + IDLE_SECONDS
    while True:
        with connected(port, 1, head) as (one,):
            status = one.recv(4096).split()[1]
        if status == b"200" or time.monotonic() > end:
            return status
        time.sleep(0.5)
