"""What trainers do for long: a connection a call, thousands at once and hundreds a second; a hundred steps.

TETRAD_SOAK_CALLS_SECONDS (60) and TETRAD_SOAK_STEPS (100) make it smaller.
"""

import asyncio
import json
import os
import resource
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median

import pytest

from bench.processes import mebibytes_by_program
from tests.instance import Instance, running
from tetrad.client import Client
from tetrad.contracts.rows import Row
from tetrad.contracts.training import PracticeReply

AT_ONCE, TIMES, A_SECOND = 2_000, 3, 200
SECONDS = int(os.environ.get("TETRAD_SOAK_CALLS_SECONDS", "60"))
STEPS = int(os.environ.get("TETRAD_SOAK_STEPS", "100"))
ROWS, REPLIES = 512, 16  # of a step
PATIENCE_SECONDS = 300.0  # on a machine that others use, 12,000 calls take longer than the minute in which they come
MOST_GROWTH = 1.1
WORDS = "Item {}, try {}: the object is turned, and its colour stays. So the answer is ({})."


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory, bank_folder: Path) -> Iterator[Instance]:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with running(tmp_path_factory.mktemp("trainers") / "home", bank_folder) as instance:
        yield instance


async def call(port: int, request: bytes) -> str:
    """Send a request over a connection of its own; return its status, or how the connection failed."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            with closing(writer):
                writer.write(request)
                reply = await reader.read()
    except (OSError, TimeoutError) as error:
        return type(error).__name__
    head, _, body = reply.partition(b"\r\n\r\n")
    status = head.split(b" ")[1].decode() if head else "closed without a reply"
    if status == "200":
        return status if json.loads(body)["reward"] == 1.0 else "a reward of 0"
    return status if b"retry-after:" in head.lower() else f"{status} without Retry-After"


async def call_at_once(port: int, requests: Sequence[bytes], count: int) -> Counter[str]:
    calls = (call(port, requests[number % len(requests)]) for number in range(count))
    return Counter(await asyncio.gather(*calls))


async def call_steadily(port: int, requests: Sequence[bytes]) -> Counter[str]:
    """Begin so many calls in each second, however long those before take."""
    calls = []
    begun = asyncio.get_running_loop().time()
    for number in range(A_SECOND * SECONDS):
        await asyncio.sleep(begun + number / A_SECOND - asyncio.get_running_loop().time())
        calls.append(asyncio.create_task(call(port, requests[number % len(requests)])))
    return Counter(await asyncio.gather(*calls))


def request_of(row: Row, key: str) -> bytes:
    """Return a call of NeMo Gym's `verify` with the right answer."""
    text = WORDS.format(row.index, 0, row.answer)
    response = {"output": [{"type": "message", "content": [{"type": "output_text", "text": text}]}]}
    sent = {"item": row.item, "question": row.question, "responses_create_params": {"input": []}, "response": response}
    body = json.dumps(sent).encode()
    head = (
        "POST /v1/environments/kiva/verify HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nAuthorization: {key}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def test_a_connection_for_each_call_meets_no_reset_and_no_5xx(instance: Instance) -> None:
    with instance.team("a-connection-a-call") as client:
        rows = list(client.rows("kiva", setting="extrapolation-only", seed=1, count=64, pictures="none"))
        requests = [request_of(row, client._authorization["Authorization"]) for row in rows]
        port = instance.data_directory.port
        bursts = [asyncio.run(call_at_once(port, requests, AT_ONCE)) for _ in range(TIMES)]
        steady = asyncio.run(call_steadily(port, requests))
        assert client.team().name == "a-connection-a-call"
    print(bursts, steady)  # noqa: T201 - a soak is watched
    for seen in (*bursts, steady):
        assert seen.keys() <= {"200", "429"}, (bursts, steady)
    # How many of the steady ones are refused depends on what else the machine does: 3,812 of 5,000 at load 7.
    assert all(seen["200"] > AT_ONCE / 2 for seen in bursts), bursts
    assert steady["200"], steady


def make_step(client: Client, seed: int) -> None:
    rows = list(client.rows("kiva", count=ROWS, seed=seed))
    replies = [
        PracticeReply(item=row.item, question=row.question, response=WORDS.format(row.index, number, "A"))
        for row in rows
        for number in range(REPLIES)
    ]
    assert len(client.judge("kiva", replies)) == len(rows) * REPLIES >= ROWS * REPLIES


def test_memory_is_bounded_over_a_hundred_steps(instance: Instance) -> None:
    held = []
    with instance.team("steps") as client:
        for step in range(STEPS):
            make_step(client, step)
            sizes = mebibytes_by_program(instance.process.pid, mapped_sources=False)
            held.append({name: sizes[name] for name in ("api", "practice")})
            print(step, held[-1], flush=True)  # noqa: T201 - a soak is watched
    for name in held[0]:
        settled = median(sizes[name] for sizes in held[STEPS // 4 : STEPS // 2])
        assert median(sizes[name] for sizes in held[-STEPS // 4 :]) <= settled * MOST_GROWTH, (name, held)
