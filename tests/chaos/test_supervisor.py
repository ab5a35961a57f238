"""The supervisor killed outright: none of its processes stays behind, and the home starts again with its data."""

import time
from pathlib import Path

from tests.instance import Instance, running

TOYS = Path(__file__).parents[1] / "toy_benchmarks"
PROGRAMS = ("valkey", "generator", "practice", "api", "scoring")


def left_behind(pids: list[int]) -> list[int]:
    return [pid for pid in pids if (Path("/proc") / str(pid)).exists()]


def kill_supervisor(instance: Instance) -> list[int]:
    """Return the processes of the instance that are still there 30 s later."""
    pids = [pid for program in PROGRAMS for pid in instance.pids(program)]
    assert len(pids) >= len(PROGRAMS) + 2, "a server is a process with workers"
    instance.process.kill()
    instance.process.wait()
    end = time.monotonic() + 30
    while left_behind(pids) and time.monotonic() < end:
        time.sleep(0.1)
    return left_behind(pids)


def test_a_killed_supervisor_leaves_nobody_behind_and_the_home_starts_again(tmp_path: Path, bank_folder: Path) -> None:
    with running(tmp_path / "home", bank_folder, str(TOYS)) as instance:
        with instance.team("keepers") as client:
            team = client.team()
            key = str(client._authorization["Authorization"]).removeprefix("Bearer ")
        assert kill_supervisor(instance) == []
    with running(tmp_path / "home", bank_folder, str(TOYS)) as again, again.client(key) as client:
        assert client.team().id == team.id
