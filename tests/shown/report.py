"""The report: a long table for each benchmark under `var/shown`, and its rows on the page docs/shown.md."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean

from generator_service.mounting import Mounted
from generator_service.proving.bounds import HOLDS, LEVEL
from generator_service.proving.pages import Page, Row, Table
from generator_service.proving.report import BEHIND
from tests.shown.rows import Row as Score
from tests.shown.showing import FEWER

FOLDER = Path(__file__).parents[2] / "var" / "shown"
HEAD = "| setting | shown as | model | sees | of | score | 95% interval | questions | declared | verdict |\n"
HEAD += "| --- " * 10 + "|\n"
PAGE = Page(
    name="shown",
    title="Shown through the API",
    text=(
        "Written by `make shown`, which writes every score to `var/shown`; do not edit. `make test` tells when a row "
        "is stale: `digests.json` holds the digest of the items that it is of."
    ),
    tables=(
        Table(
            heading="What was submitted",
            text=(
                "Every submission was opened, answered, sealed and scored over HTTP on a running instance: every "
                f"track and setting by every model, and other values of parameters at {FEWER} times fewer items."
            ),
            columns=("benchmark", "version", "drawn from", "items", "submissions", "scores", "verdict"),
        ),
        Table(
            heading="Who got what",
            text=(
                "Models that see the same, with the same declared, are one row. Declared: the mean of the chance "
                "level, the ceiling or the aim of each question. A score holds at the exact distribution: `=` unless a "
                f"tail is below {LEVEL / 2:g}, `<=` unless the upper one is below {LEVEL:g}, `>` above the figure. A "
                "scene is rebuilt with the instance's seed secret, which answerers of tests/shown hold. Seeds are "
                "fresh in every run."
            ),
            columns=("benchmark", "model", "sees", "scores", "questions", "right", "declared", "verdict"),
        ),
    ),
)


def page_rows(mounted: Mounted, size: int, submissions: int, scores: Sequence[Score]) -> tuple[list[Row], list[Row]]:
    """Return what the page says of a benchmark, by table."""
    card = mounted.benchmark.card
    counts = (f"{size}", f"{submissions}", f"{len(scores)}")
    by_model: dict[str, list[Score]] = {}
    for score in scores:
        by_model.setdefault(score.model.name, []).append(score)
    alike: dict[tuple[str, str], list[Score]] = {}
    for found in by_model.values():
        alike.setdefault((found[0].model.sees, _declared(found)), []).extend(found)
    return (
        [(card.name, f"{card.version}", mounted.bank_name, *counts, _verdict(scores))],
        [(card.name, *_together(found)) for found in alike.values()],
    )


def mark_behind(name: str) -> None:
    """Say on the page that a benchmark's rows are of earlier items. The next run for it writes them anew."""
    PAGE.mark(name, BEHIND)


def _together(scores: Sequence[Score]) -> Row:
    """Return the cells of models that see the same and were declared the same: all their scores as one."""
    models = ", ".join(dict.fromkeys(score.model.name for score in scores))
    questions = sum(len(score.bounds) for score in scores)
    right = f"{sum(score.right for score in scores) / questions:.4f}"
    counts = (f"{len(scores)}", f"{questions:,}")
    return (models, scores[0].model.sees, *counts, right, _declared(scores), _verdict(scores))


def _declared(scores: Sequence[Score]) -> str:
    bounds = [bound for score in scores for bound in score.bounds]
    relations = sorted({bound.relation for bound in bounds})
    return f"{' or '.join(relations)} {fmean(bound.chance for bound in bounds):.3f}"


def _verdict(scores: Sequence[Score]) -> str:
    bad = sum(score.verdict != HOLDS for score in scores)
    return "all hold" if not bad else f"**{bad} do not hold**"


def written(mounted: Mounted, scores: Sequence[Score]) -> str:
    """Return the long report of a benchmark."""
    card = mounted.benchmark.card
    tracks = dict.fromkeys(score.place.track for score in scores)
    parts = (f"## {track}\n\n{_table(score for score in scores if score.place.track == track)}" for track in tracks)
    return "\n".join([f"# Shown through the API: {card.name}, version {card.version}\n", *parts])


def _table(scores: Iterable[Score]) -> str:
    return HEAD + "".join(_line(score) for score in scores)


def _line(score: Score) -> str:
    low, high = score.interval.lower, score.interval.upper
    verdict = score.verdict if score.verdict == HOLDS else f"**{score.verdict}**"
    cells = (
        *(score.place.setting, score.place.way, score.model.name, score.model.sees, score.of),
        f"{score.right / score.count:.4f}",
        *(f"{low:.4f} to {high:.4f}", f"{score.count:,}", score.declared, verdict),
    )
    return f"| {' | '.join(cells)} |\n"
