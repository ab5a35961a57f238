"""At no moment do booked, reserved and in flight exceed a budget: generated histories of the ledger's steps.

In each fourth history the api is taken: it answers lies, and the gateway's own budget of the day still holds.
TETRAD_HISTORIES is how many there are; `make soak` runs five times as many.
"""

import os
import socket
from collections.abc import Sequence
from typing import Any, BinaryIO
from urllib.parse import urlsplit

from redis import Redis
from redis.exceptions import ResponseError

from inference_gateway.gates.scripts import SCRIPTS, source
from tests.integration.gateway.histories import Command, History

HISTORIES = int(os.environ.get("TETRAD_HISTORIES", "2000"))
AT_ONCE = 500
STEPS = 10


def write_command(command: Command) -> bytes:
    """Return a command in Redis's protocol; its package is ten times as slow."""
    parts = [part if isinstance(part, bytes) else str(part).encode() for part in command]
    return b"*%d\r\n" % len(parts) + b"".join([b"$%d\r\n%b\r\n" % (len(part), part) for part in parts])


def read_reply(stream: BinaryIO) -> Any:
    line = stream.readline()
    kind, rest = line[:1], line[1:-2]
    if kind == b"$":
        return None if rest == b"-1" else stream.read(int(rest) + 2)[:-2]
    if kind == b"*":
        return [read_reply(stream) for _ in range(int(rest))]
    if kind == b"-":
        return ResponseError(rest.decode())
    assert kind == b":", line
    return int(rest)


def run_all(connection: socket.socket, stream: BinaryIO, histories: Sequence[History]) -> None:
    """Run histories side by side: one command of each at a time, all in one request."""
    running = []
    for history in histories:
        step = history.go()
        running.append((step, next(step)))
    while running:
        connection.sendall(b"".join([write_command(command) for _, command in running]))
        going = []
        for step, _ in running:
            try:
                going.append((step, step.send(read_reply(stream))))
            except StopIteration:
                continue
        running = going


def test_no_history_passes_a_budget(redis: "Redis[Any]", valkey: str) -> None:
    for name in SCRIPTS:
        redis.script_load(source(name))  # type: ignore[no-untyped-call]
    at = urlsplit(valkey)
    with socket.create_connection((at.hostname, at.port)) as connection, connection.makefile("rb") as stream:
        for first in range(0, HISTORIES, AT_ONCE):
            seeds = range(first, first + AT_ONCE)
            run_all(connection, stream, [History(seed, STEPS, is_taken=seed % 4 == 0) for seed in seeds])
            redis.flushall()
