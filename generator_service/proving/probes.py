"""Learners that are trained on many practice items, and must not come to know fresh ones by what they see.

Map of this module:
    copies               a picture as numbers, made once for all learners
    probe on labels      each option has texts that say what a labelled picture tells of it: a logistic regression over
                         hashed texts, which knows a text by heart that is long enough
    probe on pixels      for options in words: each text, joined with the main components of the pictures that are seen
    options by heart     for options that are pictures: the most similar ones of practice, and what is near to what
    practice by heart    the solver of `by_heart`
    held, judged         train them, score them on new items, and hold the scores to the ceilings
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, islice
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from generator_service.mounting import Mounted
from generator_service.proving.blind_solvers import Guesser, Solver, View
from generator_service.proving.by_heart import NEAREST, SMALL, Memory, Row, seen_in, small
from generator_service.proving.cases import Case, Variant
from generator_service.proving.equivalence import Score, verdicts
from generator_service.proving.hashed_texts import KNOWN, Hashed, hash_texts, is_right, learn_hashed
from generator_service.proving.study import cells_of

Texts = Callable[[Case], Sequence[Sequence[str]]]
"""For each option, in the order of the labels: texts that say what is seen of it."""
Names = Callable[[Case], Sequence[str]]
"""The names of the pictures that a probe sees."""
_JOINED = 64  # numbers that texts are hashed to by probes on pixels
_SIDE, _WIDTH = 128, 192  # pixels a side of a fine copy, and the numbers that it is mixed into
_COMPONENTS = 24  # of the pictures
_PEEKED = 100  # questions
_SEED = 7
Pictured = tuple[tuple[str, ...], Row, Sequence[Row]]
"""Labels, the options' copies (options, 384), and copies of other pictures that are seen."""


@dataclass(frozen=True, kw_only=True)
class Probe:
    """A solver that is trained on many items. `pictured`: it is shown pictures, and so is trained on fewer."""

    solver: Solver
    pictured: bool


@dataclass(frozen=True, kw_only=True)
class Held:
    """The score of one probe in one cell."""

    solver: Solver
    where: str
    score: Score
    verdict: str


def probe_on_labels(name: str, sees: str, texts: Texts) -> Probe:
    """Return a probe that sees the texts of each option."""

    def look(case: Case) -> Hashed:
        return case.labels, tuple(hash_texts(of_option, KNOWN) for of_option in texts(case))

    return Probe(solver=Solver(name=name, sees=sees, exact=False, look=look, learn=learn_hashed), pictured=False)


class Copies:
    """Makes copies of an item's pictures, each once: several probes look at one item in turn."""

    def __init__(self, mounted: Mounted) -> None:
        self._mounted = mounted
        self._scene: Any = None
        self._made: dict[str, Row] = {}

    def of(self, case: Case, name: str) -> Row:
        """Return a picture as 384 numbers: its coarse copy, and its fine one mixed."""
        if case.scene is not self._scene:
            self._scene, self._made = case.scene, {}
        if name not in self._made:
            pixels = self._mounted.benchmark.render(self._mounted.bank, case.scene, name)
            fine = small(pixels, _SIDE)
            coarse = fine.reshape(SMALL, _SIDE // SMALL, SMALL, _SIDE // SMALL, 3).mean(axis=(1, 3)).ravel()
            self._made[name] = np.concatenate([coarse, _mix_row(fine)])
        return self._made[name]


def _mix_row(fine: Row) -> Row:
    """Return 192 sums of the numbers of a picture of 128 x 128 pixels, each number with a sign of its own.

    Which number goes into which sum is drawn once. Distances stay what they are on average (Weinberger et al. 2009,
    feature hashing), on the scale of the coarse copy.
    """
    order, signs = _mix()
    sums: Row = ((fine - np.float32(0.5))[order] * signs).reshape(_WIDTH, -1).sum(axis=1)
    return sums / np.float32((len(order) / _WIDTH) ** 0.5)


@cache
def _mix() -> tuple[npt.NDArray[np.intp], Row]:
    rng = np.random.default_rng(_SEED)
    order = rng.permutation(3 * _SIDE * _SIDE)
    return order, rng.choice(np.array([-1, 1], np.float32), len(order))


def probe_on_pixels(name: str, sees: str, copies: Copies, texts: Texts, names: Names) -> Probe:
    """Return a probe that sees copies of some pictures, and the texts of each option."""

    def look(case: Case) -> tuple[Hashed, Row]:
        shown = np.concatenate([copies.of(case, name) for name in names(case)])
        told = tuple(hash_texts(of_option, _JOINED) for of_option in texts(case))
        return (case.labels, told), shown

    return Probe(solver=Solver(name=name, sees=sees, exact=False, look=look, learn=_learn_joined), pictured=True)


def options_by_heart(name: str, sees: str, copies: Copies, names: Names) -> Probe:
    """Return a solver that keeps each option's picture and whether it was right. It sees some other pictures, too.

    Of a new option it asks how often the most similar ones were right, how near it is to those, to the other options,
    and to the other pictures that it sees. It weighs all that by logistic regression.
    """

    def look(case: Case) -> Pictured:
        shown = {option.label: option.picture for option in case.keyed.question.options}
        options = np.stack([copies.of(case, shown[label] or "") for label in case.labels])
        return case.labels, options, [copies.of(case, name) for name in names(case)]

    return Probe(solver=Solver(name=name, sees=sees, exact=False, look=look, learn=_learn_options), pictured=True)


def known_by_heart(name: str, sees: str, copies: Copies) -> Probe:
    """Return the solver of `by_heart`: it sees all pictures of a question and its options, and knows practice items."""

    def look(case: Case) -> View:
        question = case.keyed.question
        shown = {picture.name: copies.of(case, picture.name) for picture in question.pictures}
        return case.labels, replace(seen_in(question, case.label, shown), right=-1)

    def learn(views: Sequence[View], labels: Sequence[str]) -> Guesser:
        memory = Memory(
            [replace(seen, right=shown.index(right)) for (shown, seen), right in zip(views, labels, strict=True)]
        )
        return lambda views: [shown[memory.answer(seen)] for shown, seen in views]

    return Probe(solver=Solver(name=name, sees=sees, exact=False, look=look, learn=learn), pictured=True)


def hold_probes(
    mounted: Mounted, variant: Variant, probes: Sequence[Probe], learned: Iterable[Case], asked: Iterable[Case]
) -> Iterator[Held]:
    """Train probes on the cases of one draw, and yield their scores on those of another; not judged yet.

    Cases may be made one by one: of each only what the probes see is kept. A ceiling of 1 leaves nothing to test.
    """
    waiting = iter(learned)
    first = list(islice(waiting, _PEEKED))  # they show which questions no ceiling is about
    cells = [
        (probe.solver, cell)
        for probe in probes
        for cell in cells_of(mounted.benchmark.card, variant, probe.solver.sees, first)
        if cell.ceiling < 1
    ]
    known: list[tuple[list[View], list[str]]] = [([], []) for _ in cells]
    for case in chain(first, waiting):
        for (solver, cell), (views, labels) in zip(cells, known, strict=True):
            if case.matches(cell.where) and solver.answers(case):
                views.append(solver.look(case))
                labels.append(case.label)
    guessers = [
        solver.learn(views, labels) if views else None
        for (solver, _), (views, labels) in zip(cells, known, strict=True)
    ]
    del known
    right, n = [0] * len(cells), [0] * len(cells)
    for case in asked:
        for place, ((solver, cell), guesser) in enumerate(zip(cells, guessers, strict=True)):
            if guesser is not None and case.matches(cell.where) and solver.answers(case):
                n[place] += 1
                right[place] += guesser([solver.look(case)]) == [case.label]
    for (solver, cell), good, count in zip(cells, right, n, strict=True):
        if count:
            score = Score(right=good, n=count, ceiling=cell.ceiling, exact=False)
            yield Held(solver=solver, where=str(cell), score=score, verdict="")


def judge(found: Sequence[Held], family: float) -> list[Held]:
    """Return scores with their verdicts: all of them share the family-wise error."""
    told = verdicts([result.score for result in found], family)
    return [replace(result, verdict=verdict) for result, verdict in zip(found, told, strict=True)]


def _join_parts(told: Hashed, parts: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return every text of every option joined with every part of the pictures, (options, texts * parts)."""
    texts = np.zeros((len(told[1]), _JOINED), np.float32)
    for place, numbers in enumerate(told[1]):
        texts[place, numbers] = 1
    texts -= texts.mean(axis=0)  # what all options share tells none from another
    rows: npt.NDArray[np.float32] = (texts[:, :, None] * parts).reshape(len(texts), -1)
    return rows


def _learn_joined(views: Sequence[tuple[Hashed, Row]], labels: Sequence[str]) -> Guesser:
    """Learn from the main components of the pictures, each joined with each text."""
    main = PCA(n_components=min(_COMPONENTS, len(views) - 1), whiten=True, svd_solver="full")
    main.fit(np.stack([pixels for _, pixels in views]))

    def rows(view: tuple[Hashed, Row]) -> npt.NDArray[np.float32]:
        told, pixels = view
        return _join_parts(told, np.append(main.transform(pixels[None])[0], 1).astype(np.float32))

    right = is_right([told for told, _ in views], labels)
    model = LogisticRegression(C=0.01, max_iter=60, tol=1e-3)
    model.fit(np.concatenate([rows(view) for view in views]), right)
    return lambda views: [view[0][0][int(np.argmax(model.decision_function(rows(view))))] for view in views]


def _learn_options(views: Sequence[Pictured], labels: Sequence[str]) -> Guesser:
    """Remember the options of the first half of the items, and learn from the second half what they tell."""
    half = len(views) // 2
    correct = is_right([(shown, ()) for shown, _, _ in views], labels)
    known = sum(len(shown) for shown, _, _ in views[:half])
    rows, right = np.concatenate([options for _, options, _ in views[:half]]), correct[:known]
    lengths = (rows**2).sum(axis=1)

    def relate(options: Row, others: Sequence[Row]) -> Row:
        """Return what is learned from of each option, relative to the other options, (options, numbers)."""
        apart = lengths - 2 * (options @ rows.T) + (options**2).sum(axis=1)[:, None]
        nearest = np.argpartition(apart, min(NEAREST, len(rows)) - 1, axis=1)[:, :NEAREST]
        off = options - options.mean(axis=0)
        near = [((options - other) ** 2).sum(axis=1) for other in others]
        relative = [right[nearest].mean(axis=1), apart.min(axis=1), (off**2).sum(axis=1), *near]
        of_each = np.stack([column - column.mean() for column in relative], axis=1)
        return np.concatenate([of_each, off], axis=1).astype(np.float32)

    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.05, max_iter=200))
    model.fit(np.concatenate([relate(options, others) for _, options, others in views[half:]]), correct[known:])
    return lambda views: [
        shown[int(np.argmax(model.decision_function(relate(options, others))))] for shown, options, others in views
    ]
