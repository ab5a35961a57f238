"""The answerers of end-to-end score reports: solvers that see messages, and answerers that get the scene rebuilt.

A benchmark's knowledge lists its models; `tests/shown` lets them answer over HTTP and holds them to what is declared.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import msgspec

from generator_service.benchmark import Benchmark, PictureArray
from generator_service.proving.blind_solvers import Solver
from generator_service.proving.cases import Case, Variant, view_of
from generator_service.proving.declared import Declared
from tetrad.contracts.items import Choice, DrawIdentity, Question, StateCaption
from tetrad.contracts.wire import ParameterValue
from tetrad.extraction.captions.text import caption_text

Reply = Callable[[Case, DrawIdentity], str]
Look = Callable[[Case, Mapping[str, PictureArray]], str]

PICTURES, WORDS, SECRET = "words and pictures", "words", "scene rebuilt from the secret"
SEEN_AND_REBUILT = "pictures; what C holds from the scene rebuilt from the secret"


@dataclass(frozen=True, kw_only=True)
class Model:
    """One answerer. `solver` names one of tetrad.solvers; without it, `reply` answers a case whose scene was rebuilt.

    look: answers such a case with the pixels of its question's pictures, by name, as they were fetched over HTTP.

    by: the facets that split its score into rows. whole: an item counts as right if all its declared questions are.
    flawless: an answer counts as right only if no stage of its diagnosis fails.
    settings: the settings that it answers in; empty means all. ways: those that it answers under other parameters, too.
    """

    name: str
    sees: str
    declared: Declared
    solver: str = ""
    reply: Reply | None = None
    look: Look | None = None
    by: str = "stage"
    whole: bool = False
    flawless: bool = False
    settings: tuple[str, ...] = ()
    ways: tuple[str, ...] = ()

    def answers(self, setting: str) -> bool:
        return not self.settings or setting in self.settings


ANY_NUMBER = "4"


def answer_independently(benchmark: Benchmark) -> Reply:
    """Answer with the benchmark's independent solver, which reads no key."""

    def reply(case: Case, _: DrawIdentity) -> str:
        found = benchmark.solve(view_of(benchmark, case.scene, case.keyed.question))
        if found is None:
            raise LookupError(f"{benchmark.name}: the independent solver does not answer {case.keyed.question.id}")
        return write_label(case.keyed.question, found)

    return reply


def blind(benchmark: Benchmark, solvers: Callable[[Variant], Sequence[Solver]], sees: str) -> Reply:
    """Answer an item's last question with the first blind solver of this sight, and others with their first option."""
    last = {setting.name: setting.questions[-1] for setting in benchmark.card.settings}

    @cache
    def solver_of(track: str, setting: str, parameters: tuple[tuple[str, ParameterValue], ...]) -> Solver:
        variant = Variant(track=track, setting=setting, parameters=dict(parameters))
        return next(solver for solver in solvers(variant) if solver.sees == sees)

    def reply(case: Case, identity: DrawIdentity) -> str:
        question = case.keyed.question
        if question.kind != last[identity.setting]:
            return first_option(question)
        solver = solver_of(identity.track, identity.setting, tuple(sorted(identity.parameters.items())))
        return write_label(question, solver.learn([], [])([solver.look(case)])[0])

    return reply


def first_option(question: Question) -> str:
    shape = question.shape
    return f"({shape.labels[0]})" if isinstance(shape, Choice) else ANY_NUMBER


def write_label(question: Question, label: str) -> str:
    """Write a label as a model would."""
    if isinstance(question.shape, Choice):
        return f"({label})"
    if isinstance(question.shape, StateCaption):
        return write_caption(dict(zip(question.shape.properties, label.split(", "), strict=True)))
    return label


def write_caption(state: dict[str, str]) -> str:
    return msgspec.json.encode({"caption": caption_text(state)}).decode()
