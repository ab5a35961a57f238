"""Work shared out to processes, and what becomes of them when the one that asked is killed."""

import subprocess
import sys
import time
from pathlib import Path

from generator_service.drawing.parallel import on_all_cores

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
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in {"Z", "X"}
    except (FileNotFoundError, ProcessLookupError):
        return False


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
