"""Evaluations under kills, for the chaos tests and the soak: a model server that counts, and a client that waits."""

import asyncio
import time
from pathlib import Path

from aiohttp import web

from inference_gateway.settings import SHIPPED_MODELS
from tests.answering import patiently
from tests.instance import Instance
from tests.integration.inference_gateway.upstream import Handler, Upstream, chat
from tetrad.client import Client
from tetrad.contracts.evaluations import EvaluationRequest

COST = 25  # micro-dollars of a call: 5 tokens in at 1 dollar a million, 2 out at 10
PATIENCE_SECONDS = 180.0
BUDGETED = 40  # calls for each question: a call that a kill cuts off is booked at its reservation, some 60 times COST
DEAR = """
[dear]
provider = "openai"
kind = "chat"
title = "Dear: a server of the tests, for money"
address = "{url}/v1"
secret = {{ file = "{key}" }}
output_cap = 64
limits = {{ start = 32 }}
pictures = {{ tokens = 100 }}
price = {{ input = 1.0, output = 10.0, source = "a test", date = "2026-11-01" }}
training = "never"
"""


def models_file(folder: Path, upstream: Upstream) -> Path:
    """Write a registry with the model `dear` at the upstream; return its path."""
    models, key = folder / "models.toml", folder / "provider-key"
    key.write_text("sk-nobody")
    models.write_text(SHIPPED_MODELS.read_text() + DEAR.format(url=upstream.url, key=key))
    return models


def answering_after(seconds: float) -> Handler:
    async def handle(_: web.Request) -> web.StreamResponse:
        await asyncio.sleep(seconds)
        return web.json_response(chat("(A)"))

    return handle


class KilledEvaluation:
    """An evaluation of `size` questions of one model, `concurrency` at a time, and the kills that it survives."""

    def __init__(self, instance: Instance, team: Client, upstream: Upstream, *, size: int, concurrency: int) -> None:
        self._instance, self._team, self._upstream = instance, team, upstream
        self._size, self._concurrency = size, concurrency
        self._kills = 0
        self._before = len(upstream.asked)
        request = EvaluationRequest(
            benchmark="toy",
            models=["dear"],
            setting="shade-only",
            size=size,
            concurrency=concurrency,
            budget=size * COST * BUDGETED,
        )
        self.id = patiently(lambda: team.evaluate(request), PATIENCE_SECONDS).id

    def answered(self) -> int:
        shown = patiently(lambda: self._team.evaluation(self.id), PATIENCE_SECONDS)
        return shown.runs[0].progress.questions_answered

    def kill(self, program: str, after: int) -> None:
        """Kill every process of a program once so many questions are answered."""
        end = time.monotonic() + 240
        while self.answered() < after:
            assert time.monotonic() < end, f"{self.answered()} of {after} answered: {self._team.evaluation(self.id)}"
            time.sleep(0.05)
        self._instance.kill(program)
        self._kills += 1

    def check_end(self, seconds: float = 240) -> None:
        """Wait for the end, and count what the kills have cost."""
        end = time.monotonic() + seconds
        while (shown := patiently(lambda: self._team.evaluation(self.id), PATIENCE_SECONDS)).state != "done":
            assert time.monotonic() < end, shown
            time.sleep(0.2)
        assert shown.outcome == "complete", shown
        report = self._team.report(shown.runs[0].submission)
        assert (report.questions_asked, report.missing) == (self._size, 0)
        calls = len(self._upstream.asked) - self._before
        assert self._size <= calls <= self._size + self._kills * self._concurrency
        while (spent := patiently(lambda: self._team.evaluation(self.id), PATIENCE_SECONDS).spent) < calls * COST:
            assert time.monotonic() < end, f"{spent} micro-dollars are booked for {calls} calls"
            time.sleep(0.2)
        assert spent <= self._size * COST * BUDGETED
