"""The report: docs/shown.md, a part for each benchmark; a run of one benchmark writes its part anew."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from generator_service.mounting import Mounted
from generator_service.proving.bounds import HOLDS, LEVEL
from generator_service.proving.golden import made_golden
from tests.shown.rows import Row
from tests.shown.showing import FEWER
from tetrad.contracts.benchmarks import Card

PATH = Path(__file__).parents[2] / "docs" / "shown.md"
TITLE = "# Shown through the API\n"
HEAD = "| setting | shown as | model | sees | of | score | 95% interval | questions | declared | verdict |\n"
HEAD += "| --- " * 10 + "|\n"


def write(part: str, path: Path = PATH) -> None:
    """Put the part in, in place of an older one of the same benchmark."""
    parts = _parts(path)
    parts[_name(part)] = part
    path.write_text(f"{TITLE}\n{_method()}\n" + "".join(parts[name] for name in sorted(parts)), "utf-8")


def written_part(card: Card, path: Path = PATH) -> str:
    """Return the part of this benchmark and version; empty where there is none."""
    part = _parts(path).get(card.name, "")
    return part if part.startswith(_heading(card)) else ""


def part_of(mounted: Mounted, size: int, submissions: int, rows: Sequence[Row]) -> str:
    card = mounted.benchmark.card
    bad = sum(row.verdict != HOLDS for row in rows)
    result = "All hold." if not bad else f"**{bad} are not shown to hold**, marked below."
    bank = f"bank {mounted.bank_name} `{mounted.bank_digest[:12]}`" if mounted.bank is not None else "no bank"
    made = f"{submissions} submissions of {size} items, of {-(-size // FEWER)} under other values of parameters"
    tracks = dict.fromkeys(row.place.track for row in rows)
    return "\n".join(
        [
            _heading(card),
            f"digest: `{made_golden(mounted).digest}`\n",
            f"{made}; {bank}; {len(rows)} scores. {result}\n",
            *(f"### {track}\n\n{_table(row for row in rows if row.place.track == track)}" for track in tracks),
            "",
        ]
    )


def _method() -> str:
    return (
        "Written by `python -m tests.shown`; do not edit. A part's digest is of what its items depend on, as in "
        "[proof](proof/); `make test` tells when it is stale.\n\n"
        "Each line is of a submission that was opened, answered, sealed and scored over HTTP on a running instance. "
        "Models of `tetrad.solvers` answer what a model is shown, those that look at no picture without it; "
        '"scene rebuilt from the secret" is an answerer in tests/shown that holds the instance\'s seed secret and '
        "makes the sealed items again. Seeds are fresh in every run, so scores differ from run to run.\n\n"
        "Declared: the mean, over the questions asked, of what the card declares of each: its chance level, its "
        "ceiling, or one over the places in which the right option is drawn; of CARV's `everything`, which makes all "
        "changes whatever is asked, whether each item's sets of changes let that be right. `=` holds if both tails of "
        "the exact distribution (a sum of as many independent chances) at the score are above "
        f"{LEVEL / 2:g}; `<=` if the upper one is above {LEVEL:g}; `>` if the share is above the figure, which is the "
        f"aim for solvers of pictures: below it, undecided until it is refuted at {LEVEL:g}.\n"
    )


def _table(rows: Iterable[Row]) -> str:
    return HEAD + "".join(_line(row) for row in rows)


def _line(row: Row) -> str:
    low, high = row.interval.lower, row.interval.upper
    verdict = row.verdict if row.verdict == HOLDS else f"**{row.verdict}**"
    cells = (
        *(row.place.setting, row.place.way, row.model.name, row.model.sees, row.of),
        *(f"{row.right / row.count:.4f}", f"{low:.4f} to {high:.4f}", f"{row.count:,}", row.declared, verdict),
    )
    return f"| {' | '.join(cells)} |\n"


def _heading(card: Card) -> str:
    return f"## {card.name}, version {card.version}\n"


def _parts(path: Path) -> dict[str, str]:
    old = path.read_text("utf-8") if path.exists() else ""
    return {_name(found): found for found in re.split(r"^(?=## )", old, flags=re.MULTILINE)[1:]}


def _name(part: str) -> str:
    return part.removeprefix("## ").partition(",")[0]
