"""Prove once a change: which benchmarks are proved at full size in a run of the tests, and which were before.

`docs/digests.json` holds for each benchmark a digest of the files that its items and its proof come from. It is written
when all tests of conformance and of the proof have passed at full size on these files. As long as they are the same,
the tests look at few items of each benchmark's first track: what is judged by the numbers of many items
comes out as it did. Where a file is another one, they look at all.

`python -m tests.benchmarks.proved` runs these tests at full size, and writes the digests if they pass.
"""

import hashlib
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import grimp
import pytest

from generator_service import benchmarks
from generator_service.finding import find_benchmarks
from generator_service.proving import __name__ as proving
from generator_service.proving.findings import Sizes
from generator_service.proving.pages import digests, put_digests

ROOT = Path(__file__).parents[2]
KIND = "full size"
TESTS = tuple(f"tests/benchmarks/test_{name}.py" for name in ("conformance", "planted_faults", "proof"))
AT_FULL_SIZE = "TETRAD_PROVE"  # a variable: prove all at full size
LOCK = ROOT / "requirements" / "generator.txt"  # another NumPy may draw other pixels
TEXT = {".md", ".pyc"}

FULL = Sizes(
    items=500,
    pictures=45,
    leaks=700,
    leaky_pictures=300,
    seen=5,
    reached=400,
    probed=500,
    answered=300,
    probed_pictures=60,
    derived=600,
)
PART = Sizes(
    items=60,
    pictures=45,
    leaks=150,
    leaky_pictures=60,
    seen=3,
    reached=60,
    probed=60,
    answered=60,
    probed_pictures=60,
    derived=0,
)
MORE = replace(PART, leaks=250, leaky_pictures=100)  # for leaks that a part does not show
PART_OF_A_PLACE = 60  # items of a track and setting that the properties of conformance are looked for in
PART_OF_A_VALUE = 24  # under each other value of a parameter


def in_the_tree() -> list[str]:
    """Return the names of the benchmarks that are not of the tests."""
    tree = Path(str(benchmarks.__file__)).parent
    return sorted({benchmark.name for benchmark in find_benchmarks() if (tree / benchmark.name).is_dir()})


def is_proved(name: str) -> bool:
    """Tell whether the files of a benchmark in the tree are those that were proved at full size."""
    return AT_FULL_SIZE not in os.environ and digests(KIND).get(name) == digest_of_files(name)


def sizes_of(name: str) -> Sizes:
    return PART if is_proved(name) else FULL


@cache
def digest_of_files(name: str, root: Path = ROOT) -> str:
    """Return SHA-256 over the names and contents of all files that a benchmark's items and its proof come from."""
    hasher = hashlib.sha256()
    for path in covered_files(name):
        content = (root / path).read_bytes()
        hasher.update(f"{path} {hashlib.sha256(content).hexdigest()}\n".encode())
    return hasher.hexdigest()


def covered_files(name: str) -> list[Path]:
    """Return the files of a benchmark's folder, of `proving/`, and of what they import, as paths in the checkout.

    Imports are followed to their end from what serves; from `proving/` and `knowledge.py` one step, for they import
    all that mounts a benchmark.
    """
    graph, package = _import_graph(), f"{benchmarks.__name__}.{name}"
    own = {module for module in graph.modules if module == package or module.startswith(f"{package}.")}
    provers = {module for module in graph.modules if module.startswith(f"{proving}.")}
    known = {module for module in own if module.startswith(f"{package}.knowledge")}
    found = own | provers
    for module in own - known:
        found |= graph.find_upstream_modules(module)
    for module in provers | known:
        found |= graph.find_modules_directly_imported_by(module)
    folder = ROOT / package.replace(".", "/")
    data = {path for path in folder.rglob("*") if path.is_file() and path.suffix not in TEXT}
    return sorted(path.relative_to(ROOT) for path in {*map(_path_of, found), *data, LOCK})


@cache
def _import_graph() -> grimp.ImportGraph:
    return grimp.build_graph("tetrad", "generator_service", cache_dir=None)


def _path_of(module: str) -> Path:
    path = ROOT / module.replace(".", "/")
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def main(arguments: Sequence[str] = ()) -> int:
    """Run the tests at full size, with further arguments for pytest; return its exit status."""
    os.environ[AT_FULL_SIZE] = "1"
    found = {name: digest_of_files(name) for name in in_the_tree()}
    status = pytest.main([*TESTS, *arguments])
    if status == pytest.ExitCode.OK:
        put_digests(KIND, found)
    return int(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
