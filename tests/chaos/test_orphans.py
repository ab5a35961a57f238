"""kill -9 of a main process while its workers load: they end with it, and whatever comes next finds its place free."""

import time
from pathlib import Path

import pytest

from tests.instance import Instance, running, starting

TOYS = Path(__file__).parents[1] / "toy_benchmarks"
GONE_SECONDS = 5


def test_workers_end_with_a_server_that_is_killed_while_they_load(instance: Instance) -> None:
    for program, seconds in (("generator", 0.0), ("api", 0.0), ("gateway", 0.0), ("api", 0.5), ("generator", 1.0)):
        killed = instance.kill_main(program, seconds, processes=2)
        assert instance.wait_no_strays(GONE_SECONDS) == [], f"of {program}, process {killed}, killed after {seconds} s"
    instance.wait_ready()


@pytest.mark.parametrize("seconds", [1.0, 3.0])
def test_all_end_with_a_supervisor_that_is_killed_while_they_load(
    seconds: float, tmp_path: Path, bank_folder: Path
) -> None:
    with starting(tmp_path / "home", bank_folder, str(TOYS)) as instance:
        if seconds > 1:
            kill_after_first_worker(instance, seconds)
        else:
            time.sleep(seconds)  # while the object bank is prepared
            instance.process.kill()
        instance.process.wait()
        assert instance.wait_no_strays(GONE_SECONDS) == []
    with running(tmp_path / "home", bank_folder, str(TOYS), instance.data_directory.port) as again:
        assert again.strays() == []


def kill_after_first_worker(instance: Instance, seconds: float) -> None:
    end = time.monotonic() + 60
    while len(instance.pids("generator")) < 2 and time.monotonic() < end:
        time.sleep(0.02)
    time.sleep(seconds - 1)
    instance.process.kill()
