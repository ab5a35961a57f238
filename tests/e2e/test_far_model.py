"""A team answers with a model at an OpenAI-compatible server, through the gateway: from its token to the report."""

import os
import subprocess
import sys
from collections import Counter
from itertools import count
from typing import Any

import httpx
import msgspec
from aiohttp import web

from tests.e2e.conftest import CANARY, assert_absent
from tests.instance import ROOT, Instance
from tests.integration.inference_gateway.upstream import Upstream, chat, failing, replying
from tetrad.contracts.inference import NewGatewayToken

SIZE = 12


def refusal() -> dict[str, Any]:
    document = chat(None, "stop")
    document["choices"][0]["message"]["refusal"] = "I would rather not."
    return document


ENDS: list[tuple[str, dict[str, Any]]] = [
    ("complete", chat("(A)")),
    ("length", chat("so far (A)", "length")),
    ("length-before-text", chat(None, "length")),
    ("refused", refusal()),
    ("blocked", chat("", "content_filter")),
    ("cut", chat("(A)", None)),
]


def test_every_end_of_a_reply_reaches_the_report_and_no_key_is_anywhere(instance: Instance, far: Upstream) -> None:
    with instance.team("far-away") as team:
        environment = os.environ | {
            "TETRAD_URL": instance.url,
            "TETRAD_HOME": str(instance.data_directory.folder),
            "TETRAD_KEY": team._authorization["Authorization"].removeprefix("Bearer "),
        }

        def tetrad(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
            command = [sys.executable, "-m", "tetrad", *arguments]
            return subprocess.run(
                command, cwd=ROOT, env=environment | more, capture_output=True, text=True, check=False
            )

        token = tetrad("admin", "gateway-token", "make", "far-away", "--model", "far", "--json")
        made = msgspec.json.decode(token.stdout, type=NewGatewayToken)

        def submit(size: int) -> subprocess.CompletedProcess[str]:
            chosen = ["--benchmark", "toy", "--model", "far", "--size", str(size), "--base-url", made.url]
            return tetrad("submit", *chosen, OPENAI_API_KEY=made.token)

        numbers = count()

        async def in_turn(request: web.Request) -> web.StreamResponse:
            return await replying(ENDS[next(numbers) % len(ENDS)][1])(request)

        far.reset()
        far.answers, far.otherwise = [failing(503, f"busy with {CANARY}")], in_turn
        done = submit(SIZE)
        assert done.returncode == 0, done.stderr
        assert {one.body["model"] for one in far.asked} == {"its-name-there"}
        assert {one.headers["Authorization"] for one in far.asked} == {f"Bearer {CANARY}"}
        (submission,) = [one.id for one in team.submissions().submissions]
        report = team.report(submission)
        asked = len(far.asked) - 2  # before them a practice question, which was tried again
        assert asked >= SIZE
        assert report.stops == Counter(ENDS[at % len(ENDS)][0] for at in range(1, asked + 1))
        assert len(report.questions) == asked, "none leaves the denominator"
        right = {one.stop for one in report.questions if one.verdict == "correct"}
        assert right <= {"complete", "length"}, "a reply that is not all there is wrong"

        far.otherwise = failing(400, f"no such thing, {CANARY}")
        failed = submit(1)
        assert failed.returncode == 1
        told = [done.stdout, done.stderr, failed.stdout, failed.stderr, str(team.events(submission)), str(report)]
        with httpx.Client(base_url=f"http://127.0.0.1:{instance.data_directory.gateway_port}") as gateway:
            metrics = {"Authorization": f"Bearer {instance.secrets.metrics_token}"}
            told.append(gateway.get("/metrics", headers=metrics).raise_for_status().text)
            told.append(gateway.get("/v1/models", headers={"Authorization": f"Bearer {made.token}"}).text)
        assert 'gen_ai_request_model="far"' in told[-2]
        assert [text for text in told if CANARY in text] == []
    assert_absent(CANARY, instance.data_directory.folder)
