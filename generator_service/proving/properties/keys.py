"""Properties of a sample: its keys, how answers are judged, which clues are needed, what mistakes stand for."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

import msgspec
import numpy as np
from scipy.stats import binom

from generator_service.benchmark import Benchmark
from generator_service.items import Item
from generator_service.proving.cases import view_of
from generator_service.proving.declared import ceilings_under
from generator_service.proving.derived import shortcuts_of
from generator_service.proving.knowledge import knowledge_of
from generator_service.proving.properties.questions import (
    FALSE_ALARM,
    LOOKED_AT,
    find_outcomes,
    list_answers,
    list_questions,
)
from generator_service.proving.samples import Sample, fits
from tetrad.contracts.benchmarks import Card, Ceiling
from tetrad.contracts.items import Choice, KeyedQuestion
from tetrad.extraction.judging import CORRECT, INCORRECT, judge_answer

SOLVED = 200  # items that are solved, with the clue and without


def check_view(sample: Sample) -> Iterator[str]:
    """Every picture holds something, in plain data, and every kind of question names its clue."""
    benchmark = sample.mounted.benchmark
    for index, item, keyed in list_questions(sample, "view", LOOKED_AT):
        question, where = keyed.question, f"item {index}, question {keyed.question.id}"
        if not benchmark.clues.get(question.kind):
            yield f"clues has nothing for kind {question.kind!r}: name the parts that it can't be solved without"
        view = view_of(benchmark, item.scene, question)
        if empty := [picture.name for picture in question.pictures if not view.pictures.get(picture.name)]:
            yield f"{where}: pictures {empty} hold nothing: `holds` must say what is to be seen in them"
        msgspec.json.encode(view.pictures)


def check_key(sample: Sample) -> Iterator[str]:
    """The independent solver's answer equals the key."""
    benchmark = sample.mounted.benchmark
    for index, item, keyed in list_questions(sample, "key", SOLVED):
        found = benchmark.solve(view_of(benchmark, item.scene, keyed.question))
        if found != keyed.key.label:
            right, where = keyed.key.label, f"item {index}, question {keyed.question.id}"
            yield f"{where}: the solver answers {found!r}, the key is {right!r}"


def check_judging(sample: Sample) -> Iterator[str]:
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


def check_options(sample: Sample) -> Iterator[str]:
    """Any two options differ: in their words or in what their pictures hold, and in pixels where they are pictures."""
    mounted, benchmark = sample.mounted, sample.mounted.benchmark
    drawn = 3 if sample.is_default else 1
    for index, item, keyed in list_questions(sample, "options", SOLVED):
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


def check_clue(sample: Sample) -> Iterator[str]:
    """With the clue hidden, the solver is right no more often than a blind one. Each part of the clue is needed."""
    benchmark = sample.mounted.benchmark
    right, count, chance = Counter[str](), Counter[str](), dict[str, float]()
    ceilings = _declared_ceilings(sample)
    for _, item, keyed in list_questions(sample, "clue", SOLVED):
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
    for _, item, keyed in list_questions(sample, "clue", SOLVED):
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


def check_shortcuts(sample: Sample) -> Iterator[str]:
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


def check_ceilings(sample: Sample) -> Iterator[str]:
    """Every choice has a chance level on the card, and it is one over its options."""
    card: Card = sample.mounted.benchmark.card
    for index, _, keyed in list_questions(sample, "ceilings", LOOKED_AT):
        if not isinstance(keyed.question.shape, Choice):
            continue
        uniform, where = 1 / len(keyed.question.shape.labels), f"item {index}, question {keyed.question.id}"
        levels = [level.uniform for level in card.chance if fits(level.where, keyed.facets)]
        if not levels:
            yield f"{where}: the card declares no chance level for its facets {keyed.facets}"
        elif abs(levels[0] - uniform) > 1e-9:  # noqa: PLR2004 - as written down
            yield f"{where}: the card's chance level is {levels[0]:.4f}, but one over its options is {uniform:.4f}"


def check_outcomes(sample: Sample) -> Iterator[str]:
    """Check that, if mistakes are declared, every wrong option has one of them, and the right option none."""
    benchmark = sample.mounted.benchmark
    for index, item, keyed in list_questions(sample, "outcomes", SOLVED):
        kind, named = keyed.question.kind, find_outcomes(keyed)
        where, declared = f"item {index}, question {keyed.question.id}", benchmark.outcomes.get(kind, ())
        if keyed.key.label in named:
            yield f"{where}: the right option {keyed.key.label!r} has the outcome {named[keyed.key.label]!r}"
        if strange := sorted(set(named) - set(list_answers(keyed))):
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
