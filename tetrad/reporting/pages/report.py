"""A report as a page shows it: the view that the api's page and `tetrad report --format html` have in common.

In order: the headline, where trials got lost, metrics by group, mistakes by name, wrong answers.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from tetrad.contracts.benchmarks import Card, ReferenceRow
from tetrad.contracts.inference import StopKind
from tetrad.contracts.items import ChoiceKey
from tetrad.contracts.metrics import Distribution, Metric
from tetrad.contracts.reports import SHARE, MetricValue, QuestionResult, Report
from tetrad.contracts.submissions import RevealedItem, RevealedQuestion
from tetrad.extraction import ExtractedAnswer
from tetrad.extraction.answers import extract_from
from tetrad.reporting.item_scores import headline_accuracy, is_selected
from tetrad.reporting.markdown import ASKED, NOTHING_ASKED
from tetrad.reporting.pages.charts import grid, interval_plot, scale, stacked_bar
from tetrad.reporting.pages.pictures import ShownPicture, about_pictures, usual_size
from tetrad.reporting.pages.words import UNKNOWN, capitalise, count_noun, group_digits, in_percent, interval_words
from tetrad.reporting.units import interval_in_unit, value_in_unit

MISTAKE = "mistake"
KINDS = ("m0", "m1", "m2", "m3", "m4")
"""Fills of mistakes, the most frequent first. Where there are more names, the last stands for all others."""
FEW_FACET_ITEMS = 100  # below them a share has no decimals
LONGEST_PART = 4000  # characters of a reply before and after the words that decided
FEW_VALUES = 2  # of a facet: yes and no tell little without its name


@dataclass(frozen=True, kw_only=True)
class GroupRow:
    label: str
    plot: Markup
    value: str
    interval: str
    items: str
    questions: str


@dataclass(frozen=True, kw_only=True)
class MetricTable:
    """A metric by its groups, in percent or each value with its unit. `reason` says why there are none."""

    name: str
    help: str
    is_in_percent: bool
    rows: tuple[GroupRow, ...]
    reason: str
    has_published: bool


@dataclass(frozen=True, kw_only=True)
class StageRow:
    """A stage of the funnel: of the same trials, so many were asked it, and so many of them right.

    `split` says how the last stage went after right stages, and after wrong ones; "" where it is asked after right
    ones alone.
    """

    label: str
    bar: Markup
    right: str
    share: str
    split: str


@dataclass(frozen=True, kw_only=True)
class MistakeRow:
    label: str
    bar: Markup
    wrong: str
    shares: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class MistakeTable:
    """Of the wrong answers of each stage, the mistakes that they stand for; `key` has each name with its fill."""

    rows: tuple[MistakeRow, ...]
    key: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class ReportView:
    """A whole report but for its wrong answers, which need pictures."""

    report: Report
    card: Card | None
    benchmark: str
    headline: str
    headline_words: str
    interval: str
    plot: Markup
    grid: Markup
    scale: Markup
    facts: tuple[tuple[str, str], ...]
    funnel: tuple[StageRow, ...]
    funnel_trials: int
    main: tuple[MetricTable, ...]
    others: tuple[MetricTable, ...]
    mistakes: MistakeTable


@dataclass(frozen=True, kw_only=True)
class AnsweredOption:
    """An option of a wrong answer. `state` is "", "key" or "extracted"."""

    label: str
    text: str
    picture: ShownPicture | None
    state: str


@dataclass(frozen=True, kw_only=True)
class WrongAnswer:
    """A question that was not answered right, with all that was asked, and the raw reply.

    `reply` is what stands before the words that decided, these words, and what stands after them.
    """

    item: int
    address: str
    question: str
    facets: str
    pictures: tuple[ShownPicture, ...]
    options: tuple[AnsweredOption, ...]
    reply: tuple[str, str, str]
    verdict: str


def report_view(report: Report, card: Card | None) -> ReportView:
    headline = report.headline
    chance = headline.uniform_chance
    metric = None if card is None else card.find_metric(headline.name)
    tables = metric_tables(report, card)
    funnel, trials = funnel_of(report, card)
    return ReportView(
        report=report,
        card=card,
        benchmark=report.identity.benchmark if card is None else card.short_title,
        headline=UNKNOWN if headline.value is None else in_percent(headline.value),
        headline_words=NOTHING_ASKED if headline.value is None else getattr(metric, "help", headline.name),
        interval=interval_in_unit(headline),
        plot=interval_plot("grid", label_of(headline), headline.value, headline.interval),
        grid=grid("grid", chance),
        scale=scale(chance),
        facts=tuple(facts_of(report)),
        funnel=funnel,
        funnel_trials=trials,
        main=tuple(table for table in tables if is_main(table.name, headline.name)),
        others=tuple(table for table in tables if not is_main(table.name, headline.name)),
        mistakes=mistakes_of(report),
    )


def label_of(value: MetricValue) -> str:
    """Return what the plot of a value says to who can't see it."""
    return f"{value_in_unit(value)}, interval {interval_in_unit(value)}"


def is_main(name: str, headline: str) -> bool:
    """Tell whether a metric is the headline, or the headline by some facet."""
    return name == headline or name.startswith(f"{headline}-by-")


def facts_of(report: Report) -> Iterable[tuple[str, str]]:
    """Yield what was drawn, asked and replied, each in a few words."""
    headline = report.headline
    yield "Drawn", f"{count_noun(report.size, 'item')}, {group_digits(headline.items)} of them counted"
    yield (
        "Asked",
        (
            f"{count_noun(report.questions_asked, 'question')}: {group_digits(report.unread)} unread, "
            f"{group_digits(report.missing)} missing; both count as wrong"
        ),
    )
    if report.stops:
        yield "Replies ended", ", ".join(f"{group_digits(count)} {kind}" for kind, count in report.stops.items())
    yield "Put as", ASKED[report.conversation]
    if report.extracted_by_model:
        without = in_percent(report.headline_without_model)
        yield (
            "Read by a model",
            f"{count_noun(report.extracted_by_model, 'answer')}; without them the score is {without}%",
        )


def metric_tables(report: Report, card: Card | None) -> list[MetricTable]:
    """Return the report's metrics by group, those of the headline first, without distributions of mistakes."""
    declared: Mapping[str, Metric] = {} if card is None else {metric.name: metric for metric in card.metrics}
    named: dict[str, list[MetricValue]] = {}
    for value in report.metrics:
        if not isinstance(declared.get(value.name), Distribution):
            named.setdefault(value.name, []).append(value)
    ordered = sorted(named, key=lambda name: name != report.headline.name)
    return [metric_table(name, named[name], declared.get(name), report, card) for name in ordered]


def metric_table(
    name: str, values: Sequence[MetricValue], metric: Metric | None, report: Report, card: Card | None
) -> MetricTable:
    measured = [value for value in values if value.value is not None]
    published = [(value, published_of(value, report, card)) for value in measured]
    reason = next((value.reason for value in values if value.reason), NOTHING_ASKED)
    return MetricTable(
        name=name,
        help="" if metric is None else metric.help,
        is_in_percent=all(value.unit == SHARE for value in values),
        rows=tuple(group_row(value, card, also) for value, also in published),
        reason="" if measured else f"{capitalise(reason)}.",
        has_published=any(also for _, also in published),
    )


def group_row(value: MetricValue, card: Card | None, published: Sequence[ReferenceRow]) -> GroupRow:
    """Return one group of a metric. What is no share has no plot."""
    words = {} if card is None else card.value_words
    label = ", ".join(words.get(facet, facet) for facet in value.facets.values()) or "all"
    plot = Markup()
    if value.unit == SHARE:
        said = label_of(value)
        also = [(row.value, f"{row.name}: {in_percent(row.value)}%") for row in published if row.value is not None]
        said += "".join(f"; published, {title}" for _, title in also)
        plot = interval_plot("grid", said, value.value, value.interval, radius=4.5, also=also)
    digits = 0 if value.items < FEW_FACET_ITEMS else 1
    return GroupRow(
        label=label,
        plot=plot,
        value=in_percent(value.value, digits) if value.unit == SHARE else value_in_unit(value),
        interval=interval_words(value.interval, digits) if value.unit == SHARE else interval_in_unit(value),
        items=group_digits(value.items),
        questions=group_digits(value.questions),
    )


def published_of(value: MetricValue, report: Report, card: Card | None) -> list[ReferenceRow]:
    """Return the best published figure of a model for the same group, of other pictures."""
    if card is None or not value.facets:
        return []
    where = {"track": report.identity.track, "setting": report.identity.setting, **value.facets}
    found = [
        row
        for row in card.reference
        if row.metric == value.name
        and row.kind == "model"
        and row.value is not None
        and value.facets.keys() <= row.where.keys()
        and all(where.get(name) in values for name, values in row.where.items() if name != "stage")
    ]
    return sorted(found, key=lambda row: -(row.value or 0.0))[:1]


def funnel_of(report: Report, card: Card | None) -> tuple[tuple[StageRow, ...], int]:
    """Return the stages that trials of the headline passed, and the number of these trials.

    None where a setting asks one kind of question, or where the headline is no plain accuracy.
    """
    if card is None:
        return (), 0
    metric = headline_accuracy(card.ranked_by(report.identity.setting))
    setting = next((known for known in card.settings if known.name == report.identity.setting), None)
    if metric is None or setting is None or len(setting.questions) < 2:  # noqa: PLR2004 - one stage is no funnel
        return (), 0
    trials = {result.item for result in report.questions if is_selected(result.facets, metric.where)}
    if not trials:
        return (), 0
    stages = [first_of_stage(kind, trials, report.questions) for kind in setting.questions]
    rows = [stage_row(kind, stage, len(trials)) for kind, stage in zip(setting.questions, stages, strict=True)]
    return (*rows[:-1], last_row(rows[-1], stages, len(trials))), len(trials)


def first_of_stage(kind: str, trials: set[int], results: Iterable[QuestionResult]) -> dict[int, bool]:
    """Return whether the first question of this kind was answered right, by the trials that were asked it."""
    asked: dict[int, bool] = {}
    for result in results:
        if result.item in trials and kind_of(result.question) == kind:
            asked.setdefault(result.item, result.verdict == "correct")
    return asked


def stage_row(kind: str, asked: Mapping[int, bool], whole: int) -> StageRow:
    """Return a stage: of so many trials, how many were asked it, and how many of these right."""
    right = sum(asked.values())
    shares = (("b-r", right / whole), ("b-w", (len(asked) - right) / whole), ("b-n", 1 - len(asked) / whole))
    label = f"{right} right, {len(asked) - right} wrong or unread, {whole - len(asked)} not asked"
    return StageRow(
        label=capitalise(kind),
        bar=stacked_bar(label, shares),
        right=f"{group_digits(right)} of {group_digits(len(asked))}",
        share=in_percent(right / len(asked)) if asked else UNKNOWN,
        split="",
    )


def last_row(row: StageRow, stages: Sequence[Mapping[int, bool]], whole: int) -> StageRow:
    """Return the last stage, split into what came after right stages alone and what came after a wrong one."""
    last = stages[-1]
    after_right = {trial for trial in last if all(stage.get(trial) for stage in stages[:-1])}
    if len(after_right) in {0, len(last)}:
        return row
    parts = [[last[trial] for trial in last if (trial in after_right) == is_right] for is_right in (True, False)]
    named = [
        f"{words}: {sum(part)} of {len(part)} ({in_percent(sum(part) / len(part), 0)}%)"
        for words, part in zip(("after right answers", "after a wrong one"), parts, strict=True)
    ]
    shares = [
        (fill, count / whole)
        for part, right in zip(parts, ("b-r", "b-a"), strict=True)
        for fill, count in ((right, sum(part)), ("b-w", len(part) - sum(part)))
    ]
    return replace(
        row,
        bar=stacked_bar("right " + ", ".join(named), [*shares, ("b-n", 1 - len(last) / whole)]),
        split=" · ".join(named),
    )


def kind_of(question: str) -> str:
    """Return the kind of a question: its id without the number of its repeat."""
    kind, _, repeat = question.rpartition("-")
    return kind if kind and repeat.isdecimal() else question


def mistakes_of(report: Report) -> MistakeTable:
    """Return the mistakes of wrong answers by stage, as far as options have names."""
    stages: dict[str, Counter[str]] = {}
    for result in report.questions:
        name = result.outcome.get(MISTAKE)
        if result.verdict == "incorrect" and name:
            stages.setdefault(result.facets.get("stage", kind_of(result.question)), Counter())[name] += 1
    total: Counter[str] = Counter()
    for counts in stages.values():
        total += counts
    names = [name for name, _ in total.most_common()]
    if len(names) > len(KINDS):
        names, others = names[: len(KINDS) - 1], set(names[len(KINDS) - 1 :])
        other = count_noun(len(others), "further name")
        stages = {stage: gather(counts, others, other) for stage, counts in stages.items()}
        names.append(other)
    fills = dict(zip(names, KINDS, strict=False))
    return MistakeTable(
        rows=tuple(mistake_row(stage, counts, fills) for stage, counts in stages.items()),
        key=tuple(fills.items()),
    )


def gather(counts: Counter[str], others: set[str], name: str) -> Counter[str]:
    """Return the counts with those of some names as one, under this name."""
    kept = Counter({known: count for known, count in counts.items() if known not in others})
    kept[name] = sum(counts[other] for other in others)
    return kept


def mistake_row(stage: str, counts: Counter[str], fills: Mapping[str, str]) -> MistakeRow:
    wrong = counts.total()
    found = [(name, counts[name]) for name in fills if counts[name]]
    label = ", ".join(f"{name} {in_percent(count / wrong, 0)}%" for name, count in found)
    return MistakeRow(
        label=capitalise(stage),
        bar=stacked_bar(label, [(fills[name], count / wrong) for name, count in found]),
        wrong=group_digits(wrong),
        shares=tuple((name, f"{in_percent(count / wrong, 0)}%") for name, count in found),
    )


def stops_of(report: Report) -> dict[tuple[int, str], StopKind | None]:
    """Return why replies ended, by item and question."""
    return {(result.item, result.question): result.stop for result in report.questions}


def wrong_answers(
    items: Iterable[RevealedItem],
    wanted: set[tuple[int, str]],
    *,
    picture: Mapping[str, str],
    address: Mapping[int, str],
    card: Card | None,
    stops: Mapping[tuple[int, str], StopKind | None],
) -> list[WrongAnswer]:
    """Return the questions that are wanted, by item and id, of revealed items.

    `picture` has where a page finds a picture, by its own address; `address` the page of an item; `stops` why a reply
    ended, where that is known.
    """
    return [
        wrong_answer(
            item, revealed, picture, address.get(item.item, ""), card, stops.get((item.item, revealed.question.id))
        )
        for item in items
        for revealed in item.questions
        if (item.item, revealed.question.id) in wanted
    ]


def wrong_answer(  # noqa: PLR0917 - an item, a question, and where both are shown
    item: RevealedItem,
    revealed: RevealedQuestion,
    picture: Mapping[str, str],
    address: str,
    card: Card | None,
    stop: StopKind | None,
) -> WrongAnswer:
    question, key = revealed.question, revealed.key
    extracted = extract_from(question, None, revealed.response, stop)
    width, height = usual_size([asked.question for asked in item.questions])
    shown = {
        found.name: ShownPicture(
            src=picture.get(found.url or "", found.url or ""), caption=found.caption, width=width, height=height
        )
        for found in question.pictures
    }
    words = {} if card is None else card.value_words
    known = {} if card is None else card.filters
    facets = {name: value for name, value in revealed.facets.items() if name in known and len(known[name]) > FEW_VALUES}
    return WrongAnswer(
        item=item.item,
        address=address,
        question=question.text,
        facets=", ".join(words.get(value, value) for value in (facets or revealed.facets).values()),
        pictures=tuple(shown[found.name] for found in about_pictures(question)),
        options=tuple(
            AnsweredOption(
                label=option.label,
                text=option.text or "",
                picture=shown.get(option.picture or ""),
                state="key" if option.label == key.label else "extracted" if option.label == revealed.answer else "",
            )
            for option in question.options
        ),
        reply=split_reply(revealed.response or "", extracted.span if extracted.answer == revealed.answer else ""),
        verdict=verdict_words(revealed, key, extracted),
    )


def split_reply(reply: str, decided: str) -> tuple[str, str, str]:
    """Return a reply as three parts: the words that decided, where they last stand, are the second one."""
    before, found, after = reply.rpartition(decided) if decided else (reply, "", "")
    return (shorten(before), found, shorten(after)) if found else (shorten(reply), "", "")


def shorten(text: str) -> str:
    """Return a text without its middle where it is long; how much is left out stands in its place."""
    left_out = len(text) - LONGEST_PART
    if left_out <= 0:
        return text
    half = LONGEST_PART // 2
    return f"{text[:half]}\n[… {count_noun(left_out, 'character')} …]\n{text[-half:]}"


UNREAD: Mapping[str, str] = {
    "empty": "it says nothing",
    "truncated": "its thinking never ends",
    "incomplete": "an option is only named, and the reply is not complete",
    "refusal": "it refuses",
    "refused": "it was refused",
    "blocked": "it was blocked",
    "cut": "it was cut",
    "length": "it was cut at its longest",
    "no-option": "it names no option",
    "conflict": "it names several options, and states none",
    "names-several": "its statement names several options",
    "not-an-option": "what it states is no option",
    "retracted": "what it states is taken back",
    "reader-error": "the extractor failed",
}


def verdict_words(revealed: RevealedQuestion, key: object, extracted: ExtractedAnswer) -> str:
    """Return what was extracted, the key, and what the answer stands for, or why there is none."""
    right = revealed.key.label
    if revealed.verdict == "missing":
        return f"no reply · key ({right}) · missing"
    if revealed.answer is None:
        why = UNREAD.get(extracted.reason, extracted.reason) if extracted.answer is None else ""
        return f"extracted nothing · key ({right}) · unread{': ' + why if why else ''}"
    mistake = key.outcomes.get(revealed.answer, "") if isinstance(key, ChoiceKey) else ""
    return f"extracted ({revealed.answer}) · key ({right}) · wrong{': ' + mistake if mistake else ''}"
