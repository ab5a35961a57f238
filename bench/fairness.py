"""Rows of fair scoring: a small submission beside the largest legal load, and what slices cost against one go."""

import time
from collections.abc import Iterator, Sequence
from tempfile import TemporaryDirectory

import msgspec
import sqlalchemy as sa

from api.database.schema import metadata, models, submissions, teams
from bench.measuring import Bench, Line, core_seconds, interleave, median_ratio
from generator_service.draws import Draw
from generator_service.items import make_item
from generator_service.sealing.draw_keys import keyed_items
from scoring_service.generator import KeyedRanges, RevealedDraw, split_answers
from scoring_service.jobs.report_work import JudgedSlice, ReportWork
from scoring_service.jobs.slices import Slices, SliceStore, WorkInHand
from tests.answering import register
from tests.largest_load import LONG_REPLY, finished_large
from tetrad.client import Client
from tetrad.contracts.answers import Answer, SealedAnswer
from tetrad.contracts.submissions import SubmissionRequest
from tetrad.internal.draws import KeyedItem
from tetrad.server.clock import now_ms
from tetrad.server.database import make_engine, write_transaction
from tetrad.server.garbage_collection import collector_paused
from tetrad.server.outbox import lease_next

MOST_WAIT, MOST_COST = 10.0, 1.15
SMALL, LEASE_MS, PATIENCE = 4, 600_000, 1200.0
ONE_GO, SLICE_SECONDS = 1e9, 1.0


def fairness(bench: Bench) -> Iterator[Line]:
    yield _wait_beside_the_largest(bench)
    yield _cost_of_slices(bench)


def _wait_beside_the_largest(bench: Bench) -> Line:
    items = bench.scale.large
    now = time.monotonic_ns()
    with (
        bench.instance.team(f"bench-large-{now}") as large_team,
        bench.instance.team(f"bench-small-{now}") as small_team,
    ):
        alone = _wait_of_small(small_team)
        large = finished_large(large_team, items)
        waits = [_wait_of_small(small_team)]
        while large_team.submission(large).state == "queued":
            waits.append(_wait_of_small(small_team))
    return Line(
        name=f"the report of {SMALL} items beside {items:,} CARV items with replies of 4 kB",
        value=f"{max(waits):.1f} s at most",
        ratio=f"alone {alone:.1f} s; {len(waits)} meanwhile",
        aim=f"{MOST_WAIT:.0f} s or less",
        met=max(waits) <= MOST_WAIT,
    )


def _wait_of_small(client: Client) -> float:
    register(client, "small")
    request = SubmissionRequest(benchmark="carv", track="single", setting="direct", model="small", size=SMALL)
    submission = client.open_submission(request).id
    asked = client.questions(submission).questions
    answers = [Answer(item=each.item, question=each.question.id, response="two mugs") for each in asked]
    client.seal(submission, answers)
    begun = time.perf_counter()
    while client.submission(submission).state == "queued":
        if time.perf_counter() - begun > PATIENCE:
            raise TimeoutError(f"{submission} is not scored after {PATIENCE:.0f} s")
        time.sleep(0.1)
    return time.perf_counter() - begun


def _cost_of_slices(bench: Bench) -> Line:
    size = bench.scale.large // 4
    with TemporaryDirectory(prefix="tetrad-bench-") as folder:
        engine = make_engine(f"sqlite:///{folder}/tetrad.db")
        scoring = _CarvScoring(bench, engine, size)
        taken: list[float] = []
        cut, whole = interleave(
            min(3, bench.scale.rounds),
            lambda _: taken.append(core_seconds(lambda: scoring.work(SLICE_SECONDS))),
            lambda _: taken.append(core_seconds(lambda: scoring.work(ONE_GO))),
        )
        engine.dispose()
    cost = median_ratio(taken[::2], taken[1::2])
    most = max(scoring.slices)
    return Line(
        name=f"scoring {size:,} CARV items in slices of {SLICE_SECONDS:.0f} s",
        value=f"{sorted(cut)[len(cut) // 2]:.1f} s",
        ratio=f"{cost:.2f} of the core time of one go ({sorted(whole)[len(whole) // 2]:.1f} s); {most} slices",
        aim=f"{MOST_COST} or less",
        met=cost <= MOST_COST,
    )


class _CarvScoring:
    """Scores CARV items with long replies in this process, from a database of its own."""

    def __init__(self, bench: Bench, engine: sa.Engine, size: int) -> None:
        mounted = bench.of("carv")
        draw = Draw(mounted.benchmark, mounted.identity("single", "direct", {}), "33" * 32)
        answers = [
            SealedAnswer(item=index, question=keyed.question.id, response=LONG_REPLY)
            for index in range(size)
            for keyed in make_item(mounted, draw, index).questions
        ]

        def fetch(items: range, given: Sequence[SealedAnswer]) -> list[KeyedItem]:
            return keyed_items(mounted, draw, items, given)

        self.slices: list[int] = []
        self._engine, self._size, self._card = engine, size, mounted.benchmark.card
        self._ranges = KeyedRanges(size, split_answers(size, answers), fetch)
        commitment = draw.commitment(size)
        self._revealed = RevealedDraw(identity=draw.identity, size=size, seed=draw.seed, commitment=commitment)
        metadata.create_all(engine)
        with write_transaction(engine) as connection:
            connection.execute(sa.insert(teams).values(id="x", name="x", title="x", created_at=0))
            connection.execute(sa.insert(models).values(id="x", team_id="x", name="x", title="x", created_at=0))
        self._store = SliceStore(engine, "bench")

    def work(self, seconds: float) -> None:
        """Queue a job, score it in slices of so many seconds, and note how many there were."""
        job = _queue(self._engine, self._size)
        slices = Slices(self._store, WorkInHand(), seconds, lambda: False)  # nobody else waits
        with collector_paused():
            while True:
                lease = lease_next(self._engine, submissions, now_ms(), LEASE_MS, 5)
                if lease is None:
                    raise LookupError("the job of the bench is gone")
                going = slices.take(job, ReportWork)
                going = going or ReportWork(job, self._revealed, self._card, self._ranges)
                if slices.advance(lease, job, going):
                    break
            msgspec.json.encode(going.report(self._store.read(job, going.opened_after, JudgedSlice), "now"))
        self.slices.append(going.number)
        with write_transaction(self._engine) as connection:
            connection.execute(sa.update(submissions).values(state="scored"))


def _queue(engine: sa.Engine, size: int) -> str:
    job = f"sub_{time.monotonic_ns()}"
    texts = "team_id model_id benchmark bank track setting parameters board visibility nonce commitment"
    row = {**dict.fromkeys(texts.split(), "x"), "id": job, "state": "queued"}
    numbers = {"version": 1, "size": size, "opened_at": 0, "deadline_at": 0}
    with write_transaction(engine) as connection:
        connection.execute(sa.insert(submissions).values(**row, **numbers))
    return job
