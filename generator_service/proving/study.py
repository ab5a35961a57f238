"""Run solvers over a draw: learn on one seed, guess on another, and go on until every cell is decided."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from generator_service.draws import Draw
from generator_service.mounting import Mounted
from generator_service.proving.blind_solvers import Guesser, Solver
from generator_service.proving.cases import Case, Variant, Where, cases_of, draw_of
from generator_service.proving.declared import ceilings_under
from generator_service.proving.equivalence import BROKEN, HOLDS, Score, verdicts
from tetrad.contracts.benchmarks import Card

LOOKS = 4  # how often a cell is tested at most, each time on twice as many items
SEEDS = ("1", "2")  # to learn on, to be tested on


@dataclass(frozen=True, kw_only=True)
class Cell:
    """The place at which a ceiling is declared."""

    sees: str
    where: Where
    ceiling: float

    def __str__(self) -> str:
        return ", ".join("/".join(values) for name, values in self.where.items())


@dataclass(kw_only=True)
class Trial:
    """One solver in one cell: how it guesses, and how it has done so far."""

    solver: Solver
    cell: Cell
    guesser: Guesser
    right: int = 0
    n: int = 0
    verdict: str = ""

    @property
    def score(self) -> Score:
        return Score(right=self.right, n=self.n, ceiling=self.cell.ceiling, exact=self.solver.exact)


@dataclass(kw_only=True)
class Study:
    """The cases of one variant, drawn as they are needed, and the trials of solvers on them.

    `learned` and `asked`: the cases that solvers learned on, and those of the last look.
    `once`: of each kind of question only an item's last one counts, so that repeats are not taken for new items.
    """

    mounted: Mounted
    variant: Variant
    once: bool = False
    learned: list[Case] = field(default_factory=list)
    asked: list[Case] = field(default_factory=list)
    trials: list[Trial] = field(default_factory=list)

    def learn(self, solvers: Iterable[Solver], size: int) -> None:
        self.learned = self._cases(draw_of(self.mounted, self.variant, SEEDS[0]), range(size))
        for solver in solvers:
            for cell in cells_of(self.mounted.benchmark.card, self.variant, solver.sees, self.learned):
                known = [case for case in self.learned if case.matches(cell.where) and solver.answers(case)]
                if not known:  # very few items may have none of this cell
                    continue
                guesser = solver.learn([solver.look(case) for case in known], [case.label for case in known])
                self.trials.append(Trial(solver=solver, cell=cell, guesser=guesser))

    def hold(self, size: int, family: float, looks: int = LOOKS) -> None:
        """Guess `size` new items, and as many again for what stays undecided."""
        draw, start = draw_of(self.mounted, self.variant, SEEDS[1]), 0
        for _ in range(looks):
            waiting = [trial for trial in self.trials if trial.verdict not in {HOLDS, BROKEN}]
            if not waiting:
                return
            end = max(2 * start, size)
            self.asked = self._cases(draw, range(start, end))
            self._guess(waiting, self.asked)
            start = end
            scores = [trial.score for trial in self.trials]
            for trial, verdict in zip(self.trials, verdicts(scores, family / looks), strict=True):
                if trial in waiting:
                    trial.verdict = verdict

    def _cases(self, draw: Draw, places: range) -> list[Case]:
        cases = list(cases_of(self.mounted, draw, places))
        if not self.once:
            return cases
        return list({(case.index, case.keyed.question.kind): case for case in cases}.values())

    def _guess(self, trials: Sequence[Trial], cases: Sequence[Case]) -> None:
        for trial in trials:
            chosen = [case for case in cases if case.matches(trial.cell.where) and trial.solver.answers(case)]
            if not chosen:
                continue
            guesses = trial.guesser([trial.solver.look(case) for case in chosen])
            trial.n += len(chosen)
            trial.right += sum(guess == case.label for guess, case in zip(guesses, chosen, strict=True))


def cells_of(card: Card, variant: Variant, sees: str, cases: Sequence[Case]) -> list[Cell]:
    """Return the cells that a solver of this sight is held to: the card's ceilings, and elsewhere its chance levels.

    Where questions tell whether something changes, chance is of those with a change. In the others, the option that
    says so may be right each time.
    """
    if sees == "order" and any(case.labels for case in cases):
        return list(_order_cells(cases))
    under = {parameter.name: parameter.default_on(variant.track) for parameter in card.parameters} | dict(
        variant.parameters
    )
    declared = [
        Cell(sees=sees, where=ceiling.where, ceiling=ceiling.value)
        for ceiling in ceilings_under(card, variant.track, under)
        if ceiling.solver == sees
    ]
    changing = {"change": ("yes",)} if any("change" in case.keyed.facets for case in cases) else {}
    return declared + [
        Cell(sees=sees, where={**level.where, **changing}, ceiling=level.stated)
        for level in card.chance
        if not any(case.matches(level.where) and any(case.matches(cell.where) for cell in declared) for case in cases)
    ]


def shuffled_labels(cases: Sequence[Case]) -> tuple[str, ...]:
    """Return the labels whose options change from case to case: those that stand in drawn places."""
    held: dict[str, set[object]] = {}
    for case in cases:
        for label, token in zip(case.labels, case.tokens(), strict=True):
            held.setdefault(label, set()).add(token)
    moving = tuple(label for label, tokens in held.items() if len(tokens) > 1)
    return moving or tuple(held)


def by_kind(cases: Sequence[Case]) -> Mapping[str, list[Case]]:
    """Group, by kind of question, the cases whose right option stands in a drawn place."""
    kinds = dict.fromkeys(case.keyed.question.kind for case in cases if case.labels)
    groups = {kind: [case for case in cases if case.keyed.question.kind == kind] for kind in kinds}
    moving = {kind: shuffled_labels(group) for kind, group in groups.items()}
    return {kind: [case for case in group if case.label in moving[kind]] for kind, group in groups.items()}


def _order_cells(cases: Sequence[Case]) -> Iterator[Cell]:
    """Yield the cells of guesses by order: their ceiling is one over the number of drawn places.

    Where questions tell whether something changes, only those with a change count.
    """
    for group in by_kind(cases).values():
        stage = group[0].keyed.facets.get("stage", "")
        where: dict[str, tuple[str, ...]] = {"stage": (stage,)} if stage else {}
        if "change" in group[0].keyed.facets:
            where["change"] = ("yes",)
        yield Cell(sees="order", where=where, ceiling=1 / len(shuffled_labels(group)))


def place_scores(cases: Sequence[Case]) -> dict[str, Score]:
    """Score "always this place" for each kind of question and each drawn place."""
    scores = {}
    for kind, group in by_kind(cases).items():
        labels = shuffled_labels(group)
        counts = Counter(case.label for case in group)
        for label in labels:
            scores[f"{kind}: ({label})"] = Score(right=counts[label], n=len(group), ceiling=1 / len(labels), exact=True)
    return scores
