"""kill -9 of a main process while its workers load: they end with it, and whatever comes next finds its place free."""

import time
from pathlib import Path

from tests.instance import Instance, running, starting
from tests.ports import free_port

TOYS = Path(__file__).parents[1] / "toy_benchmarks"
GONE_SECONDS = 5
PROGRAMS = ("valkey", "generator", "practice", "api", "scoring")


def test_workers_end_with_a_server_that_is_killed_while_they_load(instance: Instance) -> None:
    for program, seconds in (("generator", 0.0), ("api", 0.0), ("gateway", 0.0), ("api", 0.5), ("generator", 1.0)):
        killed = instance.kill_main(program, seconds, processes=2)
        assert instance.wait_no_strays(GONE_SECONDS) == [], f"of {program}, process {killed}, killed after {seconds} s"
    instance.wait_ready()


def test_all_end_with_a_killed_supervisor_and_the_home_starts_again(tmp_path: Path, bank_folder: Path) -> None:
    """It is killed while the object bank is prepared, while the servers load, and while they serve."""
    home = (tmp_path / "home", bank_folder, str(TOYS), free_port())
    with starting(*home) as instance:
        time.sleep(1)
        kill_supervisor(instance)
    with starting(*home) as instance:
        wait_first_worker(instance)
        time.sleep(2)
        kill_supervisor(instance)
    with running(*home) as instance:
        assert instance.wait_no_strays(GONE_SECONDS) == []
        with instance.team("keepers") as client:
            team = client.team()
            key = str(client._authorization["Authorization"]).removeprefix("Bearer ")
        pids = [pid for program in PROGRAMS for pid in instance.pids(program)]
        assert len(pids) >= len(PROGRAMS) + 2, "a server is a process with workers"
        kill_supervisor(instance)
        assert left_after(GONE_SECONDS, pids) == []
    with running(*home) as again, again.client(key) as client:
        assert again.wait_no_strays(GONE_SECONDS) == []
        assert client.team().id == team.id


def wait_first_worker(instance: Instance) -> None:
    end = time.monotonic() + 60
    while len(instance.pids("generator")) < 2 and time.monotonic() < end:
        time.sleep(0.02)


def kill_supervisor(instance: Instance) -> None:
    instance.process.kill()
    instance.process.wait()
    assert instance.wait_no_strays(GONE_SECONDS) == []


def left_after(seconds: float, pids: list[int]) -> list[int]:
    """Return which of these processes are still there then, and at once when there are none."""
    end = time.monotonic() + seconds
    while (left := [pid for pid in pids if (Path("/proc") / str(pid)).exists()]) and time.monotonic() < end:
        time.sleep(0.1)
    return left
