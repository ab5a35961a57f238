"""The report: a long table for each benchmark under `var/proof`, and its rows on the page docs/proof.md."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from generator_service.mounting import Mounted
from generator_service.proving.equivalence import FAMILY, HOLDS, MARGIN, NOT_REFUTED
from generator_service.proving.findings import LOW_LEVEL, Finding, Sizes
from generator_service.proving.pages import Page, Row, Table
from generator_service.proving.study import LOOKS

FOLDER = Path(__file__).parents[2] / "var" / "proof"
BEHIND = "of earlier items"
"""The verdict on a benchmark whose items have changed since it was proved."""
GOOD = frozenset({HOLDS, NOT_REFUTED, "all right", "above", "caught"})
HIGHEST = 5  # sights of a benchmark on the page
HEAD = "| seen | solver | where | ceiling | score | 95% interval | questions | verdict |\n" + "| --- " * 8 + "|\n"
_HEAD_OF_PARTS = "| {} " + HEAD.replace("\n| ---", "\n| --- | ---", 1)
PAGE = Page(
    name="proof",
    title="Items without shortcuts",
    text=(
        "Written by `make proof`, which writes every cell to `var/proof`; do not edit. `make test` tells when a row is "
        "stale: `digests.json` holds the digest of the items that it is of."
    ),
    tables=(
        Table(
            heading="What was checked",
            text=(
                "A blind solver learns on one draw and guesses on another; each must stay at the ceiling that the card "
                "declares. Other parameters: every other value, at fewer items. Leaks: generators spoilt on purpose."
            ),
            columns=("benchmark", "version", "drawn from", "items", "checks", "other parameters", "leaks", "verdict"),
        ),
        Table(
            heading="The highest ceilings",
            text="The highest ceiling below 1 of each sight, and the score of the best solver that sees no more.",
            columns=("benchmark", "seen", "where", "ceiling", "score", "95% interval", "questions", "verdict"),
        ),
        Table(
            heading="Gates of CI",
            text=(
                "A model exactly at a boundary passes in at most 5% of draws, and fails in at most 5%; with several "
                "questions an item the bounds are approximate. Of each kind of gate the worst cell."
            ),
            columns=("gate", "claim", "worst cell", "cells", "verdict"),
        ),
    ),
)


def page_rows(
    mounted: Mounted,
    sizes: Sizes,
    held: Sequence[Finding],
    leaks: Sequence[Finding],
    elsewhere: Sequence[Finding],
) -> tuple[list[Row], list[Row], list[Row]]:
    """Return what the page says of a benchmark, by table."""
    found = [*held, *leaks, *elsewhere]
    bad = [finding for finding in found if finding.verdict not in GOOD]
    caught = sum(finding.verdict == "caught" for finding in leaks)
    counts = (f"{sizes.items:,}", f"{len(held)}", f"{len(elsewhere)}", f"{caught} of {len(leaks)} caught")
    verdict = "all hold" if not bad else f"**{len(bad)} do not hold**: {bad[0].part}, {bad[0].solver}"
    name = mounted.benchmark.name
    first = (name, f"{mounted.benchmark.version}", mounted.bank_name, *counts, verdict)
    return [first], [(name, *_cells_of_page(finding)) for finding in highest(held)], []


def mark_behind(name: str) -> None:
    """Say on the page that a benchmark's rows are of earlier items. The next proof of it writes them anew."""
    PAGE.mark(name, BEHIND)


def highest(held: Iterable[Finding]) -> list[Finding]:
    """Return the finding at the highest ceiling below 1 of each sight that a best solver reaches, the highest first."""
    by_sight: dict[str, Finding] = {}
    for finding in held:
        if finding.score.exact and finding.score.ceiling < 1 and finding.sees not in {"place", LOW_LEVEL}:
            highest = by_sight.setdefault(finding.sees, finding)
            if finding.score.ceiling > highest.score.ceiling:
                by_sight[finding.sees] = finding
    return sorted(by_sight.values(), key=lambda finding: -finding.score.ceiling)[:HIGHEST]


def _cells_of_page(finding: Finding) -> Row:
    score = finding.score
    low, high = score.interval
    where = f"{finding.part}: {finding.cell}" if finding.cell else finding.part
    numbers = (f"{score.ceiling:.3f}", f"{score.share:.4f}", f"{low:.4f} to {high:.4f}", f"{score.n:,}")
    return (finding.sees, where, *numbers, finding.verdict)


def write_report(
    mounted: Mounted,
    held: Sequence[Finding],
    leaks: Sequence[Finding],
    *,
    elsewhere: Sequence[Finding] = (),
    section: str = "",
) -> str:
    """Return the report; `section` is what else there is to tell of this benchmark."""
    card = mounted.benchmark.card
    bad = [finding for finding in [*held, *leaks, *elsewhere] if finding.verdict not in GOOD]
    result = "All hold." if not bad else f"**{len(bad)} do not hold**, marked below."
    parts = dict.fromkeys(finding.part for finding in held)
    return "\n".join(
        [
            f"# Items without shortcuts: {card.name}, version {card.version}\n",
            f"{_drawn_from(mounted)}\n",
            f"{_count_line(held, elsewhere, leaks)} {result}\n",
            _method(),
            *(f"## {part}\n\n{_table([finding for finding in held if finding.part == part])}" for part in parts),
            *_elsewhere(elsewhere),
            *_leaky(leaks),
            *([section] if section else []),
        ]
    )


def _count_line(held: Sequence[Finding], elsewhere: Sequence[Finding], leaks: Sequence[Finding]) -> str:
    return f"{len(held)} checks, {len(elsewhere)} under other parameters, {len(leaks)} on leaky generators."


def _drawn_from(mounted: Mounted) -> str:
    """Name the bank of the objects: solvers of pictures were tried on no other."""
    if mounted.bank is None:
        return "Items draw from no object bank."
    bank = f"bank `{mounted.bank_name}`, digest `{mounted.bank_digest[:12]}`"
    return f"Items of {bank}, and of no other: which objects are drawn never depends on what is right (see the README)."


def _method() -> str:
    return (
        f"A blind solver learns on one draw and guesses on another. A ceiling holds if the 95% interval (Wilson) of "
        f"its score lies within {100 * MARGIN:.0f} points of what the card declares, and the equivalence test (two "
        f"one-sided exact binomial tests) says so at a family-wise {100 * FAMILY:.0f}% (Holm over cells, shared out "
        f"over variants and at most {LOOKS} looks at twice as many items each). Solvers marked = are the best of "
        "their sight and must reach the ceiling from both sides; the others (<=) must not rise above it. `place`: "
        "every drawn place is right equally often. Pictures are of one object a kind, so that more questions can be "
        "seen; all else is of the whole bank. Where no picture comes twice, fewer items are seen, and a ceiling that "
        "they don't break is not refuted. `low-level`: solvers that measure whole pictures; the ceiling is the card's "
        "bar, and is refuted from both sides.\n"
    )


def _table(findings: Iterable[Finding]) -> str:
    return HEAD + "".join(_row(finding) for finding in findings)


def _row(finding: Finding) -> str:
    low, high = finding.score.interval
    mark = "= " if finding.score.exact else ">= " if finding.verdict == "above" else "<= "
    cells = (
        *(
            finding.sees,
            finding.solver,
            finding.cell,
            f"{mark}{finding.score.ceiling:.3f}",
            f"{finding.score.share:.4f}",
        ),
        *(f"{low:.4f} to {high:.4f}", f"{finding.score.n:,}", finding.verdict),
    )
    return f"| {' | '.join(cells)} |\n"


def _elsewhere(findings: Sequence[Finding]) -> list[str]:
    if not findings:
        return []
    note = (
        "Every other value of every parameter (of a range its ends), one at a time: of each sight the cell farthest "
        "from what the card declares there. These are fewer items, so that a ceiling is not shown to hold, but is "
        "refuted where it claims far too little (by any solver) or far too much (by all that are the best of their "
        "sight).\n"
    )
    rows = "".join(f"| {finding.part} {_row(finding)}" for finding in findings)
    return ["## Other parameters\n", note, _HEAD_OF_PARTS.format("parameters") + rows]


def _leaky(leaks: Sequence[Finding]) -> list[str]:
    if not leaks:
        return []
    note = (
        "The same checks on generators spoilt on purpose (`knowledge.py`), each solver in its best cell: it must win.\n"
    )
    rows = "".join(f"| {finding.part} {_row(finding)}" for finding in leaks)
    return ["## Leaky generators, which must be caught\n", note, _HEAD_OF_PARTS.format("leak") + rows]
