"""Learners that are trained on many practice items, and must not come to know fresh ones by what they see.

A probe on labels gets, for each option, texts that say what a labelled picture would tell of it. It is a logistic
regression over hashed texts: a text that is long enough is known by heart. A probe on pixels joins each text with
the main components of small copies of the pictures that it sees. The third looks up what is most like a question in
the practice items.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt
from PIL import Image
from scipy.sparse import csr_matrix
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression, SGDClassifier

from generator_service.proving.blind_solvers import Guesser, Solver, View
from generator_service.proving.by_heart import SMALL, Memory, Row, seen_in
from generator_service.proving.cases import Case, Variant, cases_of, draw_of
from generator_service.proving.equivalence import Score, verdicts
from generator_service.proving.study import SEEDS, cells_of
from generator_service.registry import Mounted

Texts = Callable[[Case], Sequence[Sequence[str]]]
"""For each option, in the order of the labels: texts that say what is seen of it."""
Names = Callable[[Case], Sequence[str]]
"""The names of the pictures that a probe sees."""
_KNOWN, _JOINED = 1 << 18, 64  # numbers that texts are hashed to: of probes on labels, and on pixels
_COMPONENTS = 24  # of small pictures
_ROUNDS = 5
_SEED = 7
Hashed = tuple[tuple[str, ...], tuple[npt.NDArray[np.int32], ...]]


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
        return case.labels, tuple(_hashed(of_option, _KNOWN) for of_option in texts(case))

    return Probe(solver=Solver(name=name, sees=sees, exact=False, look=look, learn=_learn_hashed), pictured=False)


class Copies:
    """Makes small copies of an item's pictures, each once: several probes look at one item in turn."""

    def __init__(self, mounted: Mounted) -> None:
        self._mounted = mounted
        self._scene: Any = None
        self._made: dict[str, Row] = {}

    def of(self, case: Case, name: str) -> Row:
        """Return the picture as 8 x 8 pixels, flat; what is transparent is black."""
        if case.scene is not self._scene:
            self._scene, self._made = case.scene, {}
        if name not in self._made:
            pixels = self._mounted.benchmark.render(self._mounted.bank, case.scene, name)
            copy = Image.fromarray(pixels).convert("RGB").resize((SMALL, SMALL), Image.Resampling.BOX)
            self._made[name] = np.asarray(copy, np.float32).ravel() / np.float32(255)
        return self._made[name]


def probe_on_pixels(name: str, sees: str, copies: Copies, texts: Texts, names: Names) -> Probe:
    """Return a probe that sees small copies of some pictures, and the texts of each option."""

    def look(case: Case) -> tuple[Hashed, Row]:
        shown = np.concatenate([copies.of(case, one) for one in names(case)])
        hashed = tuple(_hashed(of_option, _JOINED) for of_option in texts(case))
        return (case.labels, hashed), shown

    return Probe(solver=Solver(name=name, sees=sees, exact=False, look=look, learn=_learn_joined), pictured=True)


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


def held(mounted: Mounted, variant: Variant, probes: Sequence[Probe], learned: int, asked: int) -> Iterator[Held]:
    """Train probes on so many items of a draw, and yield their scores on others of another; not judged yet.

    Items are made one by one, and of each only what the probes see is kept.
    """
    cells = [
        (one.solver, cell) for one in probes for cell in cells_of(mounted.benchmark.card, variant, one.solver.sees, [])
    ]
    known: list[tuple[list[View], list[str]]] = [([], []) for _ in cells]
    for case in cases_of(mounted, draw_of(mounted, variant, SEEDS[0]), range(learned)):
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
    for case in cases_of(mounted, draw_of(mounted, variant, SEEDS[1]), range(asked)):
        for place, ((solver, cell), guesser) in enumerate(zip(cells, guessers, strict=True)):
            if guesser is not None and case.matches(cell.where) and solver.answers(case):
                n[place] += 1
                right[place] += guesser([solver.look(case)]) == [case.label]
    for (solver, cell), good, count in zip(cells, right, n, strict=True):
        if count:
            score = Score(right=good, n=count, ceiling=cell.ceiling, exact=False)
            yield Held(solver=solver, where=str(cell), score=score, verdict="")


def judged(found: Sequence[Held], family: float) -> list[Held]:
    """Return scores with their verdicts: all of them share the family-wise error."""
    told = verdicts([one.score for one in found], family)
    return [replace(one, verdict=verdict) for one, verdict in zip(found, told, strict=True)]


def _hashed(texts: Sequence[str], size: int) -> npt.NDArray[np.int32]:
    return np.unique(np.array([crc32(text.encode()) % size for text in texts], dtype=np.int32))


def _rows(options: Sequence[npt.NDArray[np.int32]], size: int) -> csr_matrix:
    """Return a row for each option: 1 where it has a text of this number."""
    ends = np.cumsum([0, *map(len, options)])
    numbers = np.concatenate(options)
    return csr_matrix((np.ones(len(numbers), np.float32), numbers, ends), shape=(len(options), size))


def _is_right(views: Sequence[Hashed], labels: Sequence[str]) -> npt.NDArray[np.bool_]:
    return np.array([label == right for (shown, _), right in zip(views, labels, strict=True) for label in shown])


def _learn_hashed(views: Sequence[Hashed], labels: Sequence[str]) -> Guesser:
    model = SGDClassifier(loss="log_loss", alpha=1e-6, max_iter=_ROUNDS, tol=None, random_state=_SEED)
    model.fit(_rows([one for _, options in views for one in options], _KNOWN), _is_right(views, labels))
    weights = model.coef_[0]

    def best(options: Sequence[npt.NDArray[np.int32]]) -> int:
        return int(np.argmax([weights[numbers].sum() for numbers in options]))

    return lambda views: [shown[best(options)] for shown, options in views]


def _joined(hashed: Hashed, parts: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return every text of every option joined with every part of the pictures, (options, texts * parts)."""
    texts = np.zeros((len(hashed[1]), _JOINED), np.float32)
    for place, numbers in enumerate(hashed[1]):
        texts[place, numbers] = 1
    texts -= texts.mean(axis=0)  # what all options share tells none from another
    rows: npt.NDArray[np.float32] = (texts[:, :, None] * parts).reshape(len(texts), -1)
    return rows


def _learn_joined(views: Sequence[tuple[Hashed, Row]], labels: Sequence[str]) -> Guesser:
    """Learn from the main components of the pictures, each joined with each text."""
    main = PCA(n_components=min(_COMPONENTS, len(views) - 1), whiten=True, random_state=_SEED)
    main.fit(np.stack([pixels for _, pixels in views]))

    def rows(view: tuple[Hashed, Row]) -> npt.NDArray[np.float32]:
        hashed, pixels = view
        return _joined(hashed, np.append(main.transform(pixels[None])[0], 1).astype(np.float32))

    is_right = _is_right([hashed for hashed, _ in views], labels)
    model = LogisticRegression(C=0.01, max_iter=60, tol=1e-3)
    model.fit(np.concatenate([rows(view) for view in views]), is_right)
    return lambda views: [view[0][0][int(np.argmax(model.decision_function(rows(view))))] for view in views]
