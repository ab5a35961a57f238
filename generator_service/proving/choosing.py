"""Options of this folder's commands: the benchmarks, their folders, and the store of sources.

Conformance, golden files, proof and gallery take the same names and options. They refuse unknown names, so that nothing
passes without being checked.
"""

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from generator_service.benchmark import Benchmark
from generator_service.finding import RegistryError, benchmark_folders, named_benchmarks
from generator_service.mounting import Mounted
from generator_service.registry import Registry, mount
from generator_service.sources.serving import ServedSources
from generator_service.sources.store import SourceError, of_folder

SOURCES = Path(__file__).parents[2] / "var" / "sources"


def sources_folder() -> Path:
    """Return the folder of the store of sources: $TETRAD_SOURCES, or var/sources of this checkout."""
    return Path(os.environ.get("TETRAD_SOURCES") or SOURCES)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options that choose benchmarks, folders to look for them in, and the store that they draw from."""
    parser.add_argument("benchmark", nargs="*", help="only these benchmarks; all by default")
    parser.add_argument(
        "--folder",
        type=Path,
        action="append",
        default=[],
        help="a further folder of benchmarks; repeatable ($TETRAD_BENCHMARK_FOLDERS, joined by colons)",
    )
    parser.add_argument(
        "--bank", type=Path, default=sources_folder(), help="the folder of the store of sources ($TETRAD_SOURCES)"
    )


@dataclass(frozen=True)
class Chosen:
    """The benchmarks that a command was asked for, and the sources that they draw from here."""

    benchmarks: list[Benchmark]
    registry: Registry
    sources: ServedSources

    def mounted_benchmarks(self) -> Iterator[Mounted]:
        """Yield those that can be drawn from on some track."""
        for mounted in self.registry.all():
            if len(mounted.lacking) < len(mounted.benchmark.card.tracks):
                yield mounted

    def newest(self) -> Iterator[Mounted]:
        """Yield those that can be drawn from, without the older versions that a benchmark keeps for open draws."""
        for mounted in self.mounted_benchmarks():
            if mounted is self.registry.newest(mounted.benchmark.name):
                yield mounted

    def unserved_tracks(self) -> Iterator[tuple[Benchmark, str, str]]:
        """Yield each benchmark and track that can't be drawn from here, with what is lacking and the remedy.

        A track whose sources only an operator brings is left out where they are not mounted.
        """
        for benchmark in self.benchmarks:
            served = self.registry.version(benchmark.name, benchmark.version)
            here = () if served is None else [track.name for track in served.benchmark.card.tracks]
            if served is None and benchmark.bound:
                yield benchmark, "all", f"the store has not the sources that it is bound to: {_bound(benchmark)}"
                continue
            brought = {track.name for track in benchmark.card.tracks if track.name in benchmark.brought_tracks}
            for track in benchmark.card.tracks:
                if track.name in brought and track.name not in here:
                    continue
                if served is not None and track.name in served.lacking:
                    yield benchmark, track.name, served.lacking[track.name]
                elif track.name not in here:
                    kinds = [kind for kind in benchmark.kinds_of(track.name) if self.sources.default(kind) is None]
                    remedy = "; ".join(f"tetrad source add {kind} PATH --name NAME" for kind in kinds)
                    yield benchmark, track.name, f"there is no source of the kind {', '.join(kinds)}; add one: {remedy}"


def _bound(benchmark: Benchmark) -> str:
    return ", ".join(f"{kind} {digest[:12]}" for kind, digest in benchmark.bound.items())


def choose(given: Namespace) -> Chosen:
    """Return the benchmarks and sources that the arguments name.

    Raises:
        RegistryError: there is no such benchmark or folder, or the store lacks what is named.
    """
    benchmarks = named_benchmarks(given.benchmark, benchmark_folders(os.environ, given.folder))
    try:
        store = of_folder(given.bank)
        return Chosen(benchmarks, mount(benchmarks, store), ServedSources(store))
    except SourceError as error:
        raise RegistryError(str(error)) from error
