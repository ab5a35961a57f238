"""Row of the runner: a submission answered by a slow model, against the ideal schedule of the same questions."""

import time
import zlib
from collections.abc import Iterator

from bench.measuring import Bench, Line
from tetrad.client import Client
from tetrad.contracts.accounts import ModelRequest
from tetrad.contracts.submissions import OpenQuestion, SubmissionRequest
from tetrad.runner import Plan, Prompt, SubmissionOverHttp, answer_submission

STAGED = (("kiva", "kiva"), ("marvel", "marvel"))
MOST_RATIO = 1.15


def runner(bench: Bench) -> Iterator[Line]:
    """Answer the staged settings over HTTP, pictures fetched, by a model that takes half to one and a half its time.

    In the ideal schedule nobody waits. It takes as long as all questions one after the other, divided by how many are
    asked at a time, or as long as the longest item.
    """
    latency, concurrency = bench.scale.latency_seconds, bench.scale.concurrency
    for benchmark, track in STAGED:
        with bench.instance.team(f"bench-{time.monotonic_ns()}") as client:
            busy, taken = _run(client, benchmark, track, bench)
        ideal = max(sum(busy.values()) / concurrency, *busy.values())
        yield Line(
            name=f"{benchmark} full answered by a model that takes about {latency:g} s, {concurrency} at a time",
            value=f"{taken:.1f} s",
            ratio=f"{taken / ideal:.2f} x the ideal schedule of {len(busy)} items",
            aim=f"{MOST_RATIO} x or less",
            met=taken / ideal <= MOST_RATIO,
        )


def _run(client: Client, benchmark: str, track: str, bench: Bench) -> tuple[dict[int, float], float]:
    """Return the model's seconds for each item, and those from the first question asked for to the last one sealed."""
    client.register_model(ModelRequest(name="slow"))
    request = SubmissionRequest(benchmark=benchmark, track=track, setting="full", model="slow", size=bench.scale.staged)
    port = _Watching(client, client.open_submission(request).id)
    latency = bench.scale.latency_seconds
    asked: list[tuple[int, float]] = []  # appended to by several threads

    def respond(prompt: Prompt) -> str:
        item = port.items[next(iter(prompt.pictures.values()))]
        seconds = latency * (0.5 + zlib.crc32(f"{item} {prompt.question.id}".encode()) / 2**32)
        asked.append((item, seconds))
        time.sleep(seconds)
        return "A"

    begun = time.perf_counter()
    answer_submission(port, respond, Plan(concurrency=bench.scale.concurrency))
    taken = time.perf_counter() - begun
    busy: dict[int, float] = {}
    for item, seconds in asked:
        busy[item] = busy.get(item, 0.0) + seconds
    return busy, taken


class _Watching(SubmissionOverHttp):
    """Notes which item each picture belongs to: a prompt does not say."""

    def __init__(self, client: Client, submission: str) -> None:
        super().__init__(client, submission)
        self.items: dict[bytes, int] = {}

    def picture(self, asked: OpenQuestion, name: str) -> bytes:
        pixels = super().picture(asked, name)
        self.items[pixels] = asked.item
        return pixels
