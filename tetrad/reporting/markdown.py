"""Write a report as Markdown for a person: the headline first, then the numbers by group, then how to check them."""

from collections.abc import Iterable, Mapping, Sequence

from tetrad.contracts.benchmarks import Card, Conversation
from tetrad.contracts.metrics import AnswerDistribution, Distribution, Metric
from tetrad.contracts.reports import COUNT, MetricValue, Report
from tetrad.contracts.wire import Facets, ParameterValue
from tetrad.reporting.units import in_unit, interval_in_unit, percent, value_in_unit

NOTHING_ASKED = "no question asked or judged"
ASKED: Mapping[Conversation, str] = {
    "joined": "one conversation for each item",
    "fresh": "a fresh context for each question",
}
COLUMNS = ("group", "score", "interval", "chance", "items", "questions")
SHARE_OF_ANSWERS = "share of these answers"
TEST, POSITION_BIASED = "test", "position-biased"
BIASED = {
    True: "the answers are biased towards a place: chance hardly ever gives such shares",
    False: "the answers are not biased towards a place",
}

HOW_TO_VERIFY = (
    "`tetrad verify` with this report as JSON regenerates every item from the seed on another instance and compares "
    "keys, verdicts and numbers. It shows that the report is consistent; it cannot show that a model gave the answers."
)


CORPUS_ONLY = (
    "A fixed corpus: its items can't be redrawn, and a model may have seen them. Shares are rounded to whole percents, "
    "groups of few items are left out, and no single question is shown. Unranked."
)


def report_markdown(report: Report, card: Card | None = None, *, opened: int | None = None) -> str:
    """Return the report as a Markdown document. Shares are percentages, differences signed percentage points.

    card: of the report's benchmark and version. It explains the metrics, and metrics that need questions which the
    setting doesn't ask are left out. opened: how many questions were opened for the team.
    """
    metrics = _metrics(report, {} if card is None else {metric.name: metric for metric in card.metrics})
    sections = [_title(report), _headline(report), _answers(report, opened), *metrics, _proof(report)]
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


def _answers(report: Report, opened: int | None) -> str:
    asked = report.questions_asked
    what = "asked" if opened is None or opened >= asked else f"counted, {opened} of them opened"
    counted = (
        f"{asked} questions {what}. Unread: {_share(report.unread, asked)}. Missing: {_share(report.missing, asked)}. "
        "Both count as wrong."
    )
    if report.extracted_by_model:
        counted += f" {_by_model(report)}"
    if report.begin_inside_thinking:
        counted += f" Replies that begin inside the model's thinking: {_share(report.begin_inside_thinking, asked)}."
    if not report.stops:
        return counted
    ends = ", ".join(f"{kind} {_share(count, asked)}" for kind, count in report.stops.items())
    counted += f" How replies ended: {ends}. Refused, blocked and cut ones count as wrong."
    if report.incomplete:
        counted += f" Read from replies that are not complete: {_share(report.incomplete, asked)}."
    return counted


def _share(count: int, asked: int) -> str:
    return f"{count} ({percent(count / asked)})" if asked else str(count)


def _metrics(report: Report, declared: Mapping[str, Metric]) -> list[str]:
    named: dict[str, list[MetricValue]] = {}
    for value in report.metrics:
        named.setdefault(value.name, []).append(value)
    asked = [result.facets for result in report.questions]
    return [
        _section(name, values, declared.get(name))
        for name, values in named.items()
        if _is_measured(values) or not asked or _can_be_asked(declared.get(name), asked)
    ]


def _is_measured(values: Sequence[MetricValue]) -> bool:
    return any(value.value is not None or value.reason for value in values)


def _can_be_asked(metric: Metric | None, asked: Sequence[Facets]) -> bool:
    """Tell whether some question was asked for each side of the metric: a gap, for example, has two."""
    sides: Iterable[Mapping[str, Sequence[str]]] = (getattr(metric, side, {}) for side in ("where", "less", "given"))
    return all(
        any(all(facets.get(name) in values for name, values in side.items()) for facets in asked) for side in sides
    )


def _section(name: str, values: Sequence[MetricValue], metric: Metric | None) -> str:
    """Return a metric's heading, what it is in the card's words, its table, and its test in words."""
    tests = [value for value in values if value.unit == COUNT and value.facets.get(TEST) == POSITION_BIASED]
    rows = [value for value in values if value not in tests]
    columns: Sequence[str] = COLUMNS
    if isinstance(metric, Distribution | AnswerDistribution):
        columns = [SHARE_OF_ANSWERS if column == "score" else column for column in COLUMNS]
        rows = [value for value in rows if value.value != 0]
    help_line = [] if metric is None or not metric.help else [metric.help]
    told = [_test_in_words(value) for value in tests if value.value is not None]
    return "\n\n".join([f"## {name}", *help_line, _table(rows, columns), *(["\n".join(told)] if told else [])])


def _test_in_words(value: MetricValue) -> str:
    group = ", ".join(f"{name} {facet}" for name, facet in value.facets.items() if name != TEST)
    told = f"{group}: {BIASED[bool(value.value)]}." if group else f"{BIASED[bool(value.value)]}."
    return f"{told[:1].upper()}{told[1:]}"


def _table(values: Sequence[MetricValue], columns: Sequence[str]) -> str:
    """Return a table of the groups that were asked something, or a sentence that says why there is none."""
    asked = [value for value in values if value.value is not None]
    if not asked:
        reason = next((value.reason for value in values if value.reason), NOTHING_ASKED)
        return f"{reason[:1].upper()}{reason[1:]}."
    return "\n".join([_row(columns), _row("---" for _ in columns), *(_row(_cells(value)) for value in asked)])


def _cells(value: MetricValue) -> Iterable[str]:
    group = ", ".join(f"{name} {facet}" for name, facet in value.facets.items()) or "all"
    numbers = value_in_unit(value), interval_in_unit(value), _chance(value)
    return group, *numbers, str(value.items), str(value.questions)


def _chance(value: MetricValue) -> str:
    """Write both chance levels if they differ: the paper's figure may leave options out."""
    uniform, stated = in_unit(value.uniform_chance, value.unit), in_unit(value.stated_chance, value.unit)
    return uniform if uniform == stated else f"{uniform} ({stated} as the paper counts)"


def _level(value: MetricValue) -> str:
    interval = value.interval
    return "" if interval is None else f"{interval.level:.0%} interval, {interval.method}"


def _proof(report: Report) -> str:
    versions, benchmark = report.versions, report.identity.benchmark
    made = f"tetrad {versions.tetrad}, {benchmark} {versions.benchmark}, extractor {versions.reader}"
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
