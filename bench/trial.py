"""Rows of a trial over HTTP: its questions and all its pictures, by the processor time that the service takes."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

from bench.making import with_pictures
from bench.measuring import BENCHMARK, TRACK, Bench, Line
from bench.processes import core_seconds_by_program
from tetrad.client import Client
from tetrad.contracts.accounts import ModelRequest
from tetrad.contracts.submissions import OpenQuestion, SubmissionRequest
from tetrad.runner import Plan, SubmissionOverHttp, answer_submission

MOST_MILLISECONDS = {"to practise on": 12.0, "of a submission": 18.0}
FETCHERS = 4
SERVICES = ("api", "generator", "practice")


def trial(bench: Bench) -> Iterator[Line]:
    """Fetch trials with all their pictures, to practise on and of a submission, each picture once."""
    count = bench.scale.fetched
    alone, _ = with_pictures(bench.scale, bench.mounted, bench.draw("105"))
    with bench.instance.team(f"bench-{time.monotonic_ns()}") as client:
        client.register_model(ModelRequest(name="constant"))
        fetch_practice(client, 8, 1)  # what a process loads once
        rows: dict[str, Callable[[], int]] = {
            "to practise on": lambda: fetch_practice(client, count, 2),
            "of a submission": lambda: answer_a_submission(client, count),
        }
        for name, fetch in rows.items():
            before = core_seconds_by_program(bench.instance.process.pid)
            pictures = fetch()
            after = core_seconds_by_program(bench.instance.process.pid)
            taken = {
                service: 1000 * (after.get(service, 0.0) - before.get(service, 0.0)) / count for service in SERVICES
            }
            yield Line(
                name=f"a trial {name} over HTTP, {pictures / count:.1f} pictures",
                value=f"{sum(taken.values()):.1f} core ms",
                ratio=f"{', '.join(f'{service} {cost:.1f}' for service, cost in taken.items())}: "
                f"{sum(taken.values()) / alone:.2f} x drawing and encoding it alone ({alone:.1f} core ms)",
                aim=f"{MOST_MILLISECONDS[name]:.0f} core ms or less",
                met=sum(taken.values()) <= MOST_MILLISECONDS[name],
            )


def fetch_practice(client: Client, count: int, seed: int) -> int:
    """Fetch practice items a page at a time, and the pictures of each in one request."""
    fetched = 0
    with ThreadPoolExecutor(FETCHERS) as pool:
        for offset in range(0, count, 20):
            page = client.practice(BENCHMARK, seed=seed, offset=offset, limit=min(20, count - offset))
            names = {
                item.id: list(dict.fromkeys(shown.name for question in item.questions for shown in question.pictures))
                for item in page.items
            }
            fetched += sum(map(len, pool.map(client.practice_pictures, names, names.values())))
    return fetched


def answer_a_submission(client: Client, count: int) -> int:
    """Answer a submission as `tetrad submit` does, by a model that takes no time."""
    request = SubmissionRequest(benchmark=BENCHMARK, track=TRACK, model="constant", size=count)
    port = _Counting(client, client.open_submission(request).id)
    answer_submission(port, lambda _: "A", Plan())
    return port.fetched


class _Counting(SubmissionOverHttp):
    """Counts the pictures fetched."""

    fetched = 0

    def picture(self, asked: OpenQuestion, name: str) -> bytes:
        self.fetched += 1
        return super().picture(asked, name)
