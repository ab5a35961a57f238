"""Prove one benchmark in a few processes, and write its report."""

import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TypeVar

from generator_service.drawing.parallel import spawned_pool
from generator_service.mounting import Mounted
from generator_service.proving.cases import Variant, reached_from, variants_of
from generator_service.proving.findings import (
    Finding,
    Sizes,
    derived_findings,
    judge_leak,
    leak_findings,
    low_level_findings,
    mounted_of,
    probe_findings,
    reached_findings,
    seeing_findings,
    variant_findings,
)
from generator_service.proving.golden import golden_of, made_golden
from generator_service.proving.knowledge import knowledge_of
from generator_service.proving.low_level import variants_with_bars
from generator_service.proving.report import FOLDER, GOOD, PAGE, page_rows, write_report

R = TypeVar("R")


@dataclass(frozen=True)
class Proved:
    """The benchmark, its store of sources and further folders, by name. Each process opens them itself."""

    name: str
    bank: Path
    folders: tuple[Path, ...] = ()


def prove(
    name: str, sizes: Sizes, processes: int, *, bank: Path, out: Path | None = None, folders: Sequence[Path] = ()
) -> bool:
    """Write the report of one benchmark into the folder `out`; return whether everything holds.

    Without `out` it goes to `var/proof`, and the benchmark's rows to docs/proof.md.
    """
    begun = time.monotonic()
    proved = Proved(name, bank, tuple(folders))
    mounted = _mount_proved(proved)
    golden = made_golden(mounted)
    if golden != golden_of(mounted.benchmark):
        raise ValueError(f"{name}: its items are not those of golden.json: run `make golden` first")
    held, leaks, elsewhere, section = _check(proved, mounted, sizes, processes, begun)
    path = (out or FOLDER) / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(write_report(mounted, held, leaks, elsewhere=elsewhere, section=section), "utf-8")
    if out is None:
        PAGE.put(page_rows(mounted, sizes, held, leaks, elsewhere), {name: golden.digest})
    bad = [finding for finding in [*held, *leaks, *elsewhere] if finding.verdict not in GOOD]
    _say(f"{name}: {len(held)} checks, {len(leaks)} leaks, {time.monotonic() - begun:.0f} s: {path}")
    for finding in bad:
        _say(
            f"  {finding.verdict}: {finding.part}: {finding.solver} ({finding.sees}) on {finding.cell}: {finding.score}"
        )
    return not bad


def _check(
    proved: Proved, mounted: Mounted, sizes: Sizes, processes: int, begun: float
) -> tuple[list[Finding], list[Finding], list[Finding], str]:
    """Run all jobs of a proof beside one another.

    Returns the findings that must hold, those of the leaky twins, those under other parameters, and the text of the
    benchmark's own section.
    """
    variants = variants_of(mounted.benchmark.card)
    barred = list(variants_with_bars(mounted.benchmark.card))
    reached = [further for variant in variants for further in reached_from(mounted.benchmark.card, variant)]
    share = 1 / len(variants)
    with spawned_pool(processes) as pool:

        def submit(step: str, job: Callable[[], R]) -> Future[R]:
            """Run the job, and say when it is done: a proof may take an hour."""
            future = pool.submit(job)
            future.add_done_callback(lambda _: _say(f"{proved.name}: {time.monotonic() - begun:.0f} s: {step} done"))
            return future

        waiting = [
            *(submit(f"blind, {variant}", partial(_blind, proved, variant, sizes, share)) for variant in variants),
            *(submit(f"seeing, {variant}", partial(_seeing, proved, variant, sizes)) for variant in variants),
            *(submit(f"probes, {variant}", partial(_probe, proved, variant, sizes, share)) for variant in variants),
            *(submit(f"derived, {variant}", partial(_derive, proved, variant, sizes)) for variant in variants),
            *(
                submit(f"low-level, {variant}", partial(_measure, proved, variant, sizes, 1 / len(barred)))
                for variant in barred
            ),
        ]
        leaky = submit("leaks", partial(_leaky, proved, sizes))
        looked = [
            submit(f"reached, {variant}", partial(_reach, proved, variant, sizes, 1 / len(reached)))
            for variant in reached
        ]
        further = submit("further section", partial(_section, proved, sizes))
        return (
            [finding for job in waiting for finding in job.result()],
            [judge_leak(finding) for finding in leaky.result()],
            [finding for job in looked for finding in job.result()],
            further.result(),
        )


@cache
def _mount_proved(proved: Proved) -> Mounted:
    """Open the bank once in a process, not for each of its jobs."""
    return mounted_of(proved.name, proved.bank, proved.folders)


def _blind(proved: Proved, variant: Variant, sizes: Sizes, share: float) -> list[Finding]:
    return variant_findings(_mount_proved(proved), variant, sizes, share=share)


def _seeing(proved: Proved, variant: Variant, sizes: Sizes) -> list[Finding]:
    return seeing_findings(_mount_proved(proved), variant, sizes)


def _probe(proved: Proved, variant: Variant, sizes: Sizes, share: float) -> list[Finding]:
    return probe_findings(_mount_proved(proved), variant, sizes, share=share)


def _derive(proved: Proved, variant: Variant, sizes: Sizes) -> list[Finding]:
    return derived_findings(_mount_proved(proved), variant, sizes)


def _measure(proved: Proved, variant: Variant, sizes: Sizes, share: float) -> list[Finding]:
    return low_level_findings(_mount_proved(proved), variant, sizes.low_level, share=share)


def _reach(proved: Proved, variant: Variant, sizes: Sizes, share: float) -> list[Finding]:
    return reached_findings(_mount_proved(proved), variant, sizes.reached, share=share)


def _leaky(proved: Proved, sizes: Sizes) -> list[Finding]:
    return leak_findings(_mount_proved(proved), sizes)


def _section(proved: Proved, sizes: Sizes) -> str:
    mounted = _mount_proved(proved)
    section = knowledge_of(proved.name).section
    return "" if section is None else section(mounted, sizes.items)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
