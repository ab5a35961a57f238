"""Measures in interleaved rounds, with medians and ratios within one run. Machines are shared and noisy."""

import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from generator_service.draws import Draw
from generator_service.finding import find_benchmarks
from generator_service.mounting import Mounted
from generator_service.registry import mount
from generator_service.sources.objects import BUILTIN, OBJECTS
from generator_service.sources.store import open_sources
from tests.instance import Instance, running

ROOT = Path(__file__).parents[1]
BENCHMARK = TRACK = "kiva"
SHARED = "TETRAD_SHARED_SOURCES"
"""The variable with a further store, of sources that var/sources lacks."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of the table; `met` is None where there is no aim."""

    name: str
    value: str
    ratio: str = ""
    aim: str = ""
    met: bool | None = None


@dataclass(frozen=True, kw_only=True)
class Scale:
    """The sizes of all measurements; those of a smoke test are small."""

    rounds: int = 5
    trials: int = 60
    keys: int = 4000
    answers: int = 100_000
    submission: int = 1000
    requests: int = 1500
    scored: int = 50_000
    listeners: int = 10_000
    images: int = 96
    calls: int = 1000
    many_calls: int = 20_000
    large: int = 6000
    beside: int = 300  # submissions of a team beside readers
    idle_seconds: float = 8.0
    fetched: int = 200
    ordered: int = 4000  # items of a data set
    step: int = 512  # rows of a training step
    evaluated: int = 250
    staged: int = 250  # items of a submission by default
    concurrency: int = 32
    latency_seconds: float = 1.0
    photographs: int = 10_000
    hostile: int = 10_000  # replies of the largest size
    teams: int = 1000  # of a database at size
    tabled: int = 768  # photographs whose tables are made: each takes as long as another


@dataclass(kw_only=True)
class Bench:
    """The bank and one instance, shared by all rows. The instance starts when first asked for and stops at the end.

    A `running` one is used instead, and goes on: its figures hold what it has done before.
    """

    scale: Scale
    bank: Path = ROOT / "var" / "sources"
    running: Instance | None = None
    _open: ExitStack = field(default_factory=ExitStack)
    _mounted: dict[str, Mounted] = field(default_factory=dict)

    def close(self) -> None:
        self._open.close()

    @property
    def instance(self) -> Instance:
        if self.running is None:
            self._tell_of_bank()
            tell("starting an instance")
            folder = self._open.enter_context(TemporaryDirectory(prefix="tetrad-bench-"))
            self.running = self._open.enter_context(
                running(Path(folder) / "home", self.bank, more_sources=os.environ.get(SHARED, ""))
            )
        return self.running

    @property
    def mounted(self) -> Mounted:
        return self.of(BENCHMARK)

    def of(self, name: str) -> Mounted:
        """Return a benchmark with its bank, loaded once.

        Raises:
            LookupError: there is none of this name.
        """
        if name not in self._mounted:
            self._tell_of_bank()
            named = (benchmark for benchmark in find_benchmarks() if benchmark.name == name)
            stores = [f"file://{self.bank.absolute()}", *filter(None, [os.environ.get(SHARED, "")])]
            found = mount(named, open_sources(",".join(stores)), BUILTIN).newest(name)
            if found is None:
                raise LookupError(f"benchmark {name} is not there")
            self._mounted[name] = found
        return self._mounted[name]

    def _tell_of_bank(self) -> None:
        if not (self.bank / "heads" / OBJECTS / BUILTIN).is_dir():
            tell(f"drawing the built-in objects into {self.bank}: once, for some minutes (`make banks` does it, too)")

    def draw(self, seed: str, track: str = TRACK) -> Draw:
        return Draw(self.mounted.benchmark, self.mounted.identity(track, "full", {}), seed)


def tell(what: str) -> None:
    """Say on stderr what is under way, with the load of the machine: what takes long does not do so in silence."""
    sys.stderr.write(f"bench: {what} ({load()})\n")
    sys.stderr.flush()


def load() -> str:
    return f"load {os.getloadavg()[0]:.1f}"


def core_seconds(do: Callable[[], object]) -> float:
    """Time work of one thread by the processor time it takes, so that other processes count less."""
    begun = time.process_time()
    do()
    return time.process_time() - begun


def interleave(
    rounds: int, *works: Callable[[int], object], clock: Callable[[], float] = time.perf_counter
) -> list[list[float]]:
    """Time each work once a round, in turn, handing in the round's number; return each one's seconds by round."""
    taken: list[list[float]] = [[] for _ in works]
    for turn in range(rounds):
        for at, work in enumerate(works):
            begun = clock()
            work(turn)
            taken[at].append(clock() - begun)
    return taken


def median_ratio(over: Sequence[float], under: Sequence[float]) -> float:
    return median(a / b for a, b in zip(over, under, strict=True))
