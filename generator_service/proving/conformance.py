"""Properties of every benchmark at every track, setting and parameter value: one suite over the whole registry.

`python -m generator_service.proving.conformance [NAME ...] [--folder DIR] [--bank FOLDER]` runs it; so do the tests.
Properties have names. A benchmark that can't have one of them exempts itself by that name and says why
(`Benchmark.exempt`).

The places of keys are tested by chance: each test gives a false alarm in one of ten million runs (`FALSE_ALARM`). At
1,000 items, a key that always stands first, or always right after some other option, is caught with certainty. With
four places, a place that holds the key in 40% of the items is missed once in a million. One that holds it in a third of
them is caught in six of ten cases.
"""

import argparse
import hashlib
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, islice, pairwise, product

import msgspec
import numpy as np
from scipy.stats import binom, chisquare

from generator_service.benchmark import Benchmark, ExtractedAnswers
from generator_service.drawing.png import encode_png
from generator_service.draws import Draw
from generator_service.finding import RegistryError
from generator_service.items import Item, make_item, select_asked
from generator_service.mining.catalogue import jobs
from generator_service.mounting import Mounted
from generator_service.proving.blind_solvers import SIGHTS
from generator_service.proving.cases import Case, variants_of, view_of
from generator_service.proving.choosing import Chosen, add_arguments, choose
from generator_service.proving.declared import ceilings_under
from generator_service.proving.derived import shortcuts_of
from generator_service.proving.golden import card_faults, sample_faults
from generator_service.proving.knowledge import knowledge_of
from generator_service.proving.low_level import bars_under, count_right
from generator_service.proving.samples import ITEMS, Place, Sample, fits, places, sample_at
from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.benchmarks import Card, Ceiling
from tetrad.contracts.items import Choice, ChoiceKey, KeyedQuestion
from tetrad.extraction.answers import is_legal
from tetrad.extraction.judging import CORRECT, INCORRECT, judge_answer
from tetrad.streams import Stream

FALSE_ALARM = 1e-7
LOOKED_AT = 30  # items that are checked in every detail
FEW = 100  # items in which most mistakes occur
SOLVED = 200  # items that are solved, with the clue and without
DRAWN = 6  # items whose pictures are compared
MEASURED = 60  # items whose pictures are measured as a whole
READ = 12  # items that are solved from their pictures
LEAST = 40  # keys: fewer tell nothing about their places
SHOWN = 3  # problems of one property that are reported
UNKNOWN_PICTURE = "999"
NOT_THESE = "not these"  # of a figure that was measured on other pictures than are served


@dataclass(frozen=True)
class Fault:
    """A property that does not hold: of which benchmark, where, and what is wrong."""

    property: str
    benchmark: str
    where: str
    problem: str

    def __str__(self) -> str:
        where = f", {self.where}" if self.where else ""
        return f"{self.benchmark}{where}: {self.property}: {self.problem}"


def faults(mounted: Mounted, samples: Iterable[Sample] | None = None) -> Iterator[Fault]:
    """Yield the faults of a benchmark, property by property: at all its places, unless samples are given."""
    for name, check in OF_BENCHMARKS.items():
        yield from _find_faults(mounted, name, "", lambda check=check: check(mounted))  # type: ignore[misc]
    for sample in samples if samples is not None else (sample_at(mounted, place) for place in places(mounted)):
        yield from faults_of(sample)


def faults_of(sample: Sample, properties: Collection[str] | None = None) -> Iterator[Fault]:
    """Yield the faults at one track, setting and parameter value: of all properties, or of those named."""
    for name in OF_SAMPLES if properties is None else properties:
        check = OF_SAMPLES[name]
        yield from _find_faults(sample.mounted, name, str(sample.place), lambda check=check: check(sample))  # type: ignore[misc]


def _find_faults(mounted: Mounted, name: str, where: str, check: Callable[[], Iterator[str]]) -> Iterator[Fault]:
    benchmark = mounted.benchmark
    if name in benchmark.exempt:
        return
    try:
        problems = list(islice(check(), SHOWN))
    except Exception as error:  # noqa: BLE001 - whatever a benchmark raises is a fault of this property
        problems = [f"{type(error).__name__}: {error}"]
    for problem in problems:
        yield Fault(name, benchmark.name, where, problem)


def _questions(sample: Sample, name: str, items: int) -> Iterator[tuple[int, Item, KeyedQuestion]]:
    """Yield the questions of those kinds that are not exempt from the property."""
    exempt = sample.mounted.benchmark.exempt
    return (asked for asked in sample.questions(items) if f"{name}/{asked[2].question.kind}" not in exempt)


# Of a benchmark


def _card(mounted: Mounted) -> Iterator[str]:
    card = mounted.benchmark.card
    known = {setting.name for setting in card.settings}
    for track in card.tracks:
        if unknown := set(track.settings) - known:
            yield f"track {track.name} names settings {sorted(unknown)} that the card does not have"
    if not card.credit.url.startswith("https://"):
        yield f"credit.url {card.credit.url!r} is not an https address: give the paper's"
    if card.headline.metric not in {metric.name for metric in card.metrics}:
        yield f"headline.metric {card.headline.metric!r} is not a metric of the card"
    for setting in card.settings:
        if setting.metric and setting.metric not in {metric.name for metric in card.metrics}:
            yield f"setting {setting.name}: metric {setting.metric!r} is not a metric of the card"
    yield from _find_untrue_rows(card)
    balanced = {
        name
        for place in places(mounted)
        if not place.parameters
        for stratum in mounted.benchmark.strata(
            place.track, place.setting, mounted.identity(place.track, place.setting, {}).parameters
        )
        for name in stratum.facets
    }
    if unknown := set(card.filters) - balanced:
        yield f"filters {sorted(unknown)} are facets of no stratum: practice items are found by their strata"


def _find_untrue_rows(card: Card) -> Iterator[str]:
    """A published figure says where it is printed, and of which pictures and prompt. Only a corpus has its own."""
    for row in card.reference:
        name = f"reference row {row.name!r}, {row.source!r}"
        if not re.search(r"table|section|appendix|release", row.source) and row.kind != "baseline":
            yield f"{name}: source names no table and no section"
        if not row.prompt:
            yield f'{name}: prompt is empty: say how it was asked, or "not said"'
        if row.kind != "baseline" and (NOT_THESE in row.pictures) is (card.corpus is not None):
            yield f"{name}: pictures {row.pictures!r}: {NOT_THESE!r} is true of items that are not the paper's own"


def _exempt(mounted: Mounted) -> Iterator[str]:
    for name, reason in mounted.benchmark.exempt.items():
        if name.partition("/")[0] not in {*OF_BENCHMARKS, *OF_SAMPLES}:
            yield f"exempt names {name!r}, which is not a property: use {', '.join((*OF_BENCHMARKS, *OF_SAMPLES))}"
        if not reason:
            yield f"exempt[{name!r}] gives no reason: say why it can't hold"


def _tables(mounted: Mounted) -> Iterator[str]:
    """Every table that items depend on is one that a job makes, and is named as the job names it."""
    made = {job.table(stage.name): stage.name for job in jobs().values() for stage in job.stages}
    for kind, names in mounted.benchmark.tables.items():
        for name in (name for name in names if name not in made):
            job, _, stage = name.partition("/")
            near = [table for table in made if table.startswith(f"{job}/{stage.partition('-')[0]}-")] or sorted(made)
            yield f"tables[{kind!r}] names {name!r}, which no job makes; there are {', '.join(near)}"


def _ceilings_of_tracks(mounted: Mounted) -> Iterator[str]:
    card = mounted.benchmark.card
    for track in card.tracks:
        if not any(ceiling.track in {None, track.name} for ceiling in card.ceilings):
            yield f"track {track.name} has no ceiling: declare the score of the best solver that sees only a part"
    known = knowledge_of(card.name)
    sights = SIGHTS | {solver.sees for variant in variants_of(card) for solver in known.solvers(variant)}
    held = sights | {model.name for model in known.models} | known.lacks.keys()
    for name in sorted({ceiling.solver for ceiling in card.ceilings} - held):
        yield (
            f"nothing is held to the ceiling of {name!r}: no solver sees that, no model of knowledge.py is called so; "
            f"there are {', '.join(sorted(held))}"
        )


# Of a sample: how items are made


def _reproducible(sample: Sample) -> Iterator[str]:
    """An item alone equals the same item in a run; a picture has the same pixels each time."""
    mounted, draw = sample.mounted, sample.draw
    alone = Draw(mounted.benchmark, draw.identity, draw.seed)
    for index in (len(sample.items) - 1, min(3, len(sample.items) - 1)):
        again, item = make_item(mounted, alone, index), sample.items[index]
        if (again.scene, again.questions) != (item.scene, item.questions):
            yield f"item {index} made alone differs from the same item in a run: draw from `streams` and nothing else"
    first = sample.items[0]
    for name in _names(first.questions) if sample.is_default else ():
        one, two = (mounted.benchmark.render(mounted.bank, first.scene, name) for _ in range(2))
        if not np.array_equal(one, two):
            yield f"picture {name} of item 0 has other pixels when it is drawn again"


def _variety(sample: Sample) -> Iterator[str]:
    few = sample.items[:LOOKED_AT]
    different = {msgspec.json.encode(item.scene) for item in few}
    if len(different) <= 0.9 * len(few):
        yield f"{len(few)} items have {len(different)} different scenes: draw more of each item from its streams"


def _labels(sample: Sample) -> Iterator[str]:
    """Keys are among the options; options are labelled once."""
    for index, _, keyed in _questions(sample, "labels", LOOKED_AT):
        question, labels = keyed.question, tuple(option.label for option in keyed.question.options)
        where = f"item {index}, question {question.id}"
        if not is_legal(question.shape, keyed.key.label):
            yield f"{where}: key {keyed.key.label!r} is not an answer of its shape {question.shape}"
        if not isinstance(question.shape, Choice):
            if labels:
                yield f"{where}: it offers options {labels}, and its shape is not a choice"
        elif labels != question.shape.labels or len({*labels}) != len(labels) or len(labels) < 2:  # noqa: PLR2004 - a choice
            yield f"{where}: options {labels} are not the shape's {question.shape.labels}: two or more, once each"


def _pictures(sample: Sample) -> Iterator[str]:
    """Questions name their own pictures by position, and every picture renders."""
    for index, item in enumerate(sample.items[: 3 if sample.is_default else 1]):
        for keyed in item.questions:
            names = {picture.name for picture in keyed.question.pictures}
            where = f"item {index}, question {keyed.question.id}"
            if odd := sorted(name for name in names if not name.isdecimal()):
                yield f"{where}: picture names {odd} are not positions"
            if foreign := {option.picture for option in keyed.question.options} - {None} - names:
                yield f"{where}: options show pictures {foreign} that the question does not list"
        yield from (f"item {index}: {problem}" for problem in _check_drawn(sample, item))
    benchmark, scene = sample.mounted.benchmark, sample.items[0].scene
    yield from _check_unknown("render", lambda name: benchmark.render(sample.mounted.bank, scene, name))
    if "view" not in benchmark.exempt:
        yield from _check_unknown("holds", lambda name: benchmark.holds(scene, name))


def _check_drawn(sample: Sample, item: Item) -> Iterator[str]:
    for name in _names(item.questions):
        pixels = sample.mounted.benchmark.render(sample.mounted.bank, item.scene, name)
        if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 4:  # noqa: PLR2004 - rows, columns, RGBA
            yield f"picture {name} has {pixels.dtype} {pixels.shape}, not uint8 (height, width, 4)"
        elif sample.is_default and not encode_png(pixels).startswith(b"\x89PNG"):
            yield f"picture {name} can't be written as PNG"


def _check_unknown(what: str, part: Callable[[str], object]) -> Iterator[str]:
    try:
        part(UNKNOWN_PICTURE)
    except KeyError:
        return
    except Exception as error:  # noqa: BLE001 - any other exception is the fault
        yield f"{what} raises {type(error).__name__} for {UNKNOWN_PICTURE!r}, a picture no scene has: raise KeyError"
        return
    yield f"{what} raises no KeyError for picture {UNKNOWN_PICTURE!r}, which no scene has"


def _names(questions: Iterable[KeyedQuestion]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(picture.name for keyed in questions for picture in keyed.question.pictures))


# Of a sample: what is asked


def _order(sample: Sample) -> Iterator[str]:
    """Kinds of questions come in the order that the setting says."""
    card = sample.mounted.benchmark.card
    setting = next(setting for setting in card.settings if setting.name == sample.place.setting)
    for index, item in enumerate(sample.items[:LOOKED_AT]):
        kinds = tuple(dict.fromkeys(keyed.question.kind for keyed in item.questions))
        if kinds != setting.questions:
            yield f"item {index} asks {kinds}, the card says {setting.questions}"


def _some_answers(keyed: KeyedQuestion) -> tuple[str, ...]:
    shape = keyed.question.shape
    return shape.labels if isinstance(shape, Choice) else (keyed.key.label, "0", "7")


def _opening(sample: Sample) -> Iterator[str]:
    """Questions open monotonely, for answers to earlier ones, and every way through ends with a final one."""
    for index, item in enumerate(sample.items[:LOOKED_AT]):
        stream = Stream("conformance", sample.draw.seed, index)
        yield from (f"item {index}: {problem}" for problem in _ways_through(sample, item, stream))
        yield from (f"item {index}: {problem}" for problem in _out_of_order(sample, item, stream))


def _ways_through(sample: Sample, item: Item, stream: Stream) -> Iterator[str]:
    following = sample.mounted.benchmark.next_questions
    answers = {keyed.question.id: _some_answers(keyed) for keyed in item.questions}
    final = {keyed.question.id for keyed in item.questions if keyed.question.final}
    given: dict[str, str | None] = {}
    name, opened = "", following(item.scene, given)
    while waiting := [question for question in opened if question not in given]:
        name = stream.choice(waiting)
        given[name] = stream.choice((*answers[name], None))
        after = following(item.scene, given)
        if not set(opened) <= set(after):
            yield f"an answer to {name} closes {sorted(set(opened) - set(after))}: answers must only open questions"
        if name in final and after != opened:
            yield f"{name} is final, and its answer opens {sorted(set(after) - set(opened))}"
        opened = after
    if not name:
        yield "no question is open from the start"
    elif name not in final:
        yield f"{name} is answered last but is not final: mark questions after which none opens"


def _out_of_order(sample: Sample, item: Item, stream: Stream) -> Iterator[str]:
    """Check that only answers to earlier questions open a question, so that all questions can be fetched at once."""
    following, names = sample.mounted.benchmark.next_questions, [keyed.question.id for keyed in item.questions]
    given = {keyed.question.id: stream.choice((*_some_answers(keyed), None)) for keyed in item.questions}
    opened = following(item.scene, given)
    for place, name in enumerate(names):
        before = {known: given[known] for known in names[:place]}
        if (name in following(item.scene, before)) != (name in opened):
            yield f"{name} opens or closes by an answer to itself or to a later question"


def _check_asked(sample: Sample) -> Iterator[str]:
    """Check that the asked questions depend only on the answers, and not on their order."""
    mounted = sample.mounted
    for index, item in enumerate(sample.items[:5]):
        key: ExtractedAnswers = {keyed.question.id: keyed.key.label for keyed in item.questions}
        opened = mounted.benchmark.next_questions(item.scene, key)
        expected = [name for name in key if name in opened]
        given = [SealedAnswer(item=0, question=name, answer=key[name]) for name in expected]
        for order in (given, given[::-1]):
            found = [keyed.question.id for keyed in select_asked(mounted, item, order)]
            if found != expected:
                yield f"item {index}: right answers open {found}, and {expected} when they come in order"


def _facets(sample: Sample) -> Iterator[str]:
    """Metrics, chance levels and filters speak of facets that exist."""
    card = sample.mounted.benchmark.card
    facets = {name for _, _, keyed in sample.questions(LOOKED_AT) for name in keyed.facets}
    for metric in card.metrics:
        # A metric may group by a facet that some tracks lack if it is a filter: the card lists the values of filters.
        if unknown := (set(metric.where) | set(metric.by) - set(card.filters)) - facets:
            yield f"metric {metric.name} speaks of facets {sorted(unknown)} that no question has"
    if unknown := {name for level in card.chance for name in level.where} - facets:
        yield f"chance levels speak of facets {sorted(unknown)} that no question has"
    for index in range(len(sample.items[:LOOKED_AT])):
        stratum = sample.draw.cell(index)
        for name, values in card.filters.items():
            if name in stratum and stratum[name] not in values:
                yield f"item {index} has {name}={stratum[name]!r}, which filter {name} does not list"


def _secrecy(sample: Sample) -> Iterator[str]:
    """A question tells neither its key nor its facets."""
    for index, _, keyed in sample.questions(LOOKED_AT):
        public = set(msgspec.to_builtins(keyed.question))
        if told := public & {"key", "facets", "cluster", "option_values"}:
            yield f"item {index}, question {keyed.question.id}: it reveals {sorted(told)}"


def _solution(sample: Sample) -> Iterator[str]:
    """A solution is plain data with a sentence."""
    for index, item in enumerate(sample.items[:LOOKED_AT]):
        sentence, data = sample.mounted.benchmark.describe(item.scene)
        if not sentence.endswith("."):
            yield f"item {index}: its explanation is not a sentence: {sentence!r}"
        if msgspec.json.decode(msgspec.json.encode(data)).keys() != data.keys():
            yield f"item {index}: its description is not plain data"


# Of a sample: the key


def _view(sample: Sample) -> Iterator[str]:
    """Every picture holds something, in plain data, and every kind of question names its clue."""
    benchmark = sample.mounted.benchmark
    for index, item, keyed in _questions(sample, "view", LOOKED_AT):
        question, where = keyed.question, f"item {index}, question {keyed.question.id}"
        if not benchmark.clues.get(question.kind):
            yield f"clues has nothing for kind {question.kind!r}: name the parts that it can't be solved without"
        view = view_of(benchmark, item.scene, question)
        if empty := [picture.name for picture in question.pictures if not view.pictures.get(picture.name)]:
            yield f"{where}: pictures {empty} hold nothing: `holds` must say what is to be seen in them"
        msgspec.json.encode(view.pictures)


def _key(sample: Sample) -> Iterator[str]:
    """The independent solver's answer equals the key."""
    benchmark = sample.mounted.benchmark
    for index, item, keyed in _questions(sample, "key", SOLVED):
        found = benchmark.solve(view_of(benchmark, item.scene, keyed.question))
        if found != keyed.key.label:
            right, where = keyed.key.label, f"item {index}, question {keyed.question.id}"
            yield f"{where}: the solver answers {found!r}, the key is {right!r}"


def _judging(sample: Sample) -> Iterator[str]:
    """The key is judged correct and every other option incorrect; where nothing is chosen, other items' keys are."""
    others: dict[str, dict[str, None]] = defaultdict(dict)
    for _, _, keyed in sample.questions(LOOKED_AT):
        others[keyed.question.id][keyed.key.label] = None
    for index, _, keyed in sample.questions(LOOKED_AT):
        shape, right = keyed.question.shape, keyed.key.label
        where = f"item {index}, question {keyed.question.id}"
        if (verdict := judge_answer(keyed.key, right).verdict) != CORRECT:
            yield f"{where}: the key {right!r} is judged {verdict}"
        if isinstance(shape, Choice):
            wrong = [label for label in shape.labels if label != right]
            if accepted := [label for label in wrong if judge_answer(keyed.key, label).verdict != INCORRECT]:
                yield f"{where}: {accepted} are not judged incorrect, and the key is {right!r}"
        else:  # two items may have one answer in other words
            wrong = [label for label in others[keyed.question.id] if label != right]
            accepted = [label for label in wrong if judge_answer(keyed.key, label).verdict != INCORRECT]
            if len(accepted) > len(wrong) / 2:
                yield f"{where}: {len(accepted)} of {len(wrong)} other items' answers are not judged incorrect"


def _options(sample: Sample) -> Iterator[str]:
    """Any two options differ: in their words or in what their pictures hold, and in pixels where they are pictures."""
    mounted, benchmark = sample.mounted, sample.mounted.benchmark
    drawn = 3 if sample.is_default else 1
    for index, item, keyed in _questions(sample, "options", SOLVED):
        view = view_of(benchmark, item.scene, keyed.question)
        if len(set(keyed.option_values.values())) != len(keyed.option_values):
            yield f"item {index}, question {keyed.question.id}: two options have one value: {keyed.option_values}"
        for first, second in combinations(keyed.question.options, 2):
            if first.text != second.text:
                continue
            where = f"item {index}, question {keyed.question.id}: options {first.label} and {second.label}"
            if first.picture is None or second.picture is None:
                if first.picture == second.picture and first.text is not None:
                    yield f"{where} say the same: {first.text!r}"
            elif view.pictures and view.pictures.get(first.picture) == view.pictures.get(second.picture):
                yield f"{where} hold the same: {view.pictures.get(first.picture)}"
            elif index < drawn:
                mine, other = (
                    benchmark.render(mounted.bank, item.scene, str(option.picture)) for option in (first, second)
                )
                if np.array_equal(mine, other):
                    yield f"{where} have the same pixels"


def _clue(sample: Sample) -> Iterator[str]:
    """With the clue hidden, the solver is right no more often than a blind one. Each part of the clue is needed."""
    benchmark = sample.mounted.benchmark
    right, count, chance = Counter[str](), Counter[str](), dict[str, float]()
    ceilings = _declared_ceilings(sample)
    for _, item, keyed in _questions(sample, "clue", SOLVED):
        kind = keyed.question.kind
        right[kind] += _found_without(benchmark, item, keyed, benchmark.clues[kind])
        count[kind] += 1
        chance[kind] = max(chance.get(kind, 0.0), _chance(ceilings, keyed))
    for kind, of in count.items():
        if binom.sf(right[kind] - 1, of, chance[kind]) < FALSE_ALARM:
            yield (
                f"{kind}: with {', '.join(benchmark.clues[kind])} hidden the solver still solves {right[kind]} of {of} "
                f"({chance[kind]:.2f} is chance): the clue is not needed"
            )
    yield from _parts_of_clues(sample)


def _parts_of_clues(sample: Sample) -> Iterator[str]:
    """Yield the parts of clues that are not needed: with that part alone hidden, the solver is always right."""
    benchmark = sample.mounted.benchmark
    alone, shown = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for _, item, keyed in _questions(sample, "clue", SOLVED):
        kind = keyed.question.kind
        parts = [part for part in benchmark.clues[kind] if f"clue/{kind}/{part}" not in benchmark.exempt]
        if len(benchmark.clues[kind]) == 1:
            continue
        view = view_of(benchmark, item.scene, keyed.question)
        for part in parts:
            if view.parts(part):
                shown[kind, part] += 1
                alone[kind, part] += _found_without(benchmark, item, keyed, [part])
    for (kind, part), of in shown.items():
        if alone[kind, part] == of:
            yield (
                f"{kind}: with {part} alone hidden the solver still solves all {of}: beside the other clues it is not "
                f"needed; take it out of clues[{kind!r}], or exempt 'clue/{kind}/{part}' and say why"
            )


def _shortcuts(sample: Sample) -> Iterator[str]:
    """With a part of the clue hidden, no learner answers better than the card declares for who sees as much."""
    benchmark = sample.mounted.benchmark
    if sample.is_default and sample.is_whole:
        yield from map(str, shortcuts_of(sample, knowledge_of(benchmark.name).lacks))


def _found_without(benchmark: Benchmark, item: Item, keyed: KeyedQuestion, hide: Sequence[str]) -> bool:
    """Tell whether the solver finds the key although these parts are hidden."""
    try:
        return benchmark.solve(view_of(benchmark, item.scene, keyed.question, hide)) == keyed.key.label
    except (LookupError, ValueError):  # the solver refuses
        return False


def _declared_ceilings(sample: Sample) -> list[Ceiling]:
    """Return the ceilings that the card declares here. Those of 1 say that something beside the pair is a clue."""
    parameters = sample.draw.identity.parameters
    under = ceilings_under(sample.mounted.benchmark.card, sample.place.track, parameters)
    return [ceiling for ceiling in under if ceiling.value < 1]


def _chance(ceilings: Sequence[Ceiling], keyed: KeyedQuestion) -> float:
    """Return the highest ceiling of a question's facets, or the chance of a guess if that is higher."""
    shape = keyed.question.shape
    declared = [ceiling.value for ceiling in ceilings if fits(ceiling.where, keyed.facets)]
    return max([1 / len(shape.labels) if isinstance(shape, Choice) else 0.0, *declared])


def _ceilings(sample: Sample) -> Iterator[str]:
    """Every choice has a chance level on the card, and it is one over its options."""
    card: Card = sample.mounted.benchmark.card
    for index, _, keyed in _questions(sample, "ceilings", LOOKED_AT):
        if not isinstance(keyed.question.shape, Choice):
            continue
        uniform, where = 1 / len(keyed.question.shape.labels), f"item {index}, question {keyed.question.id}"
        levels = [level.uniform for level in card.chance if fits(level.where, keyed.facets)]
        if not levels:
            yield f"{where}: the card declares no chance level for its facets {keyed.facets}"
        elif abs(levels[0] - uniform) > 1e-9:  # noqa: PLR2004 - as written down
            yield f"{where}: the card's chance level is {levels[0]:.4f}, but one over its options is {uniform:.4f}"


def _outcomes(sample: Sample) -> Iterator[str]:
    """Check that, if mistakes are declared, every wrong option has one of them, and the right option none."""
    benchmark = sample.mounted.benchmark
    for index, item, keyed in _questions(sample, "outcomes", SOLVED):
        kind, named = keyed.question.kind, _named_outcomes(keyed)
        where, declared = f"item {index}, question {keyed.question.id}", benchmark.outcomes.get(kind, ())
        if keyed.key.label in named:
            yield f"{where}: the right option {keyed.key.label!r} has the outcome {named[keyed.key.label]!r}"
        if strange := sorted(set(named) - set(_some_answers(keyed))):
            yield f"{where}: outcomes are of {strange}, which are no options"
        if unknown := sorted(set(named.values()) - set(declared)):
            yield f"{where}: outcomes {unknown} are not declared: add them to outcomes[{kind!r}] of the Benchmark"
        if not declared or not isinstance(keyed.question.shape, Choice):
            continue
        wrong = [label for label in keyed.question.shape.labels if label != keyed.key.label]
        if unnamed := [label for label in wrong if label not in named]:
            yield f"{where}: wrong options {unnamed} have no outcome: say which mistake each stands for"
        if benchmark.mistake is not None:
            view = view_of(benchmark, item.scene, keyed.question)
            for label in (label for label in wrong if label in named):
                found = benchmark.mistake(view, label)
                if found is not None and found != named[label]:
                    yield f"{where}: option {label} stands for {named[label]!r}, and `mistake` finds {found!r}"


def _kinds_asked(mounted: Mounted, place: Place) -> set[str]:
    return {
        kind
        for setting in mounted.benchmark.card.settings
        if setting.name == place.setting
        for kind in setting.questions
    }


def _named_outcomes(keyed: KeyedQuestion) -> Mapping[str, str]:
    return keyed.key.outcomes if isinstance(keyed.key, ChoiceKey) else {}


def _outcomes_that_occur(mounted: Mounted) -> Iterator[str]:
    """Every mistake that is declared occurs in some place: under the defaults, or under some value of a parameter."""
    waiting = {(kind, name) for kind, names in mounted.benchmark.outcomes.items() for name in names}
    by_default_first = sorted(places(mounted), key=lambda place: len(place.parameters))
    for items, place in product((FEW, ITEMS), by_default_first):
        if waiting and {kind for kind, _ in waiting} & _kinds_asked(mounted, place):
            found = sample_at(mounted, place, items).questions()
            waiting -= {
                (keyed.question.kind, name) for _, _, keyed in found for name in _named_outcomes(keyed).values()
            }
    for kind, name in sorted(waiting):
        yield f"outcomes[{kind!r}] declares {name!r}, which no option of any item stands for: take it out"


# Of a sample: pictures


def _pixels(sample: Sample) -> Iterator[str]:
    """Pictures of what differs differ, and a solver of pictures, where there is one, finds the key in them."""
    if sample.is_default:
        yield from _same_pictures(sample)
        yield from _solved_from_pictures(sample)


def _same_pictures(sample: Sample) -> Iterator[str]:
    """Two items of which different things are to be seen must not have the same pictures."""
    benchmark, seen = sample.mounted.benchmark, dict[tuple[tuple[str, ...], bytes], tuple[int, bytes]]()
    for index, item in enumerate(sample.items[:DRAWN]):
        names = _names(item.questions)
        held = msgspec.json.encode([benchmark.holds(item.scene, name) for name in names], order="deterministic")
        pixels = hashlib.sha256()
        for name in names:
            drawn = benchmark.render(sample.mounted.bank, item.scene, name)
            pixels.update(repr(drawn.shape).encode() + drawn.tobytes())
        other, shown = seen.setdefault((names, pixels.digest()), (index, held))
        if names and shown != held:
            yield (
                f"items {other} and {index} have the same pictures, and `holds` says that they show different things: "
                "does `render` draw the scene?"
            )


def _solved_from_pictures(sample: Sample) -> Iterator[str]:
    """Let the solver that `knowledge.py` names answer from the messages that a model gets."""
    mounted, seeing = sample.mounted, knowledge_of(sample.mounted.benchmark.name).seeing
    if seeing is None or seeing.setting not in {None, sample.place.setting}:
        return
    questions = [asked for asked in _questions(sample, "pixels", READ) if fits(seeing.where, asked[2].facets)]
    right = sum(seeing.answer(mounted, item.scene, keyed.question) == keyed.key.label for _, item, keyed in questions)
    if binom.cdf(right, len(questions), seeing.least) < FALSE_ALARM:
        yield (
            f"{seeing.solver} reads {right} of {len(questions)} keys in the pictures, and {seeing.least:.0%} is the "
            "least: do the pictures show what `holds` says?"
        )


def _low_level(sample: Sample) -> Iterator[str]:
    """Plain measures of whole pictures answer no better than the card declares, or than chance."""
    mounted, place = sample.mounted, sample.place
    first = next(track.settings[0] for track in mounted.benchmark.card.tracks if track.name == place.track)
    if place.parameters or place.setting != first:
        return
    cases = (
        Case(scene=item.scene, index=index, keyed=keyed, previous="")
        for index, item, keyed in _questions(sample, "low-level", MEASURED)
    )
    bars = bars_under(mounted.benchmark.card, place.track, sample.draw.identity.parameters)
    for counted in count_right(mounted, cases, bars):
        if binom.sf(counted.right - 1, counted.n, counted.bar) < FALSE_ALARM:
            yield (
                f"{counted.solver} answers {counted.right} of {counted.n}, and {counted.bar:.2f} is declared: let "
                "colour and place of what changes vary, or state it in the card's `bars`"
            )


# Of a sample: where keys stand


@dataclass(frozen=True)
class Placed:
    """One choice: what its labels stand for, in order, and the place of the key."""

    labels: tuple[str, ...]
    values: tuple[str, ...]
    place: int


def _places(sample: Sample) -> Iterator[str]:
    """The key is uniform over drawn places, whatever the key before was, and whatever option stands beside it."""
    groups: dict[tuple[str, tuple[str, ...]], list[Placed]] = defaultdict(list)
    for _, item, keyed in _questions(sample, "places", len(sample.items)):
        question = keyed.question
        if isinstance(question.shape, Choice):
            labels = question.shape.labels
            groups[question.kind, labels].append(
                Placed(labels, _values(sample, item, keyed), labels.index(keyed.key.label))
            )
    for (kind, _), choices in groups.items():
        yield from (f"{kind}: {problem}" for problem in find_unevenness(choices))


def _values(sample: Sample, item: Item, keyed: KeyedQuestion) -> tuple[str, ...]:
    """Return a value for each option: its option value, its words, the contents of its picture, or its label."""
    found = []
    for option in keyed.question.options:
        value = keyed.option_values.get(option.label, option.text)
        if value is None and option.picture is not None:
            held = sample.mounted.benchmark.holds(item.scene, option.picture)
            value = msgspec.json.encode(held, order="deterministic").decode()
        found.append(option.label if value is None else value)
    return tuple(found)


def find_unevenness(choices: Sequence[Placed]) -> Iterator[str]:
    """Yield how the keys of these choices, in the order of their items, prefer some places to others."""
    changing = _changing_places(choices)
    drawn = changing or list(range(len(choices[0].values)))
    held = [choice for choice in choices if choice.place in drawn]
    if len(held) < LEAST:
        return
    places = [drawn.index(choice.place) for choice in held]
    labels = [held[0].labels[place] for place in drawn]
    size = len(drawn)
    yield from _find_skew("the key stands at", labels, Counter(places))
    steps = Counter((after - before) % size for before, after in pairwise(places))
    yield from _find_skew("from the key before to this key it is", [f"{step} places on" for step in range(size)], steps)
    if changing and size > 2:  # noqa: PLR2004 - beside one other option there is one place
        different = (choice for choice in held if len({*choice.values}) == len(choice.values))
        beside = Counter(_step_to_first(choice, drawn) - 1 for choice in different)
        words = [f"{step} places on" for step in range(1, size)]
        yield from _find_skew("from the first wrong option (by its value) to the key it is", words, beside)


def _changing_places(choices: Sequence[Placed]) -> list[int]:
    """Return the places whose options change from item to item: those that the options are shuffled over."""
    return [place for place in range(len(choices[0].values)) if len({choice.values[place] for choice in choices}) > 1]


def _step_to_first(choice: Placed, drawn: list[int]) -> int:
    first = min((place for place in drawn if place != choice.place), key=lambda place: choice.values[place])
    return (drawn.index(choice.place) - drawn.index(first)) % len(drawn)


def _find_skew(what: str, names: Sequence[str], counts: Counter[int]) -> Iterator[str]:
    observed = [counts[place] for place in range(len(names))]
    if any(observed) and chisquare(observed).pvalue < FALSE_ALARM:
        told = ", ".join(f"{name} in {count}" for name, count in zip(names, observed, strict=True))
        yield f"{what} {told} of {sum(observed)} items: shuffle the options by a stream of their own"


OF_BENCHMARKS: Mapping[str, Callable[[Mounted], Iterator[str]]] = {
    "card": _card,
    "exempt": _exempt,
    "ceilings": _ceilings_of_tracks,
    "golden": card_faults,
    "outcomes": _outcomes_that_occur,
    "tables": _tables,
}
OF_SAMPLES: Mapping[str, Callable[[Sample], Iterator[str]]] = {
    "reproducible": _reproducible,
    "variety": _variety,
    "labels": _labels,
    "pictures": _pictures,
    "order": _order,
    "opening": _opening,
    "asked": _check_asked,
    "facets": _facets,
    "secrecy": _secrecy,
    "solution": _solution,
    "view": _view,
    "key": _key,
    "judging": _judging,
    "options": _options,
    "places": _places,
    "clue": _clue,
    "shortcuts": _shortcuts,
    "ceilings": _ceilings,
    "outcomes": _outcomes,
    "pixels": _pixels,
    "low-level": _low_level,
    "golden": sample_faults,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the faults. Return 0 for none, 1 for some or a track that can't be checked, 2 for an unknown name."""
    parser = argparse.ArgumentParser(prog="python -m generator_service.proving.conformance")
    add_arguments(parser)
    try:
        asked_for = choose(parser.parse_args(arguments))
    except RegistryError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    found = 0
    for fault in chain(_unserved_faults(asked_for), *map(faults, asked_for.mounted_benchmarks())):
        found += 1
        sys.stdout.write(f"{fault}\n")
    sys.stdout.write(f"{len(asked_for.benchmarks)} benchmarks, {found} faults\n")
    return 1 if found else 0


def _unserved_faults(asked_for: Chosen) -> Iterator[Fault]:
    for benchmark, track, lacking in asked_for.unserved_tracks():
        yield Fault("sources", benchmark.name, track, f"not looked at: {lacking}")


if __name__ == "__main__":
    sys.exit(main())
