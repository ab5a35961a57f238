"""A row of what watching costs: ids, numbers and a line for each request, over an app that does nothing."""

import asyncio
import gc
import json
import logging
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from litestar.types import ASGIApp, Message, Receive, Scope, Send

from bench.measuring import Bench, Line
from tetrad.server.logs import JsonLines
from tetrad.server.metrics import FOLDER, CountedRequests, Metrics
from tetrad.server.request_watch import watching

MOST_MICROSECONDS = 30.0
REQUESTS, ROUNDS = 1_000, 10  # many short rounds: the processor is fast in some of them
HEADERS = [(b"host", b"127.0.0.1"), (b"accept", b"*/*"), (b"user-agent", b"bench"), (b"authorization", b"Bearer x")]
WHO = {"team": "team_0199f2a35c0d7f1e8b6a4c2d1e0f9a8b", "key": "key_0199f2a35c0d7f1e8b6a4c2d1e0f9a8b"}


def watching_costs(bench: Bench) -> Iterator[Line]:
    """Serve requests by an app that answers at once, watched and not, and tell the difference.

    It runs in a process of its own, whose numbers are kept as those of services are.
    """
    with TemporaryDirectory(prefix="tetrad-bench-") as folder:
        command = [sys.executable, "-m", "bench.watching", str(bench.scale.rounds * ROUNDS)]
        made = subprocess.run(command, env=os.environ | {FOLDER: folder}, capture_output=True, check=True)  # noqa: S603
    measured = json.loads(made.stdout)
    cost, size = measured["microseconds"], measured["bytes"]
    yield Line(
        name="watching a request: id, numbers, line",
        value=f"{cost:.1f} core µs",
        ratio=f"{size:.0f} bytes of log: at 1,000 requests a second {size * 3.6 / 1000:.1f} GB an hour",
        aim=f"{MOST_MICROSECONDS:.0f} core µs or less",
        met=cost <= MOST_MICROSECONDS,
    )


def measure(rounds: int) -> dict[str, float]:
    """Return the processor time that watching a request takes, and the bytes of its line.

    The least of all rounds counts: a neighbour on the same processor makes a round dearer, and none cheaper.
    """
    app = watching(_answer, CountedRequests(Metrics()), lambda _: WHO)
    with _writing_nowhere() as lines:
        costs = [(_seconds(app, lines), _seconds(_answer, lines)) for _ in range(rounds)]
    watched, bare = map(min, zip(*costs, strict=True))
    return {"microseconds": (watched - bare) / REQUESTS * 1e6, "bytes": lines.written / (rounds * REQUESTS)}


@contextmanager
def _writing_nowhere() -> Iterator[JsonLines]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        lines = JsonLines("bench", nowhere)
        root.handlers, root.level = [lines], logging.INFO
        try:
            yield lines
        finally:
            root.handlers, root.level = handlers, level


async def _answer(scope: Scope, _: Receive, send: Send) -> None:
    scope["path_template"] = "/v1/submissions/{submission}/questions"
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"{}", "more_body": False})


def _seconds(app: ASGIApp, lines: JsonLines) -> float:
    """Return the processor time of all requests, one after the other."""

    async def receive() -> Any:
        raise AssertionError("the app reads no body")

    async def send(_: Message) -> None:
        return

    async def serve() -> float:
        begun = time.process_time()
        for number in range(REQUESTS):
            scope: Any = {"type": "http", "method": "GET", "headers": HEADERS, "path": "/"}
            await app(scope, receive, send)
            if number % 200 == 0:  # as a fifth of a second of 1,000 requests a second
                lines.flush()
        lines.flush()
        return time.process_time() - begun

    gc.collect()
    return asyncio.run(serve())


if __name__ == "__main__":
    json.dump(measure(int(sys.argv[1])), sys.stdout)
