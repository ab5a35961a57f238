"""kill -9 at any moment of a process's life, TETRAD_SOAK_KILLS times (100), while teams submit.

Every program is killed a tenth of the times or more, and a quarter of all kills come in the start of a process. No
process stays behind, every start works, no answer that was acknowledged is lost, and every submission that was
finished is scored within 60 s of the service's being ready again. A backup is made meanwhile; what it is restored to
is equal.
"""

import logging
import os
import random
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path

from tests.answering import answer_all, open_submission, wait_scored
from tests.instance import Instance, running, starting
from tests.operating import admin, log_of
from tests.ports import free_port
from tests.soak.submitting import Submitters
from tetrad.client import Client
from tetrad.commitments import first_broken
from tetrad.contracts.leaderboards import Board
from tetrad.contracts.log import LogEntry
from tetrad.contracts.reports import Report

TOYS = Path(__file__).parents[1] / "toy_benchmarks"
KILLS = int(os.environ.get("TETRAD_SOAK_KILLS", "100"))
SEED = int(os.environ.get("TETRAD_SOAK_SEED", "1"))
PROGRAMS = ("generator", "practice", "api", "scoring", "evaluations", "valkey", "gateway", "supervisor")
START_SECONDS = (0.05, 2.0)  # a start takes longer than this
SECONDS = (0.5, 8.0)
GONE_SECONDS = 5
SIZE = 4
LEAST_SHARE, LEAST_IN_A_START = 0.1, 0.24

log = logging.getLogger(__name__)


@dataclass
class Storm:
    """Kills of one home's programs, with the supervisor started again where it was killed.

    `kills`: by program; `in_a_start`: those of them that hit a process that was starting.
    """

    folder: Path
    bank: Path
    rng: random.Random
    port: int = field(default_factory=free_port)
    kills: Counter[str] = field(default_factory=Counter)
    in_a_start: Counter[str] = field(default_factory=Counter)
    _stack: ExitStack = field(default_factory=ExitStack)

    @contextmanager
    def running(self) -> Iterator[Instance]:
        """Start the instance, and stop whichever runs in the end."""
        with self._stack:
            yield self._start()

    def _start(self) -> Instance:
        self.instance = self._stack.enter_context(running(self.folder, self.bank, str(TOYS), self.port))
        return self.instance

    def kill(self, program: str, *, in_a_start: bool) -> None:
        """Kill a program while it serves, and once more while it starts if told so; wait until all is ready."""
        time.sleep(self.rng.uniform(*SECONDS) / 4)
        self.kills[program] += 1
        if program == "supervisor":
            self._kill_supervisor(in_a_start=in_a_start)
        elif in_a_start:
            seconds = self.rng.uniform(*START_SECONDS)
            self.instance.kill_main(program, seconds)
            self._count_in_a_start(program)
        else:
            self.instance.kill(program)
        assert self.instance.wait_no_strays(GONE_SECONDS) == [], program
        self.instance.wait_ready()

    def _kill_supervisor(self, *, in_a_start: bool) -> None:
        kill_alone(self.instance)
        self._stack.close()
        if in_a_start:
            with starting(self.folder, self.bank, str(TOYS), self.port) as instance:
                time.sleep(self.rng.uniform(*SECONDS))
                kill_alone(instance)
            self._count_in_a_start("supervisor")
        self._start()

    def _count_in_a_start(self, program: str) -> None:
        self.kills[program] += 1
        self.in_a_start[program] += 1


def kill_alone(instance: Instance) -> None:
    """Kill a supervisor, and see all that it led end."""
    instance.process.kill()
    instance.process.wait()
    assert instance.wait_no_strays(GONE_SECONDS) == [], "the supervisor was killed"


@dataclass(frozen=True)
class Before:
    """What was there when a backup began."""

    acknowledged: dict[str, set[int]]
    reports: dict[str, Report]
    log: list[LogEntry]
    board: Board


def back_up(instance: Instance, submitters: Submitters, to: Path) -> Before:
    """Make a backup; return what it must hold."""
    with instance.client() as anyone:
        board = anyone.leaderboard("toy", track="toy")
        entries = log_of(anyone)
    reports = dict(submitters.reports)
    before = Before(
        {name: set(items) for name, items in dict(submitters.acknowledged).items()}, reports, entries, board
    )
    admin(instance.data_directory.folder, "backup", str(to), "--with-secrets")
    return before


def check_restored(home: Path, backup: Path, bank: Path, keys: list[str], before: Before) -> None:
    """Restore the backup, start it, and compare it with what was there."""
    admin(home, "restore", str(backup))
    with running(home, bank, str(TOYS)) as again, ExitStack() as stack:
        clients = [stack.enter_context(again.client(key)) for key in keys]
        restored = log_of(clients[0])
        assert first_broken(restored) is None
        assert restored[: len(before.log)] == before.log
        assert clients[0].leaderboard("toy", track="toy") == before.board
        owners = {name: client for client in clients for name in names_of(client)}
        assert {name: owners[name].report(name) for name in before.reports} == before.reports
        for name, items in before.acknowledged.items():
            assert owners[name].submission(name).progress.questions_answered >= len(items)


def names_of(client: Client) -> Iterator[str]:
    cursor = None
    while True:
        page = client.submissions(cursor=cursor)
        yield from (submission.id for submission in page.submissions)
        if (cursor := page.next) is None:
            return


def plan(rng: random.Random) -> list[tuple[str, bool]]:
    """Return which program is killed when, and whether in its start, too: every third time of each."""
    turns = ceil(KILLS / len(PROGRAMS) * 3 / 4)  # a kill in a start follows one of the same program that served
    planned = [(program, turn % 3 == number % 3) for number, program in enumerate(PROGRAMS) for turn in range(turns)]
    rng.shuffle(planned)
    return planned


def test_nobody_stays_behind_and_nothing_is_lost(tmp_path: Path, bank_folder: Path) -> None:
    begun = time.monotonic()
    storm = Storm(tmp_path / "home", bank_folder, random.Random(SEED))
    planned = plan(storm.rng)
    with storm.running() as instance, ThreadPoolExecutor(1) as pool:
        with instance.team("steady") as steady:
            finished = open_submission(steady, "steady", size=SIZE).id
            answer_all(steady, finished)
            wait_scored(steady, finished)
        submitters = Submitters(instance)
        with submitters.going_on():
            for number, (program, in_a_start) in enumerate(planned):
                if number == len(planned) // 2:
                    backup = pool.submit(back_up, storm.instance, submitters, tmp_path / "backup")
                storm.kill(program, in_a_start=in_a_start)
                submitters.ready_at = time.monotonic()
        before = backup.result()
    kills, starts = storm.kills.total(), storm.in_a_start.total()
    log.warning("%d kills in %.0f s: %s", kills, time.monotonic() - begun, dict(storm.kills))
    log.warning("%d in a start; %s; backup of %d reports", starts, submitters.describe(), len(before.reports))
    assert kills >= KILLS
    assert min(storm.kills[program] for program in PROGRAMS) >= int(LEAST_SHARE * KILLS)
    assert starts >= LEAST_IN_A_START * KILLS
    assert submitters.lost() == 0
    assert submitters.reports.keys() == submitters.acknowledged.keys()
    assert before.reports
    check_restored(tmp_path / "restored", tmp_path / "backup", bank_folder, submitters.keys, before)
