"""Finding benchmarks: every folder under `generator_service/benchmarks` that has a BENCHMARK.

A folder may keep older versions beside the newest in `OLDER`, so that draws sealed under them stay answerable. So may
the banks' folder keep banks that are no longer served: each is opened when a draw that needs it is met.
"""

import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from generator_service import benchmarks
from generator_service.banks.shelf import Shelf
from generator_service.benchmark import Benchmark, Parameters
from generator_service.drawing.bank import NAME as BUILTIN
from generator_service.drawing.bank import ObjectBank
from generator_service.parameters import resolve
from tetrad.contracts.items import DrawIdentity

NO_BANK = "none"


class RegistryError(Exception):
    """The benchmarks found do not make a registry; the message names the folder and what to change."""


@dataclass(frozen=True)
class Mounted:
    """A benchmark with the object bank it draws from, as it prepared it, that bank's digest, name and credits."""

    benchmark: Benchmark
    bank: Any
    bank_digest: str
    bank_name: str = NO_BANK
    bank_credits: tuple[str, ...] = ()

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
    """All loaded versions of all benchmarks, each with the bank that is served, and the shelf of those that were."""

    def __init__(self, mounted: Iterable[Mounted], shelf: Shelf | None = None) -> None:
        self._by_version: dict[tuple[str, int], Mounted] = {}
        self._shelf = shelf
        self._kept: dict[tuple[str, int, str], Mounted] = {}
        self._opening = Lock()
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

    def of(self, name: str, version: int, bank_digest: str) -> Mounted | None:
        """Return the version with the bank of this digest, the served one or one that the shelf keeps."""
        served = self.version(name, version)
        if served is None or served.bank_digest == bank_digest:
            return served
        key = (name, version, bank_digest)
        with self._opening:
            if key not in self._kept and (kept := self._from_shelf(served.benchmark, bank_digest)) is not None:
                self._kept[key] = kept
        return self._kept.get(key)

    def all(self) -> list[Mounted]:
        return [self._by_version[key] for key in sorted(self._by_version)]

    def _from_shelf(self, benchmark: Benchmark, bank_digest: str) -> Mounted | None:
        if self._shelf is None or benchmark.prepare_bank is None or bank_digest == NO_BANK:
            return None
        bank = self._shelf.find(bank_digest)
        return None if bank is None else _mounted(benchmark, bank, self._shelf.folder)


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


def mount(
    found: Iterable[Benchmark], bank_folder: Path, bank: str = BUILTIN, corpora: Iterable[Mounted] = ()
) -> Registry:
    """Open the bank of this name for all benchmarks that draw from one; "" is household where it is, builtin else.

    Mounted corpora stand beside them.

    Raises:
        BankMissing: the folder has no bank of this name.
    """
    shelf = Shelf(bank_folder)
    every = list(found)
    needed = any(benchmark.prepare_bank is not None for benchmark in every)
    objects = shelf.open(shelf.served(bank)) if needed else None
    return Registry([*(_mounted(benchmark, objects, bank_folder) for benchmark in every), *corpora], shelf)


def _versions(name: str) -> list[Benchmark]:
    module = importlib.import_module(f"{benchmarks.__name__}.{name}")
    older: Mapping[int, Benchmark] = getattr(module, "OLDER", {})
    versions = [getattr(module, "BENCHMARK", None), *older.values()]
    if not all(isinstance(one, Benchmark) and one.name == name for one in versions):
        raise RegistryError(f"benchmarks/{name}: __init__.py must define BENCHMARK, a Benchmark named {name!r}")
    return [one for one in versions if one is not None]


def _mounted(benchmark: Benchmark, bank: ObjectBank | None, bank_folder: Path) -> Mounted:
    if benchmark.own_bank is not None:
        own = benchmark.own_bank(bank_folder)
        return Mounted(benchmark, own, own.digest, own.name)
    if benchmark.prepare_bank is None or bank is None:
        return Mounted(benchmark, None, NO_BANK)
    return Mounted(benchmark, benchmark.prepare_bank(bank), bank.digest, bank.name, bank.credits)
