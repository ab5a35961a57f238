"""Write a report as Markdown for a person: the headline first, then the numbers by group, then how to check them."""

from collections.abc import Iterable, Mapping, Sequence

from tetrad.contracts.benchmarks import Conversation
from tetrad.contracts.reports import MetricValue, Report
from tetrad.contracts.wire import ParameterValue
from tetrad.reporting.units import in_unit, interval_in_unit, percent, value_in_unit

NOTHING_ASKED = "no question asked or judged"
ASKED: Mapping[Conversation, str] = {
    "joined": "one conversation for each item",
    "fresh": "a fresh context for each question",
}
COLUMNS = ("group", "score", "interval", "chance", "items", "questions")

HOW_TO_VERIFY = (
    "`tetrad verify` with this report as JSON regenerates every item from the seed on another instance and compares "
    "keys, verdicts and numbers. It shows that the report is consistent; it cannot show that a model gave the answers."
)


CORPUS_ONLY = (
    "A fixed corpus: its items can't be redrawn, and a model may have seen them. Shares are rounded to whole percents, "
    "groups of few items are left out, and no single question is shown. Unranked."
)


def report_markdown(report: Report) -> str:
    """Return the report as a Markdown document. Shares are percentages, differences signed percentage points."""
    sections = [_title(report), _headline(report), _answers(report), *_metrics(report.metrics), _proof(report)]
    return "\n\n".join(sections) + "\n"


def _title(report: Report) -> str:
    identity = report.identity
    parameters = ", ".join(f"{name} {_plain(value)}" for name, value in sorted(identity.parameters.items()))
    what = f"{identity.benchmark} {identity.version}, track {identity.track}, setting {identity.setting}"
    items = f"{report.size} items, {ASKED[report.conversation]}"
    return f"# Report of {report.submission}\n\n{what}{', ' if parameters else ''}{parameters}; {items}."


def _headline(report: Report) -> str:
    value = report.headline
    if value.value is None:
        return f"**{value.name}: {NOTHING_ASKED}.**"
    spread = "" if value.interval is None else f" ({interval_in_unit(value)}, {_level(value)})"
    chance = "" if value.uniform_chance is None else f" Guessing gives {in_unit(value.uniform_chance, value.unit)}."
    return f"**{value.name}: {value_in_unit(value)}**{spread} over {value.items} items.{chance}"


def _by_model(report: Report) -> str:
    """Return how many answers a model extracted, and the score without them."""
    value = report.headline_without_model
    without = "" if value is None else f" Without them the score is {percent(value)}."
    count = report.extracted_by_model
    named = "1 answer was" if count == 1 else f"{count} answers were"
    return f"{named} extracted by a model, from replies that our extractor can't read.{without}"


def _answers(report: Report) -> str:
    asked = report.questions_asked
    counted = (
        f"{asked} questions asked. Unread: {_share(report.unread, asked)}. Missing: {_share(report.missing, asked)}. "
        "Both count as wrong."
    )
    if report.extracted_by_model:
        counted += f" {_by_model(report)}"
    if not report.stops:
        return counted
    ends = ", ".join(f"{kind} {_share(count, asked)}" for kind, count in report.stops.items())
    return f"{counted} How replies ended: {ends}. Refused, blocked and cut ones count as wrong."


def _share(count: int, asked: int) -> str:
    return f"{count} ({percent(count / asked)})" if asked else str(count)


def _metrics(metrics: Iterable[MetricValue]) -> list[str]:
    named: dict[str, list[MetricValue]] = {}
    for value in metrics:
        named.setdefault(value.name, []).append(value)
    return [f"## {name}\n\n{_table(values)}" for name, values in named.items()]


def _table(values: Sequence[MetricValue]) -> str:
    """Return a table of the groups that were asked something, or a sentence that says why there is none."""
    asked = [value for value in values if value.value is not None]
    if not asked:
        reason = next((value.reason for value in values if value.reason), NOTHING_ASKED)
        return f"{reason[:1].upper()}{reason[1:]}."
    return "\n".join([_row(COLUMNS), _row("---" for _ in COLUMNS), *(_row(_cells(value)) for value in asked)])


def _cells(value: MetricValue) -> Iterable[str]:
    group = ", ".join(f"{name} {facet}" for name, facet in value.facets.items()) or "all"
    numbers = value_in_unit(value), interval_in_unit(value), _chance(value)
    return group, *numbers, str(value.items), str(value.questions)


def _chance(value: MetricValue) -> str:
    """Write both chance levels if they differ: the paper's figure may leave options out."""
    uniform, stated = in_unit(value.uniform_chance, value.unit), in_unit(value.stated_chance, value.unit)
    return uniform if uniform == stated else f"{uniform} (stated {stated})"


def _level(value: MetricValue) -> str:
    interval = value.interval
    return "" if interval is None else f"{interval.level:.0%} interval, {interval.method}"


def _proof(report: Report) -> str:
    versions, benchmark = report.versions, report.identity.benchmark
    made = f"tetrad {versions.tetrad}, {benchmark} {versions.benchmark}, reader {versions.reader}"
    lines = (
        "## How to verify",
        "",
        f"- commitment `{report.commitment}`, in the public log before the first answer",
        f"- seed `{report.seed}`",
        f"- answers `{report.answers_digest}`",
        f"- object bank `{versions.bank}`",
        f"- versions: {made}, scorer {versions.scorer}; scored at {report.scored_at}, revision {report.revision}",
        "",
        CORPUS_ONLY if report.aggregates_only else HOW_TO_VERIFY,
    )
    return "\n".join(lines)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _plain(value: ParameterValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
