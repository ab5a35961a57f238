"""The way a submission's score comes about, over HTTP: a generator of a process a core, scoring in this process."""

import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.measuring import TRACK, Bench
from bench.processes import core_seconds_by_program
from generator_service.draws import Draw, sealed_seed
from generator_service.items import make_item
from generator_service.mounting import Mounted
from generator_service.sealing.record import Record
from generator_service.sealing.secret_ring import secret_id
from generator_service.settings import PREFIX, GeneratorSettings
from scoring_service.generator import Generator, split_answers
from scoring_service.jobs.report_work import ReportWork
from tests.serving import served, variables
from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.reports import Report
from tetrad.internal.draws import SealedDraw
from tetrad.server.garbage_collection import collector_paused

TOKENS = {door: f"{door}-of-the-bench-".ljust(32, "-") for door in ("practice", "sealed", "keys")}
SECRET, NONCE = "s" * 32, "n"
REPLIES = ("({})", "The answer is ({}).", "**{}**", "I see a change, so I choose option {}.", "Answer: {}")
WHEN = "2026-01-01T00:00:00Z"
PATIENCE, PAGE = 300.0, 3000


def right_replies(mounted: Mounted, draw: Draw, size: int) -> dict[SealedAnswer, tuple[str, bool]]:
    """Answer every question of the draw's items in the words of five models; tell each key, and if it is final."""
    return {
        SealedAnswer(
            item=index,
            question=keyed.question.id,
            response=REPLIES[index % len(REPLIES)].format(keyed.key.label),
        ): (keyed.key.label, keyed.question.final)
        for index in range(size)
        for keyed in make_item(mounted, draw, index).questions
    }


def check_all_read(report: Report) -> None:
    """Make sure that the reader read the bench's plain replies: AssertionError otherwise."""
    if report.unread or report.missing:
        raise AssertionError(f"{report.unread} unread, {report.missing} missing: the bench's replies are plain")


def scored_over_http(bench: Bench, sizes: Sequence[int]) -> tuple[float, float]:
    """Score submissions of these sizes, one after the other; return the seconds it took, and those of all cores.

    Before, as in life, each draw is sealed, and gated on all answers but the last of an item.
    """
    with _generator(bench.bank) as (url, record, process):
        sealed = {f"sub_{at}": _seal_draw(bench.mounted, record, f"sub_{at}", size) for at, size in enumerate(sizes)}
        client = Generator(url, TOKENS["keys"], PATIENCE)
        before, own, begun = _core_seconds(process), time.process_time(), time.perf_counter()
        for submission, answers in sealed.items():
            with collector_paused():  # as a job runs
                draw = client.reveal(submission, answers)
                ranges = client.revealed_ranges(submission, draw.size, split_answers(draw.size, answers))
                work = ReportWork(submission, draw, bench.mounted.benchmark.card, ranges)
                while work.step():
                    pass
                report = work.report([], WHEN)
            check_all_read(report)
        wall = time.perf_counter() - begun
        core = _core_seconds(process) - before + time.process_time() - own
        client.close()
    return wall, core


def _seal_draw(mounted: Mounted, record: Record, submission: str, size: int) -> list[SealedAnswer]:
    identity = mounted.identity(TRACK, "full", {})
    draw = Draw(mounted.benchmark, identity, sealed_seed(SECRET.encode(), submission, NONCE))
    commitment = draw.commitment(size)
    sealed = SealedDraw(submission=submission, identity=identity, size=size, commitment=commitment)
    record.seal(sealed, NONCE, secret_id(SECRET))
    answers = right_replies(mounted, draw, size)
    readings = {answer: key for answer, (key, final) in answers.items() if not final}
    for page in range(0, len(readings), PAGE):
        record.gate(submission, dict(islice(readings.items(), page, page + PAGE)))
    return list(answers)


def _core_seconds(process: subprocess.Popen[bytes]) -> float:
    return sum(core_seconds_by_program(process.pid).values())


@contextmanager
def _generator(bank: Path) -> Iterator[tuple[str, Record, subprocess.Popen[bytes]]]:
    with TemporaryDirectory(prefix="tetrad-bench-") as folder:
        settings = GeneratorSettings(
            seed_secret=SECRET,
            practice_token=TOKENS["practice"],
            sealed_token=TOKENS["sealed"],
            keys_token=TOKENS["keys"],
            database_url=f"sqlite:///{folder}/generator.sqlite",
            sources_url=f"file://{bank.absolute()}",
            bank="builtin",
            log_level="WARNING",
        )
        record = Record(settings.database_url)
        app, environment = "generator_service.app:create_app", variables(PREFIX, settings)
        try:
            with served(app, environment, workers=os.cpu_count() or 1) as generator:
                yield generator.url, record, generator.process
        finally:
            record.close()
