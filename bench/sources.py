"""Sources of photographs at the size of imSitu: added, killed, resumed, and a process started that serves them."""

import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bench.measuring import Bench, Line
from tests.photographs import write_tar

FILES = 126_000
MOST_MIB = 500
MOST_SECONDS = 5.0
KILLED_AFTER = 20  # packs
GLIMPSE = Path(__file__).parents[1] / "tests" / "source_benchmarks"
SERVED = """
import sys, time
started = time.perf_counter()
from pathlib import Path
from generator_service.draws import Draw
from generator_service.items import make_item
from generator_service.finding import find_benchmarks
from generator_service.registry import mount
from generator_service.sources.store import open_sources
found = [benchmark for benchmark in find_benchmarks([Path(sys.argv[2])]) if benchmark.name == "glimpse"]
mounted = mount(found, open_sources(sys.argv[1])).newest("glimpse")
item = make_item(mounted, Draw(mounted.benchmark, mounted.identity("photographs", "full", {}), "7"), 0)
mounted.benchmark.render(mounted.bank, item.scene, "1")
print(time.perf_counter() - started)
"""


def sources(bench: Bench) -> Iterator[Line]:
    """Add 126,000 JPEG files of 20 KB from a tar, killed once, and start a process that serves them."""
    with tempfile.TemporaryDirectory(prefix="tetrad-bench-sources-") as folder:
        archive = write_tar(Path(folder) / "photographs.tar", FILES)
        store = Path(folder) / "sources"
        started = time.perf_counter()
        first = _start(archive, store)
        while len(list(store.glob("adding/photographs/bench/*"))) < KILLED_AFTER:
            if first.poll() is not None:
                raise RuntimeError("the addition ended before it could be killed; see above")
            time.sleep(0.05)
        first.send_signal(signal.SIGKILL)
        first.wait()
        again = _start(archive, store)
        peak = 0.0
        while again.poll() is None:
            peak = max(peak, memory_of(again.pid))
            time.sleep(0.1)
        seconds = time.perf_counter() - started
        said = msgspec.json.decode(again.communicate()[0])
        yield Line(
            name=f"{FILES} photographs added", value=f"{seconds:.0f} s", ratio=f"{said['resumed']} done before the kill"
        )
        yield Line(
            name="memory of it, workers included", value=f"{peak:.0f} MiB", aim=f"< {MOST_MIB} MiB", met=peak < MOST_MIB
        )
        both = f"file://{store},file://{bench.bank.resolve()}"
        serve = [sys.executable, "-c", SERVED, both, str(GLIMPSE)]
        served = subprocess.run(serve, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603 -- our own
        taken = float(served.stdout)
        yield Line(
            name="a process that serves them starts",
            value=f"{taken:.2f} s",
            ratio="with a first picture",
            aim=f"< {MOST_SECONDS:.0f} s",
            met=taken < MOST_SECONDS,
        )


def _start(archive: Path, store: Path) -> subprocess.Popen[bytes]:
    words = ["add", "photographs", str(archive), "--name", "bench", "--store", f"file://{store}"]
    command = [sys.executable, "-m", "generator_service.commands", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE)  # noqa: S603 -- our own


def memory_of(pid: int) -> float:
    """Return the MiB that a process and its children hold now."""
    total = 0.0
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdecimal():
                words = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(entry.name) == pid or int(words[1]) == pid:
                    total += int(words[21]) * 4096 / 2**20
        except (OSError, IndexError):
            continue
    return total
