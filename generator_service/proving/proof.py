"""Prove one benchmark in a few processes, and write its report."""

import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path

from generator_service.proving.cases import Variant, reached_from, variants_of
from generator_service.proving.findings import (
    Finding,
    Sizes,
    caught,
    leak_findings,
    mounted_of,
    reached_findings,
    seeing_findings,
    variant_findings,
)
from generator_service.proving.golden import golden_of, made_golden
from generator_service.proving.knowledge import knowledge_of
from generator_service.proving.report import GOOD, path_of, written
from generator_service.registry import Mounted

ROOT = Path(__file__).parents[2]
BANK = Path(os.environ.get("TETRAD_SOURCES", ROOT / "var" / "sources"))


def prove(name: str, sizes: Sizes, processes: int) -> bool:
    """Write the report of one benchmark; return whether everything holds."""
    begun = time.monotonic()
    mounted = mounted_of(name, BANK)
    golden = made_golden(mounted)
    if golden != golden_of(mounted.benchmark):
        raise ValueError(f"{name}: its items are not those of golden.json: run `make golden` first")
    variants = variants_of(mounted.benchmark.card)
    jobs: list[Callable[[], list[Finding]]] = [
        *(partial(_blind, name, variant, sizes, 1 / len(variants)) for variant in variants),
        *(partial(_seeing, name, variant, sizes) for variant in variants),
    ]
    reached = [one for variant in variants for one in reached_from(mounted.benchmark.card, variant)]
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        waiting = [pool.submit(job) for job in jobs]
        leaky = pool.submit(_leaky, name, sizes)
        looked = [pool.submit(_reached, name, variant, sizes, 1 / len(reached)) for variant in reached]
        further = pool.submit(_section, name, sizes)
        held = [one for job in waiting for one in job.result()]
        leaks = [caught(one) for one in leaky.result()]
        elsewhere = [one for job in looked for one in job.result()]
        section = further.result()
    path_of(name).parent.mkdir(parents=True, exist_ok=True)
    path_of(name).write_text(
        written(mounted, golden.digest, held, leaks, elsewhere=elsewhere, section=section), "utf-8"
    )
    bad = [one for one in [*held, *leaks, *elsewhere] if one.verdict not in GOOD]
    _say(f"{name}: {len(held)} checks, {len(leaks)} leaks, {time.monotonic() - begun:.0f} s: {path_of(name)}")
    for one in bad:
        _say(f"  {one.verdict}: {one.part}: {one.solver} ({one.sees}) on {one.cell}: {one.score}")
    return not bad


@cache
def _mounted(name: str) -> Mounted:
    """Open the bank once in a process, not for each of its jobs."""
    return mounted_of(name, BANK)


def _blind(name: str, variant: Variant, sizes: Sizes, share: float) -> list[Finding]:
    return variant_findings(_mounted(name), variant, sizes, share=share)


def _seeing(name: str, variant: Variant, sizes: Sizes) -> list[Finding]:
    return seeing_findings(_mounted(name), variant, sizes)


def _reached(name: str, variant: Variant, sizes: Sizes, share: float) -> list[Finding]:
    return reached_findings(_mounted(name), variant, sizes.reached, share=share)


def _leaky(name: str, sizes: Sizes) -> list[Finding]:
    return leak_findings(_mounted(name), sizes)


def _section(name: str, sizes: Sizes) -> str:
    section = knowledge_of(name).section
    return "" if section is None else section(sizes.items)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
