"""Solvers that see less than a question, and learn the rest from a draw of their own.

What a solver sees is what its `look` takes from a case, and nothing else. `learn` gets views with their right
labels, and returns what guesses whole batches of views.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from generator_service.proving.cases import Case
from generator_service.proving.hashed_texts import KNOWN, Hashed, Numbers, hash_texts, learn_hashed

View = Any
Guesser = Callable[[Sequence[View]], list[str]]
MODULI = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12)


@dataclass(frozen=True, kw_only=True)
class Solver:
    """A blind solver. `sees` names its ceiling. `exact`: it is the best of its sight, and must reach the ceiling.

    `free`: it writes its answer, and needs no options to choose from. `pictured`: it needs options that are pictures.
    `kinds`: the kinds of question that it answers; all if none is named.
    """

    name: str
    sees: str
    exact: bool
    look: Callable[[Case], View]
    learn: Callable[[Sequence[View], Sequence[str]], Guesser]
    free: bool = False
    pictured: bool = False
    kinds: frozenset[str] = frozenset()

    def answers(self, case: Case) -> bool:
        """Tell whether it can answer this question at all."""
        if self.kinds and case.keyed.question.kind not in self.kinds:
            return False
        if self.pictured and not any(option.picture for option in case.keyed.question.options):
            return False
        return self.free or bool(case.labels)


@dataclass(frozen=True)
class Offer:
    """A set of options: labels with what they show, and whatever else is seen."""

    labels: tuple[str, ...]
    tokens: tuple[Hashable, ...]
    beside: Hashable = None

    @property
    def key(self) -> Hashable:
        return frozenset(self.tokens), self.beside


def option_table(look: Callable[[Case], Offer], *, name: str, sees: str) -> Solver:
    """Return the solver that knows, for every set of options, how often each of them was right."""
    return Solver(name=name, sees=sees, exact=True, look=look, learn=learn_table)


def learn_table(views: Sequence[Offer], labels: Sequence[str]) -> Guesser:
    by_set: dict[Hashable, Counter[Hashable]] = defaultdict(Counter)
    overall: Counter[Hashable] = Counter()
    for view, label in zip(views, labels, strict=True):
        token = view.tokens[view.labels.index(label)]
        by_set[view.key][token] += 1
        overall[token] += 1

    def guess(views: Sequence[Offer]) -> list[str]:
        found = []
        for view in views:
            known = by_set.get(view.key, overall)
            found.append(max(zip(view.labels, view.tokens, strict=True), key=lambda option: known[option[1]])[0])
        return found

    return guess


def by_rule(choose: Callable[[View], str]) -> Callable[[Sequence[View], Sequence[str]], Guesser]:
    """Return a `learn` for a solver that has nothing to learn."""
    return lambda _views, _labels: lambda views: [choose(view) for view in views]


def _learn_words(views: Sequence[Offer], labels: Sequence[str]) -> Guesser:
    """Learn, by logistic regression on single options, whether an option with these words is right."""
    right: Counter[str] = Counter()
    offered: Counter[str] = Counter()
    for view, label in zip(views, labels, strict=True):
        offered.update(map(str, view.tokens))
        right[str(view.tokens[view.labels.index(label)])] += 1
    texts = sorted(offered)
    words = CountVectorizer(token_pattern=r"\S+", ngram_range=(1, 2)).fit(texts)  # noqa: S106 - no password
    rows, weights = words.transform([*texts, *texts]), [right[text] for text in texts]
    weights += [offered[text] - right[text] for text in texts]
    model = LogisticRegression(C=100.0, max_iter=2000).fit(rows, [1] * len(texts) + [0] * len(texts), weights)
    odds = dict(zip(texts, model.decision_function(words.transform(texts)), strict=True))

    def guess(views: Sequence[Offer]) -> list[str]:
        return [
            max(zip(v.labels, v.tokens, strict=True), key=lambda option: odds.get(str(option[1]), -np.inf))[0]
            for v in views
        ]

    return guess


def _question_and_options(case: Case) -> Hashed:
    """See how the question is put, beside each option's words and label."""
    question = case.keyed.question
    put = f"{question.instruction} {question.text}"
    return case.labels, tuple(
        _hash_option(put, label, str(text)) for label, text in zip(case.labels, case.texts(), strict=True)
    )


@lru_cache(maxsize=100_000)  # some 300 bytes each; most questions are put in few ways
def _hash_option(question: str, label: str, text: str) -> Numbers:
    """Return the numbers of one option: the question as a whole beside its words, and its words beside the option."""
    texts = [label, text, f"{question}|{label}", f"{question}|{text}"]
    texts += [f"{question}|{word}" for word in text.split()]
    texts += [f"{word}|{part}" for word in question.split() for part in (label, text)]
    return hash_texts(texts, KNOWN)


def _learn_order(views: Sequence[tuple[int, str]], labels: Sequence[str]) -> Guesser:
    """Guess from the item's number, modulo the number that fits best, and from the key of the item before."""
    tables = []
    for modulus in MODULI:
        table: dict[tuple[int, str], Counter[str]] = defaultdict(Counter)
        for (index, previous), label in zip(views, labels, strict=True):
            table[index % modulus, previous][label] += 1
        fit = sum(max(counts.values()) for counts in table.values()) - len(table)
        tables.append((fit, modulus, {place: counts.most_common(1)[0][0] for place, counts in table.items()}))
    _, modulus, best = max(tables, key=lambda table: table[0])
    usual = Counter(labels).most_common(1)[0][0]
    return lambda views: [best.get((index % modulus, previous), usual) for index, previous in views]


BLIND = frozenset({"options-only", "pair-blind", "text-only"})
"""What solvers see that lack the whole clue."""
SIGHTS = BLIND | {"order"}
"""What solvers of every benchmark see."""


def general_solvers(beside: Callable[[Case], Hashable]) -> list[Solver]:
    """Return the solvers that need no picture. `beside` tells what all but the given pair shows next to the options."""

    def options(case: Case) -> Offer:
        return Offer(case.labels, case.tokens())

    def words(case: Case) -> Offer:
        return Offer(case.labels, case.texts())

    def all_but_the_pair(case: Case) -> Offer:
        return replace(options(case), beside=beside(case))

    return [
        option_table(options, name="option table", sees="options-only"),
        option_table(all_but_the_pair, name="option table", sees="pair-blind"),
        option_table(words, name="table of option texts", sees="text-only"),
        Solver(name="bag of words", sees="text-only", exact=False, look=words, learn=_learn_words),
        Solver(
            name="question and options", sees="text-only", exact=False, look=_question_and_options, learn=learn_hashed
        ),
    ]


ORDER = Solver(
    name="order and place",
    sees="order",
    exact=False,
    look=lambda case: (case.index, case.previous),
    learn=_learn_order,
    free=True,
)
