"""Find benchmarks: every folder under `generator_service/benchmarks` that has a BENCHMARK.

A folder may keep older versions beside the newest in `OLDER`, so that draws sealed under them stay answerable.
"""

import importlib
import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType

from generator_service import benchmarks
from generator_service.benchmark import Benchmark

FOLDER_VARIABLES = ("TETRAD_BENCHMARK_FOLDERS", "TETRAD_GENERATOR_BENCHMARK_FOLDERS")


class RegistryError(Exception):
    """The benchmarks found do not make a registry; the message names the folder and what to change."""


def benchmark_folders(environ: Mapping[str, str], given: Sequence[Path] = ()) -> list[Path]:
    """Return the further folders of benchmarks: those given, and those that the two variables name, joined by colons.

    Every command and `make up` use TETRAD_BENCHMARK_FOLDERS. A generator in a container uses
    TETRAD_GENERATOR_BENCHMARK_FOLDERS.

    Raises:
        RegistryError: one is not a folder of benchmarks.
    """
    named = [text for name in FOLDER_VARIABLES for text in environ.get(name, "").split(":") if text]
    folders = list(dict.fromkeys(path.absolute() for path in (*given, *map(Path, named))))
    for folder in folders:
        if not folder.is_dir():
            raise RegistryError(f"{folder} is not a folder: name one that holds folders of benchmarks")
        if (folder / "__init__.py").exists():
            raise RegistryError(f"{folder} is a benchmark itself: name the folder around it, {folder.parent}")
        if not any(path.parent.parent == folder for path in folder.glob("*/__init__.py")):
            raise RegistryError(f"{folder} holds no benchmark: a benchmark is a folder in it with an __init__.py")
    return folders


def named_benchmarks(names: Sequence[str], folders: Sequence[Path]) -> list[Benchmark]:
    """Return all versions of the benchmarks of these names, or of all benchmarks where no name is given.

    A draft is returned only where it is named.

    Raises:
        RegistryError: there is no benchmark of a name. The message lists the names that there are.
    """
    every = list(find_benchmarks(folders))
    folders_found = {module.name for module in pkgutil.iter_modules(benchmarks.__path__) if module.ispkg}
    every += [draft for name in dict.fromkeys(names) if name in folders_found and (draft := _draft(name)) is not None]
    known = sorted({benchmark.name for benchmark in every})
    if unknown := [name for name in names if name not in known]:
        where, there = ", ".join(dict.fromkeys(map(str, benchmarks.__path__))), ", ".join(known) or "none"
        raise RegistryError(f"there is no benchmark {', '.join(unknown)} in {where}; there are: {there}")
    return [benchmark for benchmark in every if not names or benchmark.name in names]


def find_benchmarks(folders: Sequence[Path] = ()) -> Iterator[Benchmark]:
    """Yield every benchmark of our own folder and of `folders`, older versions included.

    A folder with a DRAFT and no BENCHMARK is left out: it is being written.

    Raises:
        RegistryError: a folder has no BENCHMARK, or its BENCHMARK is not a Benchmark.
    """
    for folder in folders:
        if str(folder) not in benchmarks.__path__:
            benchmarks.__path__.append(str(folder))
    for module in pkgutil.iter_modules(benchmarks.__path__):
        if module.ispkg:
            yield from _versions(module.name)


def _import_folder(name: str) -> ModuleType:
    try:
        return importlib.import_module(f"{benchmarks.__name__}.{name}")
    except Exception as error:
        raise RegistryError(f"benchmarks/{name}: can't be imported: {type(error).__name__}: {error}") from error


def _draft(name: str) -> Benchmark | None:
    """Return the DRAFT of a folder that has no BENCHMARK."""
    module = _import_folder(name)
    if hasattr(module, "BENCHMARK") or not hasattr(module, "DRAFT"):
        return None
    draft = module.DRAFT
    if not isinstance(draft, Benchmark) or draft.name != name:
        raise RegistryError(f"benchmarks/{name}: DRAFT in __init__.py must be a Benchmark named {name!r}")
    return draft


def _versions(name: str) -> list[Benchmark]:
    module = _import_folder(name)
    if hasattr(module, "DRAFT") and not hasattr(module, "BENCHMARK"):
        return []
    older: Mapping[int, Benchmark] = getattr(module, "OLDER", {})
    versions = [getattr(module, "BENCHMARK", None), *older.values()]
    if not all(isinstance(version, Benchmark) and version.name == name for version in versions):
        raise RegistryError(f"benchmarks/{name}: __init__.py must define BENCHMARK, a Benchmark named {name!r}")
    return [version for version in versions if version is not None]
