"""Pictures embedded by Triton through the gateway, against tritonclient alone from the same PNG files."""

import asyncio
import base64
import io
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import aiohttp
import msgspec
import numpy as np
import pytest
import tritonclient.grpc.aio as triton_grpc
from PIL import Image

from bench.measuring import Bench, Line
from tests.integration.inference_gateway.conftest import SERVICE_TOKEN, gateway_with
from tests.triton import Triton, built, environment, serving

MODEL, SIDE = "efficientnet_lite2", 260
CONCURRENT = 16
PICTURE_SIDE = 320
LEAST_SHARE = 0.9
Ask = Callable[[bytes], Awaitable[Any]]


def triton(bench: Bench) -> Iterator[Line]:
    """Embed pictures by both ways in turn, as many at once; decoding and fitting count in both."""
    try:
        environment()
    except pytest.skip.Exception as error:
        yield Line(name="pictures embedded by Triton", value="not measured", ratio=str(error))
        return
    with TemporaryDirectory(prefix="tetrad-bench-") as folder, serving(built(Path(folder) / "models")) as server:
        models = (
            f'[lite2]\nprovider = "triton"\nkind = "embedding"\ntitle = "Lite2"\naddress = "{server.address}"\n'
            f'upstream = "{MODEL}"\nmodalities = ["image"]\noptions = {{ picture = {{}} }}\n'
        )
        with gateway_with(Path(folder), models) as gateway:
            count = max(CONCURRENT, bench.scale.images)
            direct, through = asyncio.run(_measure_both(server, gateway.url, count, bench.scale.rounds))
    rates = [count / median(seconds) for seconds in (direct, through)]
    share = median(a / b for a, b in zip(direct, through, strict=True))
    yield Line(
        name=f"pictures embedded by Triton through the gateway, {CONCURRENT} at once",
        value=f"{rates[1]:.0f} a second",
        ratio=f"{share:.2f} of tritonclient alone ({rates[0]:.0f} a second), from the same PNG files",
        aim=f"{LEAST_SHARE} or more",
        met=share >= LEAST_SHARE,
    )


async def _measure_both(server: Triton, url: str, count: int, rounds: int) -> tuple[list[float], list[float]]:
    pictures = [_png(at) for at in range(count)]
    headers = {"Authorization": f"Bearer {SERVICE_TOKEN}"}
    async with (
        triton_grpc.InferenceServerClient(f"127.0.0.1:{server.grpc}") as client,
        aiohttp.ClientSession(url, headers=headers) as session,
    ):
        ways = _alone(client), _through(session)
        alone, through = [await way(pictures[0]) for way in ways]
        if not np.allclose(alone, through, atol=1e-4):
            raise ValueError("the two ways give different vectors: they do different work")
        taken: tuple[list[float], list[float]] = ([], [])
        for turn in range(rounds + 1):
            for way, seconds in zip(ways, taken, strict=True):
                spent = await _seconds(way, pictures)
                if turn:  # the first round warms up
                    seconds.append(spent)
    return taken


async def _seconds(ask: Ask, pictures: list[bytes]) -> float:
    turns = asyncio.Semaphore(CONCURRENT)

    async def embed(picture: bytes) -> None:
        async with turns:
            await ask(picture)

    begun = time.perf_counter()
    await asyncio.gather(*(embed(picture) for picture in pictures))
    return time.perf_counter() - begun


def _alone(client: Any) -> Ask:
    async def ask(png: bytes) -> Any:
        pixels = await asyncio.to_thread(_fit, png)
        sent = triton_grpc.InferInput("pixels", list(pixels.shape), "UINT8")
        sent.set_data_from_numpy(pixels)
        wanted = [triton_grpc.InferRequestedOutput("embedding")]
        found = (await client.infer(MODEL, [sent], outputs=wanted)).as_numpy("embedding")[0]
        return found / np.linalg.norm(found)

    return ask


def _through(session: aiohttp.ClientSession) -> Ask:
    async def ask(png: bytes) -> Any:
        address = "data:image/png;base64," + base64.b64encode(png).decode()
        body = {"model": "lite2", "input": [address], "encoding_format": "base64"}
        async with session.post("/v1/embeddings", json=body) as answer:
            reply = msgspec.json.decode(await answer.read())
        return np.frombuffer(base64.b64decode(reply["data"][0]["embedding"]), "<f4")

    return ask


def _fit(png: bytes) -> Any:
    with Image.open(io.BytesIO(png)) as picture:
        return np.asarray(picture.convert("RGB").resize((SIDE, SIDE), Image.Resampling.BICUBIC))[None]


def _png(seed: int) -> bytes:
    """Return a picture of some 40 KB, as puzzles are."""
    rng = np.random.default_rng(seed)
    cells = Image.fromarray(rng.integers(0, 255, (40, 40, 3), np.uint8))
    buffer = io.BytesIO()
    cells.resize((PICTURE_SIDE, PICTURE_SIDE), Image.Resampling.NEAREST).save(buffer, "PNG")
    return buffer.getvalue()
