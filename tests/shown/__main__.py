"""`python -m tests.shown`: what the issues of benchmarks want shown, on a real instance; writes docs/shown.md."""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from generator_service.proving.bounds import HOLDS
from generator_service.proving.choosing import sources_folder
from generator_service.proving.findings import mounted_of
from generator_service.proving.golden import made_golden
from tests.instance import Instance, running
from tests.shown.answering import site_at
from tests.shown.report import FOLDER, PAGE, mark_behind, page_rows, written
from tests.shown.showing import shown, shown_benchmarks, tries


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.shown", description=__doc__)
    parser.add_argument(
        "--benchmark", action="append", choices=shown_benchmarks(), help="only this one; may be repeated"
    )
    parser.add_argument("--size", type=int, default=200, help="items of each submission")
    parser.add_argument("--behind", action="store_true", help="show nothing: say that the page is of earlier items")
    given = parser.parse_args(arguments)
    names = given.benchmark or shown_benchmarks()
    if given.behind:
        for name in names:
            mark_behind(name)
        return 0
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "home", sources_folder()) as instance:
        holding = [_show(instance, name, given.size) for name in names]
    return 0 if all(holding) else 1


def _show(instance: Instance, name: str, size: int) -> bool:
    """Write the benchmark's reports; return whether everything holds."""
    begun = time.monotonic()
    mounted = mounted_of(name, sources_folder())
    with instance.team(name) as team:
        site = site_at(instance, team, mounted)
        planned = list(tries(name, mounted.benchmark.card))
        rows = shown(site, planned, size, lambda row: _say(str(row)))
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{name}.md"
    path.write_text(written(mounted, rows), "utf-8")
    PAGE.put(page_rows(mounted, size, len(planned), rows), {name: made_golden(mounted).digest})
    _say(f"{name}: {len(planned)} submissions, {len(rows)} scores, {time.monotonic() - begun:.0f} s: {path}")
    bad = [row for row in rows if row.verdict != HOLDS]
    for row in bad:
        _say(f"  {row}")
    return not bad


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
