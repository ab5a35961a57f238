"""The clock of a whole instance jumps an hour forward and back, by libfaketime: nothing is lost, nothing done twice.

TETRAD_SOAK_JUMPS (4) times, with half a minute (TETRAD_SOAK_JUMP_SECONDS) in between: longer than leases of calls. The
clock that nobody can set goes on, as it does on a real machine. Debian and Ubuntu have the library (apt-get install
faketime); without it the test is skipped.
"""

import logging
import os
import shlex
import sys
import sysconfig
import time
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from itertools import cycle, islice
from pathlib import Path

import pytest
from redis import Redis

from tests.answering import open_submission, patiently
from tests.evaluating import COST, KilledEvaluation, answering_after, models_file
from tests.instance import Instance, running
from tests.integration.inference_gateway.upstream import running as running_upstream
from tests.operating import log_of
from tests.soak.submitting import PATIENCE_SECONDS, Submitters
from tests.soak.submitting import SIZE as SUBMITTED
from tetrad.client import Client
from tetrad.commitments import first_broken
from tetrad.contracts.log import LogEntry

TOYS = Path(__file__).parents[1] / "toy_benchmarks"
LIBRARIES = ("/usr/lib/*/faketime/libfaketimeMT.so.1", "/usr/lib/faketime/libfaketimeMT.so.1")
JUMPS = int(os.environ.get("TETRAD_SOAK_JUMPS", "4"))
SECONDS = float(os.environ.get("TETRAD_SOAK_JUMP_SECONDS", "30"))
OFFSETS = (("+1h", 1), ("+0", 0), ("-1h", -1), ("+0", 0))
HOUR = 3600
SIZE, CONCURRENCY, CALL_SECONDS = 400, 4, 1.0

SLEEP = """
import select, time
time.sleep = lambda seconds: select.select([], [], [], seconds) and None
"""
"""Sleep by a call that the library leaves alone: where it shows the real monotonic clock, its own fails with EINVAL."""

log = logging.getLogger(__name__)


class Clock:
    """The clock of all processes that a Python of our own runs, and that they run: it shows the time with an offset."""

    def __init__(self, folder: Path, library: Path) -> None:
        self._offset = folder / "offset"
        self.python = folder / "environment" / "bin" / "python"
        self.python.parent.mkdir(parents=True)
        self.set("+0")
        (self.python.parents[1] / "pyvenv.cfg").symlink_to(Path(sys.prefix) / "pyvenv.cfg")
        packages = Path(sysconfig.get_path("purelib"))
        own = self.python.parents[1] / packages.relative_to(sys.prefix)
        own.mkdir(parents=True)
        (own / "shared.pth").write_text(f"import site; site.addsitedir({str(packages)!r})\n")
        (own / "sitecustomize.py").write_text(SLEEP)
        variables = {
            "LD_PRELOAD": library,
            "FAKETIME_TIMESTAMP_FILE": self._offset,
            "FAKETIME_CACHE_DURATION": 1,
            "FAKETIME_DONT_FAKE_MONOTONIC": 1,
            "NO_FAKE_STAT": 1,
        }
        exports = "".join(f"export {name}={shlex.quote(str(value))}\n" for name, value in variables.items())
        # Services get few variables, but each of their processes starts as this Python does.
        start = f'exec -a "$0" {shlex.quote(str(Path(sys.executable).resolve()))} "$@"\n'
        self.python.write_text(f"#!/bin/bash\n{exports}{start}")
        self.python.chmod(0o755)

    def set(self, offset: str) -> None:
        part = self._offset.with_name("part")
        part.write_text(f"{offset}\n")
        part.rename(self._offset)


@pytest.fixture
def clock(tmp_path: Path) -> Clock:
    found = [path for pattern in LIBRARIES for path in Path("/").glob(pattern[1:])]
    if not found:
        pytest.skip("NO CLOCK JUMPS: libfaketime is not here; `apt-get install faketime` where apt has it")
    return Clock(tmp_path / "clock", found[0])


def hours_ahead(instance: Instance, team: Client) -> tuple[int, int]:
    """Return how far the clocks of its Redis and of its api are ahead of ours."""
    with Redis.from_url(instance.admin_redis_url()) as redis:
        seconds = redis.time()[0]
    opened = patiently(lambda: open_submission(team, "clock", size=1, setting="shade-only"), PATIENCE_SECONDS).opened_at
    now = time.time()
    return round((seconds - now) / HOUR), round((datetime.fromisoformat(opened).timestamp() - now) / HOUR)


def check_submissions(submitters: Submitters, entries: Sequence[LogEntry]) -> None:
    """Each submission was opened once and scored whole."""
    opened = Counter(entry.submission for entry in entries)
    assert set(submitters.acknowledged) <= set(opened)
    assert set(opened.values()) == {1}
    assert first_broken(entries) is None
    assert submitters.lost() == 0
    assert submitters.reports.keys() == submitters.acknowledged.keys()
    assert {report.questions_asked for report in submitters.reports.values()} == {SUBMITTED}


def test_jumps_of_an_hour_lose_and_double_nothing(clock: Clock, tmp_path: Path, bank_folder: Path) -> None:
    with running_upstream() as upstream:
        upstream.otherwise = answering_after(CALL_SECONDS)
        models = models_file(tmp_path, upstream)
        with running(tmp_path / "home", bank_folder, str(TOYS), models_file=models, python=clock.python) as instance:
            submitters = Submitters(instance)
            with instance.team("evaluating") as team, submitters.going_on():
                evaluation = KilledEvaluation(instance, team, upstream, size=SIZE, concurrency=CONCURRENCY)
                for offset, hours in islice(cycle(OFFSETS), JUMPS):
                    clock.set(offset)
                    time.sleep(SECONDS)
                    assert hours_ahead(instance, team) == (hours, hours)
                evaluation.check_end()
                shown = patiently(lambda: team.evaluation(evaluation.id), PATIENCE_SECONDS)
            with instance.client() as anyone:
                entries = log_of(anyone)
    log.warning("%d jumps: %s", JUMPS, submitters.describe())
    assert shown.spent == SIZE * COST
    check_submissions(submitters, entries)
