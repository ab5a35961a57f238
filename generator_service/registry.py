"""Finding benchmarks: every folder under `generator_service/benchmarks` that has a BENCHMARK.

A folder may keep older versions beside the newest in `OLDER`, so that draws sealed under them stay answerable.
"""

import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from generator_service import benchmarks
from generator_service.benchmark import Benchmark, Parameters
from generator_service.parameters import resolve
from tetrad.contracts.items import DrawIdentity

NO_BANK = "none"


class RegistryError(Exception):
    """The benchmarks found do not make a registry; the message names the folder and what to change."""


@dataclass(frozen=True)
class Mounted:
    """A benchmark with the object bank it draws from and that bank's digest."""

    benchmark: Benchmark
    bank: Any
    bank_digest: str

    def identity(self, track: str, setting: str, given: Parameters) -> DrawIdentity:
        """Return the identity of a draw from here, parameters that were left out at their defaults.

        Raises:
            IdentityError: an unknown track, setting or parameter, or a value out of its bounds.
        """
        card = self.benchmark.card
        return DrawIdentity(
            benchmark=card.name,
            version=card.version,
            bank=self.bank_digest,
            track=track,
            setting=setting,
            parameters=dict(resolve(card, track, setting, given)),
        )


class Registry:
    """All loaded versions of all benchmarks."""

    def __init__(self, mounted: Iterable[Mounted]) -> None:
        self._by_version: dict[tuple[str, int], Mounted] = {}
        for one in mounted:
            key = (one.benchmark.name, one.benchmark.version)
            if key in self._by_version:
                raise RegistryError(f"{key[0]} version {key[1]} is found twice; give one of them another version")
            self._by_version[key] = one

    def names(self) -> list[str]:
        return sorted({name for name, _ in self._by_version})

    def newest(self, name: str) -> Mounted | None:
        versions = [version for known, version in self._by_version if known == name]
        return self._by_version[name, max(versions)] if versions else None

    def version(self, name: str, version: int) -> Mounted | None:
        return self._by_version.get((name, version))

    def all(self) -> list[Mounted]:
        return [self._by_version[key] for key in sorted(self._by_version)]


def find_benchmarks(folders: Sequence[Path] = ()) -> Iterator[Benchmark]:
    """Yield every benchmark of our own folder and of `folders`, older versions included.

    Raises:
        RegistryError: a folder has no BENCHMARK, or what it has is none.
    """
    for folder in folders:
        if str(folder) not in benchmarks.__path__:
            benchmarks.__path__.append(str(folder))
    for module in pkgutil.iter_modules(benchmarks.__path__):
        if module.ispkg:
            yield from _versions(module.name)


def mount(found: Iterable[Benchmark], bank_folder: Path, corpora: Iterable[Mounted] = ()) -> Registry:
    """Load each benchmark's object bank (built on first use) and return the registry, mounted corpora beside them."""
    return Registry([*(_mounted(benchmark, bank_folder) for benchmark in found), *corpora])


def _versions(name: str) -> list[Benchmark]:
    module = importlib.import_module(f"{benchmarks.__name__}.{name}")
    older: Mapping[int, Benchmark] = getattr(module, "OLDER", {})
    versions = [getattr(module, "BENCHMARK", None), *older.values()]
    if not all(isinstance(one, Benchmark) and one.name == name for one in versions):
        raise RegistryError(f"benchmarks/{name}: __init__.py must define BENCHMARK, a Benchmark named {name!r}")
    return [one for one in versions if one is not None]


def _mounted(benchmark: Benchmark, folder: Path) -> Mounted:
    if benchmark.load_bank is None:
        return Mounted(benchmark, None, NO_BANK)
    bank = benchmark.load_bank(folder)
    return Mounted(benchmark, bank, bank.digest)
