"""The facts that a proof may use beyond a benchmark's card: `KNOWLEDGE` in `knowledge.py` of its folder, if any."""

import importlib
import importlib.util
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from generator_service import benchmarks
from generator_service.benchmark import Parameters, Parts, PictureArray, Streams
from generator_service.mounting import Mounted
from generator_service.proving.answerers import Model
from generator_service.proving.blind_solvers import Solver
from generator_service.proving.cases import Case, Variant, Where, labels_of, messages_of
from generator_service.proving.probes import Probe
from tetrad.contracts.items import KeyedQuestion, Question
from tetrad.contracts.wire import Facets, ParameterValue
from tetrad.extraction.answers import extract_from
from tetrad.solvers import open_solver


@dataclass(frozen=True, kw_only=True)
class Leak:
    """A generator with a flaw, and the solvers (name, sees) that must be caught breaking a ceiling on it.

    It runs on `track` (empty: the card's first) under the card's `parameters`; `rules` are those it really follows,
    known to solvers that count.
    """

    name: str
    help: str
    wrap: Callable[[Mounted], Mounted]
    caught_by: Sequence[tuple[str, str]]
    parameters: Mapping[str, ParameterValue]
    rules: Mapping[str, ParameterValue]
    track: str = ""


def with_scenes(change: Callable[[Any, Streams], Any], **forced: str) -> Callable[[Mounted], Mounted]:
    """Return a leak's wrapper that changes every scene after sampling, under other parameters if any are forced."""

    def wrap(mounted: Mounted) -> Mounted:
        honest = mounted.benchmark.sample

        def sample(  # noqa: PLR0917 - as `Benchmark.sample`
            bank: Any, track: str, setting: str, parameters: Parameters, facets: Facets, streams: Streams
        ) -> Any:
            return change(honest(bank, track, setting, {**parameters, **forced}, facets, streams), streams)

        return replace(mounted, benchmark=replace(mounted.benchmark, sample=sample))

    return wrap


def _with_telling_words(mounted: Mounted) -> Mounted:
    honest = mounted.benchmark.questions

    def questions(scene: Any) -> tuple[KeyedQuestion, ...]:
        return tuple(_telling(keyed) for keyed in honest(scene))

    return replace(mounted, benchmark=replace(mounted.benchmark, questions=questions))


def _telling(keyed: KeyedQuestion) -> KeyedQuestion:
    """Let a question end in as many marks as there are options up to the right one."""
    labels = labels_of(keyed.question)
    if not labels:
        return keyed
    text = f"{keyed.question.text} {'!' * (1 + labels.index(keyed.key.label))}"
    return msgspec.structs.replace(keyed, question=msgspec.structs.replace(keyed.question, text=text))


TELLING_WORDS = Leak(
    name="telling words",
    help="how a question is put tells where its right option stands",
    wrap=_with_telling_words,
    caught_by=(("question and options", "text-only"),),
    parameters={},
    rules={},
)
"""A flaw that any benchmark with choices may have."""


def with_telling_part(mounted: Mounted) -> Mounted:
    """Return a leaky twin: beside what a picture of the context holds stands how many places lie before the right one.

    The benchmark's own solver does not look at it.
    """
    honest = mounted.benchmark

    def holds(scene: Any, name: str) -> Parts:
        right = {
            keyed.question.kind: labels_of(keyed.question).index(keyed.key.label)
            for keyed in honest.questions(scene)
            if labels_of(keyed.question)
        }
        return {**honest.holds(scene, name), "places before": right}

    return replace(mounted, benchmark=replace(honest, holds=holds))


@dataclass(frozen=True, kw_only=True)
class Seeing:
    """A solver of tetrad.solvers that sees everything, and the share above which it must be right.

    setting: the setting that it answers in; None is the variant's own.
    """

    solver: str
    where: Where
    least: float
    setting: str | None = None

    def answer(self, mounted: Mounted, scene: Any, question: Question) -> str | None:
        """Return what the solver answers to the messages that a model gets, pictures and all."""
        reply = open_solver(self.solver).reply(messages_of(mounted, scene, question))
        return extract_from(question, None, reply).answer


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """The facts about one benchmark that a proof may use. The defaults fit any benchmark.

    beside: case -> what all but the given pair shows next to the options of this question.
    lacks: by the name of a ceiling's solver, the parts of the clue that it does not see. Learners of all the rest are
        held to that ceiling (`derived`).
    cut: an option's picture -> the part that shows the option alone.
    holds: (scene, picture name) -> a key of all that its pixels depend on; None renders every picture anew.
    few: the same benchmark on few objects, so that pictures repeat.
    most_drawn: variant -> the most items whose options are drawn, where no picture comes twice; None sets no limit. So
        few can't show that a ceiling holds, but refute it.
    solvers: variant -> further blind solvers. models: the answerers of the end-to-end score report; the first one
        solves everything.
    probes: (the benchmark, honest or leaky, variant) -> learners that are trained on many items.
    section: (the benchmark, how many items) -> a further section of the report.
    """

    beside: Callable[[Case], Hashable] = lambda _case: None
    lacks: Mapping[str, Sequence[str]] = field(default_factory=dict)
    cut: Callable[[PictureArray], PictureArray] = lambda pixels: pixels
    holds: Callable[[Any, str], Hashable] | None = None
    few: Callable[[Mounted], Mounted] = lambda mounted: mounted
    most_drawn: Callable[[Variant], int | None] = lambda _variant: None
    solvers: Callable[[Variant], Sequence[Solver]] = lambda _variant: ()
    leaks: Sequence[Leak] = ()
    models: Sequence[Model] = ()
    seeing: Seeing | None = None
    probes: Callable[[Mounted, Variant], Sequence[Probe]] = lambda _mounted, _variant: ()
    section: Callable[[Mounted, int], str] | None = None


def knowledge_of(name: str) -> Knowledge:
    module = f"{benchmarks.__name__}.{name}.knowledge"
    if importlib.util.find_spec(module) is None:
        return Knowledge()
    known = importlib.import_module(module).KNOWLEDGE
    if not isinstance(known, Knowledge):
        raise TypeError(f"{module}.KNOWLEDGE is not a Knowledge")
    return known
