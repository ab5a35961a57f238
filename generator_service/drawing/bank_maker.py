"""Drawing the bank: what is in it, each object from its own dice, on all cores."""

import hashlib
import multiprocessing
import os
import zlib
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from generator_service.drawing.bank_file import Drawn, digest
from generator_service.drawing.canvas import Picture
from generator_service.drawing.exact import Dice
from generator_service.drawing.kinds import KINDS
from generator_service.drawing.visibility import measure

VERSION = 1
VARIANTS = 64
# The modules whose code the pictures and tables depend on; a change in them makes a new cache.
SOURCES = (
    "bank_file",
    "bank_maker",
    "canvas",
    "exact",
    "mesh",
    "outlines",
    "portrait",
    "rasterize",
    "solids",
    "visibility",
)
_FEW = 16  # objects drawn sooner than processes start
_BY_NAME = {kind.name: kind for kind in KINDS}


@dataclass(frozen=True)
class Plan:
    """What to draw, as (kind, variant), and the key of the cache: it changes with the drawing code."""

    objects: tuple[tuple[str, int], ...]
    key: str


def plan(kinds: int | None, variants: int) -> Plan:
    """Plan the first `kinds` kinds (None: all) in the first `variants` variants each."""
    if not 1 <= variants <= VARIANTS or (kinds is not None and not 1 <= kinds <= len(KINDS)):
        raise ValueError(
            f"kinds must be 1 to {len(KINDS)} and variants 1 to {VARIANTS}, got kinds={kinds}, variants={variants}"
        )
    chosen = [kind.name for kind in KINDS[:kinds]]
    key = digest([str(VERSION), _source(), str(variants), *chosen])
    return Plan(tuple((name, variant) for name in chosen for variant in range(variants)), key[:16])


def draw(kind: str, variant: int) -> Picture:
    """Draw one object, alone: the same pixels as in any bank of this version."""
    seed = int(digest(["tetrad object bank", str(VERSION), kind, str(variant)]), 16)
    return _BY_NAME[kind].draw(Dice(np.random.default_rng(seed)))


def draw_all(planned: Plan, progress: Callable[[int, int], None]) -> list[Drawn]:
    """Draw and measure everything, in order; on all cores where that pays and child processes are allowed."""
    total = len(planned.objects)
    workers = min(len(os.sched_getaffinity(0)), total)
    if total <= _FEW or workers == 1 or multiprocessing.current_process().daemon:
        return _counted(map(_drawn, planned.objects), total, progress)
    # A fresh interpreter a worker: a fork would copy the threads' locks of the server that asks.
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        return _counted(pool.map(_drawn, planned.objects, chunksize=4), total, progress)


def _counted(drawn: Iterable[Drawn], total: int, progress: Callable[[int, int], None]) -> list[Drawn]:
    finished: list[Drawn] = []
    for each in drawn:
        finished.append(each)
        progress(len(finished), total)
    return finished


def _drawn(planned: tuple[str, int]) -> Drawn:
    kind, variant = planned
    picture = draw(kind, variant)
    return Drawn(
        id=f"{kind}-{variant:02}",
        kind=kind,
        variant=variant,
        compressed=zlib.compress(picture.tobytes(), 6),
        pixels=hashlib.sha256(picture.tobytes()).hexdigest(),
        appearance=measure(picture),
    )


def _source() -> str:
    """Hash the code that draws."""
    here = Path(__file__).parent
    files = [here / f"{module}.py" for module in SOURCES] + sorted((here / "kinds").glob("*.py"))
    return digest(part for path in files for part in (path.name, path.read_text()))
