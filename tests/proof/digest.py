"""A digest of just what a benchmark's items depend on, so that a report can be told to be stale.

Code counts by what it does: comments, docstrings and layout don't. Followed are the modules of the benchmark's own
package from the functions that make an item on; of the service, the few files below; of the bank, its digest.
"""

import ast
import importlib.util
from collections.abc import Iterator
from pathlib import Path

import msgspec

from generator_service.benchmark import Benchmark
from generator_service.drawing.sources import meaning_of
from generator_service.registry import Mounted
from tetrad.canonical import hexdigest

SHARED = (
    "generator_service.draws",
    "generator_service.drawing.canvas",
    "generator_service.drawing.fitting",
    "tetrad.streams",
    "tetrad.canonical",
)
# Drawing that only some benchmarks do: followed where they import it.
DRAWING = frozenset(f"generator_service.drawing.{name}" for name in ("exact", "lettering", "outlines2d", "vector"))


def digest_of(mounted: Mounted) -> str:
    """Return SHA-256 over code, bank, and what the card declares: 64 hex digits."""
    code = {name: meaning_of(_code(name)) for name in sorted({*item_modules(mounted.benchmark), *SHARED})}
    card = mounted.benchmark.card
    declared = msgspec.json.encode([card.ceilings, card.chance, card.parameters, card.version])
    return hexdigest("tetrad/proof/1", code, mounted.bank_digest, declared)


def item_modules(benchmark: Benchmark) -> set[str]:
    """Name the modules of the benchmark's package that its items are made by."""
    made_by = (benchmark.strata, benchmark.sample, benchmark.questions, benchmark.next_questions, benchmark.render)
    waiting, found = {part.__module__ for part in made_by}, set[str]()
    package = f"generator_service.benchmarks.{benchmark.name}"
    while waiting:
        name = waiting.pop()
        found.add(name)
        inside = {one for one in _imports(_code(name)) if one.startswith(f"{package}.") or one in DRAWING}
        waiting |= {one for one in inside if _is_module(one)} - found
    return found


def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # a member of a module, which is no package
        return False


def _code(module: str) -> str:
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise LookupError(f"module {module} has no source")
    return Path(spec.origin).read_text("utf-8")


def _imports(code: str) -> Iterator[str]:
    """Yield modules, and names of modules that may be members, that are imported anywhere."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
