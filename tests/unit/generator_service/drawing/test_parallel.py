"""Work shared out to processes, and what becomes of them when the one that asked is killed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from generator_service.drawing.parallel import on_all_cores
from tetrad.server.embedded.process_records import started_at

PATIENCE = 60.0


def test_results_come_in_the_order_of_the_tasks_and_each_is_counted() -> None:
    told: list[tuple[int, int]] = []
    found = on_all_cores(abs, [-3, 1, -2], lambda done, total: told.append((done, total)))
    assert found == [3, 1, 2]
    assert told == [(1, 3), (2, 3), (3, 3)]


def _children(pid: int) -> set[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return {int(child) for child in listed.split()}


def _is_alive(pid: int) -> bool:
    """Tell whether it runs: what nobody has waited for after its end is a zombie, and holds nothing."""
    return started_at(pid) is not None


def occupied(_: int) -> int:
    """Work that gives no other thread of its process a turn for a minute or more."""
    Path(os.environ["OCCUPIED"]).touch()
    return sum(range(10**10))


def test_workers_that_give_nothing_a_turn_end_with_the_process_that_asked(tmp_path: Path) -> None:
    program = (
        "from generator_service.drawing.parallel import on_all_cores;"
        "from tests.unit.generator_service.drawing.test_parallel import occupied;"
        "on_all_cores(occupied, [1, 2, 3], print)"
    )
    begun = tmp_path / "begun"
    with subprocess.Popen([sys.executable, "-c", program], env=os.environ | {"OCCUPIED": str(begun)}) as asking:
        end = time.monotonic() + PATIENCE
        while not begun.exists() and time.monotonic() < end:
            time.sleep(0.05)
        workers = {pid for pid in _children(asking.pid) if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()}
        asking.kill()
    assert workers
    try:
        end = time.monotonic() + 5
        while any(map(_is_alive, workers)):
            assert time.monotonic() < end, "workers outlive the process that they worked for"
            time.sleep(0.1)
    finally:
        for pid in filter(_is_alive, workers):
            os.kill(pid, signal.SIGKILL)


def test_the_workers_of_a_build_that_is_killed_end_too(tmp_path: Path) -> None:
    program = (
        "from pathlib import Path; from generator_service.sources.objects import load_bank;"
        f"load_bank(Path({str(tmp_path)!r}), progress=lambda *_: print('drew', flush=True))"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as building:
        assert building.stdout is not None
        assert building.stdout.readline() == "drew\n"
        workers = _children(building.pid)
        building.kill()
    assert workers
    end = time.monotonic() + PATIENCE
    while any(map(_is_alive, workers)):
        assert time.monotonic() < end, "workers outlive the build that they worked for"
        time.sleep(0.1)
