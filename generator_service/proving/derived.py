"""Learners derived from the clues of a benchmark: they see a question without a part of its clue, and learn the rest.

For every kind of question but counts, each part of its clue is hidden alone, and all parts together. Learners get
everything that remains: words, captions, options, and whatever pictures hold. They are held to what the card declares
for solvers that see no more than they do, and else to chance. No benchmark says what they may look at.

Map of this module:
    sight_of     what is left of a question, as facts: of the context, and of each option
    learners     a table of whole sights, and a logistic regression over facts, pairs of facts, and facts that are equal
    judge        train them on some cases, test them on others, correct for the number of tests
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod
from typing import Any
from zlib import crc32

import numpy as np

from generator_service.benchmark import Benchmark
from generator_service.proving.blind_solvers import BLIND, Guesser, Offer, learn_table
from generator_service.proving.bounds import tails
from generator_service.proving.cases import Case, view_of
from generator_service.proving.declared import ceilings_under
from generator_service.proving.equivalence import holm
from generator_service.proving.hashed_texts import KNOWN, Hashed, Numbers, learn_hashed
from generator_service.proving.samples import Sample
from tetrad.contracts.benchmarks import Card, Ceiling
from tetrad.contracts.items import StateCaption, StateCaptionKey

LEVEL = 0.001
"""The chance that one call says of a benchmark without a shortcut that it has one."""
LEAST = 60  # cases to be tested on: fewer tell nothing
LEARNED, ASKED = 400, 200  # items of a sample
_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # joins two numbers to one: an odd number near 2**64 / golden ratio
Fact = tuple[str, str]
"""Where something stands in a view, and what it is: ("1.given.0.colour", "red")."""


@dataclass(frozen=True)
class Sight:
    """The rest of one question: the facts of its context, and those of each option in the order of the labels."""

    labels: tuple[str, ...]
    options: tuple[tuple[Fact, ...], ...]
    context: tuple[Fact, ...]


@dataclass(frozen=True, kw_only=True)
class Result:
    """The score of one learner on questions of one kind while parts of their clue were hidden.

    bound: the share that is declared, on average over the questions. p_value: the chance of so many right answers if it
    is true. is_shortcut: it is not, at LEVEL over all results of one call.
    """

    kind: str
    hidden: tuple[str, ...]
    learner: str
    right: int
    n: int
    bound: float
    p_value: float
    is_shortcut: bool = False

    def __str__(self) -> str:
        return (
            f"{self.kind}: with {', '.join(self.hidden)} hidden a learner ({self.learner}) answers {self.right} of "
            f"{self.n}, and {self.bound:.2f} is declared: remove what tells the answer, or declare a ceiling"
        )


def hidings_of(benchmark: Benchmark, kind: str) -> list[tuple[str, ...]]:
    """Return the sets of parts to hide: each alone, and all together; no part or kind that is exempt by its name."""
    clue, exempt = tuple(benchmark.clues.get(kind, ())), benchmark.exempt
    if f"shortcuts/{kind}" in exempt:
        return []
    alone: list[tuple[str, ...]] = [
        (part,) for part in clue if not {f"clue/{kind}/{part}", f"shortcuts/{kind}/{part}"} & exempt.keys()
    ]
    return [*alone, clue] if len(clue) > 1 else alone


def sight_of(benchmark: Benchmark, case: Case, hidden: Sequence[str]) -> Sight:
    """Return the facts that remain. A list with an entry for each label tells of each option, and of the context."""
    view = view_of(benchmark, case.scene, case.keyed.question, hidden)
    owners = {option.picture: place for place, option in enumerate(view.question.options) if option.picture}
    of_option = [_option_facts(option.label, option.text or "") for option in view.question.options]
    context = [("question", view.question.text), *(("asked", word) for word in view.question.text.split())]
    for picture in view.question.pictures:
        place, parts = owners.get(picture.name), view.pictures.get(picture.name, {})
        if place is not None:
            of_option[place] += [("caption", picture.caption or ""), *flatten(parts, "")]
            continue
        context += [(f"{picture.name}.caption", picture.caption or ""), *flatten(parts, picture.name)]
        for part, held in parts.items():
            if isinstance(held, list) and len(held) == len(of_option):
                for facts, entry in zip(of_option, held, strict=True):
                    facts.extend(flatten(entry, part))
    return Sight(case.labels, tuple(map(tuple, of_option)), tuple(context))


def _option_facts(label: str, text: str) -> list[Fact]:
    return [("label", label), ("text", text), *(("word", word) for word in text.split())]


def flatten(held: Any, path: str) -> list[Fact]:
    """Return the leaves of plain data with their paths, each as text."""
    if isinstance(held, Mapping):
        return [fact for name, value in held.items() for fact in flatten(value, f"{path}.{name}")]
    if isinstance(held, list | tuple):
        return [fact for place, value in enumerate(held) for fact in flatten(value, f"{path}.{place}")]
    return [(path, f"{held:.3g}" if isinstance(held, float) else str(held))]


def _see_whole(sight: Sight) -> Offer:
    """Return the sight for a table: each option by its facts but for its label, beside the whole context."""
    return Offer(sight.labels, tuple(facts[1:] for facts in sight.options), sight.context)


def _see_facts(sight: Sight) -> Hashed:
    """Return for each option the numbers of its facts, of each beside each of the context, and of what is equal.

    Equal are values of the option and of the context, and values that several options share: their paths are numbers,
    whatever the value is.
    """
    context = np.array([_number(*fact) for fact in sight.context], np.uint64)
    placed = defaultdict[str, list[str]](list)
    for path, value in sight.context:
        placed[value].append(path)
    shared = defaultdict[Fact, int](int)
    for facts in sight.options:
        for fact in set(facts):
            shared[fact] += 1
    return sight.labels, tuple(_see_option(facts, context, placed, shared) for facts in sight.options)


def _see_option(
    facts: Sequence[Fact], context: Any, placed: Mapping[str, Sequence[str]], shared: Mapping[Fact, int]
) -> Numbers:
    own = np.array([_number(*fact) for fact in facts], np.uint64)
    crossed = (own[:, None] * _SPREAD ^ context[None, :]) * _SPREAD >> np.uint64(20)
    equal = [_number(path, other) for path, value in facts for other in placed.get(value, ())]
    counted = [_number(f"{fact[0]} shared", str(shared[fact])) for fact in facts]
    numbers = np.concatenate([own, crossed.ravel(), np.array(equal + counted, np.uint64)]) % np.uint64(KNOWN)
    return np.unique(numbers.astype(np.int32))


@lru_cache(maxsize=200_000)  # some 200 bytes each
def _number(path: str, value: str) -> int:
    return crc32(f"{path}={value}".encode())


def choices_of(case: Case) -> list[tuple[tuple[str, ...], str]]:
    """Return what is chosen: labels, and the right one. A caption chooses a value of each property, a number none."""
    shape, key = case.keyed.question.shape, case.keyed.key
    if isinstance(shape, StateCaption) and isinstance(key, StateCaptionKey):
        return [(tuple(values), key.values[name]) for name, values in shape.properties.items()]
    return [(case.labels, case.label)] if case.labels else []


def _sights_of(benchmark: Benchmark, case: Case, hidden: Sequence[str]) -> list[Sight]:
    """Return a sight for each of `choices_of`: the same context, and other options."""
    whole = sight_of(benchmark, case, hidden)
    if case.labels:
        return [whole]
    return [
        Sight(values, tuple((("label", value), ("text", value)) for value in values), whole.context)
        for values, _ in choices_of(case)
    ]


LEARNERS: Mapping[str, tuple[Callable[[Sight], Any], Callable[[Sequence[Any], Sequence[str]], Guesser]]] = {
    "table": (_see_whole, learn_table),
    "regression": (_see_facts, learn_hashed),
}
"""By name: what a learner takes from a sight, and how it learns."""


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """The ceilings that hold in a draw. `lacks`: by the name of a solver, what it does not see of the clue."""

    ceilings: Sequence[Ceiling]
    lacks: Mapping[str, Sequence[str]]

    def find(self, case: Case, hidden: Sequence[str]) -> float:
        """Return the highest ceiling of a solver that lacks at least what is hidden, or chance if that is higher."""
        found = [1 / prod(len(labels) for labels, _ in choices_of(case))]
        for ceiling in self.ceilings:
            lacking = self.lacks.get(ceiling.solver)
            sees_as_little = ceiling.solver in BLIND or (lacking is not None and {*hidden} <= {*lacking})
            if sees_as_little and case.matches(ceiling.where):
                found.append(ceiling.value)
        return max(found)


def judge_learners(
    benchmark: Benchmark, learned: Iterable[Case], asked: Iterable[Case], bounds: Bounds
) -> list[Result]:
    """Train every learner without every part, and test it. Questions of which everything is declared are left out."""
    known, new = _by_kind(learned), _by_kind(asked)
    results = [
        result
        for kind in known
        for hidden in hidings_of(benchmark, kind)
        for result in _test(benchmark, hidden, known[kind], new.get(kind, []), bounds)
    ]
    rejected = holm([result.p_value for result in results], LEVEL)
    return [replace(result, is_shortcut=is_one) for result, is_one in zip(results, rejected, strict=True)]


def shortcuts_of(sample: Sample, lacks: Mapping[str, Sequence[str]]) -> list[Result]:
    """Learn on the first items of a sample, ask the next. Of a track each kind is looked at in one setting."""
    benchmark, place = sample.mounted.benchmark, sample.place
    kinds = first_asked(benchmark.card, place.track)[place.setting]
    cases = [
        Case(scene=item.scene, index=index, keyed=keyed, previous="")
        for index, item, keyed in sample.questions(LEARNED + ASKED)
        if keyed.question.kind in kinds
    ]
    parameters = sample.draw.identity.parameters
    bounds = Bounds(ceilings=ceilings_under(benchmark.card, place.track, parameters), lacks=lacks)
    learned, asked = ([case for case in cases if (case.index < LEARNED) is so] for so in (True, False))
    return [result for result in judge_learners(benchmark, learned, asked, bounds) if result.is_shortcut]


def first_asked(card: Card, track: str) -> dict[str, set[str]]:
    """Return, for each setting of the track, the kinds of question that no setting before it asks."""
    names = next(known.settings for known in card.tracks if known.name == track)
    asked = {setting.name: set(setting.questions) for setting in card.settings}
    return {
        name: asked[name].difference(*(asked[before] for before in names[:place])) for place, name in enumerate(names)
    }


def _by_kind(cases: Iterable[Case]) -> dict[str, list[Case]]:
    found = defaultdict[str, list[Case]](list)
    for case in cases:
        if choices_of(case):
            found[case.keyed.question.kind].append(case)
    return found


def _test(
    benchmark: Benchmark, hidden: tuple[str, ...], learned: Sequence[Case], asked: Sequence[Case], bounds: Bounds
) -> Iterator[Result]:
    learned = [case for case in learned if bounds.find(case, hidden) < 1]
    bounded = [(case, bound) for case in asked if (bound := bounds.find(case, hidden)) < 1]
    asked, chances = [case for case, _ in bounded], [bound for _, bound in bounded]
    if not learned or len(asked) < LEAST:
        return
    known, new = ([_sights_of(benchmark, case, hidden) for case in cases] for cases in (learned, asked))
    rights = [[right for _, right in choices_of(case)] for case in learned]
    for name, (see, learn) in LEARNERS.items():
        guessed = []
        for choice in range(len(rights[0])):
            guess = learn([see(sights[choice]) for sights in known], [right[choice] for right in rights])
            guessed.append(guess([see(sights[choice]) for sights in new]))
        right = sum(
            all(guess == label for guess, (_, label) in zip(guesses, choices_of(case), strict=True))
            for guesses, case in zip(zip(*guessed, strict=True), asked, strict=True)
        )
        yield Result(
            kind=asked[0].keyed.question.kind,
            hidden=hidden,
            learner=name,
            right=right,
            n=len(asked),
            bound=sum(chances) / len(chances),
            p_value=tails(right, chances)[1],
        )
