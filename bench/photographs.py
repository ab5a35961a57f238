"""A large source of photographs, added in bounded memory; and tables of a smaller one, killed half-way and resumed.

The tables of each photograph take as long as those of another, and are made batch by batch: time and memory scale with
the rows, and an hour of all 10,000 shows no more than some minutes of 768.
"""

import io
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
from PIL import Image

from bench.measuring import Bench, Line, tell
from bench.sources import memory_of
from generator_service.benchmarks.visanalog.mining import JOB, list_asked, look, programs_told
from generator_service.mining.jobs import BATCH
from tests.benchmarks.visanalog.photographs import painted

MOST_MIB, MOST_SECONDS = 500, 1.0
FEW = 4
TOLD_SECONDS = 30.0  # between two lines that say what is under way


def photographs(bench: Bench) -> Iterator[Line]:
    """Add drawn photographs from a tar; mine some, kill that when half of the first stage is done, and go on."""
    count, tabled = bench.scale.photographs, bench.scale.tabled
    with tempfile.TemporaryDirectory(prefix="tetrad-bench-photographs-") as folder:
        store = Path(folder) / "sources"
        archive = _archive(Path(folder) / "photographs.tar", count)
        added = _Followed("add", "photographs", str(archive), "--name", "large", "--access", "public", store=store)
        added.watch_to_end()
        yield Line(
            name=f"memory to add {count:,} photographs, workers included",
            value=f"{added.peak:.0f} MiB",
            ratio=f"{added.seconds:.0f} s",
            aim=f"< {MOST_MIB} MiB",
            met=added.peak < MOST_MIB,
        )
        archive = _archive(Path(folder) / "fewer.tar", tabled)
        _Followed(
            "add", "photographs", str(archive), "--name", "tabled", "--access", "public", store=store
        ).watch_to_end()
        half = max(1, tabled // BATCH // 2)
        first = _Followed("mine", "photographs:tabled", JOB.name, store=store)
        first.followed_until(lambda: len(list(store.glob("mining/*/*"))) >= half)
        first.kill()
        second = _Followed("mine", "photographs:tabled", JOB.name, store=store)
        stages = second.watch_to_end()
        seconds = first.seconds + second.seconds
        yield Line(
            name=f"tables of {tabled:,} photographs, killed half-way",
            value=f"{seconds:.0f} s",
            ratio=f"{stages[0]['resumed']:,} of {stages[0]['rows_in']:,} rows of the first stage done before; "
            f"{count:,} would take {seconds * count / tabled / 60:.0f} minutes",
        )
        core = _core_seconds_of_one()
        yield Line(
            name="tables of one photograph",
            value=f"{core:.2f} core s",
            ratio="programs told apart, its look, what can be asked",
            aim=f"{MOST_SECONDS:.0f} core s or less",
            met=core <= MOST_SECONDS,
        )
        peak = max(first.peak, second.peak)
        yield Line(
            name="memory of it, workers included",
            value=f"{peak:.0f} MiB",
            aim=f"< {MOST_MIB} MiB",
            met=peak < MOST_MIB,
        )


class _Followed:
    """A command of sources at work, with the most memory that it held and the seconds that it took."""

    def __init__(self, *words: str, store: Path) -> None:
        command = [sys.executable, "-m", "generator_service.commands", *words, "--store", f"file://{store}"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE)  # noqa: S603 -- our own
        self._begun = self._told = time.perf_counter()
        self._title = " ".join(words[:2])
        self.peak = self.seconds = 0.0

    def followed_until(self, is_reached: Callable[[], bool]) -> None:
        """Watch it until something is reached.

        Raises:
            RuntimeError: it ended before.
        """
        while not is_reached():
            if self._process.poll() is not None:
                raise RuntimeError("the command ended before it could be killed; see above")
            self._look()

    def kill(self) -> None:
        """Kill it as a power cut would."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self.seconds = time.perf_counter() - self._begun

    def watch_to_end(self) -> list[dict[str, int]]:
        """Watch it to its end, and return what it printed."""
        while self._process.poll() is None:
            self._look()
        self.seconds = time.perf_counter() - self._begun
        if self._process.returncode:
            raise RuntimeError("the command failed; see above")
        found = msgspec.json.decode(self._process.communicate()[0])
        return found if isinstance(found, list) else [found]

    def _look(self) -> None:
        self.peak = max(self.peak, memory_of(self._process.pid))
        if time.perf_counter() - self._told > TOLD_SECONDS:
            self._told = time.perf_counter()
            tell(f"{self._title}: under way for {self._told - self._begun:.0f} s, {self.peak:.0f} MiB at most")
        time.sleep(0.1)


def _core_seconds_of_one() -> float:
    """Return the processor time that the stages take for a photograph, in this process."""
    begun = time.process_time()
    for number in range(FEW):
        file = f"seen_{number}.jpg", _jpeg(number)
        programs_told(file)
        list_asked((file[0], {**look(file), "things": []}))
    return (time.process_time() - begun) / FEW


def _jpeg(number: int) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(painted(number)).convert("RGB").save(buffer, "JPEG", quality=90)
    return buffer.getvalue()


def _archive(path: Path, count: int) -> Path:
    with tarfile.open(path, "w") as archive:
        for number in range(count):
            body = _jpeg(number)
            member = tarfile.TarInfo(f"seen_{number:06d}.jpg")
            member.size = len(body)
            archive.addfile(member, io.BytesIO(body))
    return path
