"""List the solvers by name, and what each answers: any question, or those of some benchmarks, tracks and settings."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import msgspec

from tetrad.contracts.inference import Message
from tetrad.contracts.items import StateCaption
from tetrad.extraction.captions.caption import extract_caption, extract_state
from tetrad.late_regex import late_regex
from tetrad.solvers.baselines import ConstantSolver, RandomSolver, TextOnlySolver
from tetrad.solvers.carv import (
    VALUES,
    Rule,
    StateSolver,
    copy_first,
    copy_query,
    copy_second,
    everything,
    majority,
    symbolic,
    words_of,
)
from tetrad.solvers.kiva import PixelSolver
from tetrad.solvers.low_level import WAYS as LOW_LEVEL
from tetrad.solvers.low_level import LowLevelSolver
from tetrad.solvers.marvel import PanelSolver
from tetrad.solvers.seen_question import shown_pictures
from tetrad.solvers.visanalog import CopyC, NotC, ProgramSearch
from tetrad.streams import Stream

_ASKED = late_regex(r"<<(.*?)>>.*?<<(.*)>>", re.DOTALL)
NOTHING_ASKED = "I see no facts and description, each between << and >>."
NOTHING_SHOWN = "I see no picture to write a question about."
_QUARTERS = ("upper left", "upper right", "lower left", "lower right")


class UnknownSolverError(Exception):
    """No solver has this name; the message lists the known ones."""


class NotCoveredError(Exception):
    """The solver does not answer this benchmark, track or setting; the message says what it answers, and who does."""


class Solver(Protocol):
    """Anything that answers like a model."""

    def reply(self, messages: Sequence[Message]) -> str:
        """Write the reply to one request; the same request always gets the same reply.

        Raises:
            PictureError: a picture that it has to look at can't be decoded within bounds.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """The part of one benchmark that a solver answers. No tracks, or no settings: it answers all of them."""

    benchmark: str
    tracks: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()

    def holds(self, benchmark: str, track: str, setting: str) -> bool:
        """Tell whether the solver answers there."""
        return (
            benchmark == self.benchmark
            and (not self.tracks or track in self.tracks)
            and (not self.settings or setting in self.settings)
        )

    def __str__(self) -> str:
        """Return it in words, such as "visanalog (track photographs; every setting)"."""
        return f"{self.benchmark} ({_list_names('track', self.tracks)}; {_list_names('setting', self.settings)})"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A solver of the catalogue.

    open: the seed -> the solver. help: what it does, in a phrase. covers: what it answers; None is any benchmark, and
    an empty tuple none: it stands in for a model that judges or writes.
    """

    open: Callable[[int], Solver]
    help: str
    covers: tuple[Coverage, ...] | None = None


class CaptionJudge:
    """Stands in for a model that judges captions: calls a description right if it states all the facts.

    In some percent of cases it says the opposite, which shows the agreement and the kappa of a judge whose errors are
    known.
    """

    def __init__(self, seed: int = 0, *, error_percent: int = 0) -> None:
        """Take the seed that picks the cases in which it errs."""
        self._seed = seed
        self._error_percent = error_percent

    def reply(self, messages: Sequence[Message]) -> str:
        words = words_of(messages)
        asked = _ASKED.search(words)
        if asked is None:
            return NOTHING_ASKED
        facts, description = asked.groups()
        stated = extract_caption(description, StateCaption(properties=dict(VALUES))).answer
        right = stated == extract_state(facts, VALUES)
        correct = right != self._errs(words)
        why = "All five points agree." if correct else "One of the five points differs."
        return msgspec.json.encode({"correct": correct, "why": why}).decode()

    def _errs(self, words: str) -> bool:
        return Stream("tetrad.solvers/caption-judge", 1, self._seed, words).below(100) < self._error_percent


class QuestionWriter:
    """Stands in for a model that writes questions: asks where the last picture is lightest, as a JSON object.

    What it writes needs no more of an edit than where the lightest quarter comes to lie.
    """

    def reply(self, messages: Sequence[Message]) -> str:
        shown = shown_pictures(messages)
        if not shown:
            return NOTHING_SHOWN
        light = shown[-1].pixels()[..., :3].mean(axis=2)
        rows, columns = light.shape[0] // 2, light.shape[1] // 2
        means = [
            float(light[rows * down : rows * (down + 1), columns * right : columns * (right + 1)].mean())
            for down in (0, 1)
            for right in (0, 1)
        ]
        best = means.index(max(means))
        return json.dumps(
            {
                "rationale": "Where the light falls depends on every step that moves it.",
                "question": "Which quarter is the lightest?",
                "options": [f"the {quarter} one" for quarter in _QUARTERS],
                "explanation": f"The {_QUARTERS[best]} quarter is the lightest.",
                "answer": "ABCD"[best],
            }
        )


def _of_states(rule: Rule, what: str) -> Entry:
    """Return a solver of CARV's states in words."""
    covers = (Coverage(benchmark="carv", settings=("symbolic",)),)
    return Entry(open=lambda _: StateSolver(rule), help=what, covers=covers)


_MEASURED = {
    "hue": "a histogram of hue and value",
    "pixels": "the picture at 32 x 32",
    "edges": "edges at 32 x 32 places",
}
_ANALOGIES = (
    Coverage(benchmark="vasr", settings=("full",)),
    Coverage(benchmark="kiva"),
    Coverage(benchmark="marvel", settings=("full", "avr-only")),
)


def _low_level(name: str) -> Entry:
    """Return a solver that measures whole pictures and knows nothing of what they show."""
    way = LOW_LEVEL[name]
    alone = [given for given, sign in zip(("A", "A'", "B"), way.signs, strict=True) if sign]
    near = alone[0] if len(alone) == 1 else "B + A' - A"
    return Entry(
        open=lambda _: LowLevelSolver(name),
        help=f"takes the option nearest to {near} by {_MEASURED[way.measure]}",
        covers=_ANALOGIES,
    )


_PHOTOGRAPHS = ("photographs",)
_SHOWS_C = (Coverage(benchmark="visanalog", tracks=_PHOTOGRAPHS, settings=("end-to-end", "wrong-image", "program")),)

SOLVERS: Mapping[str, Entry] = {
    "random": Entry(open=RandomSolver, help="chooses among the options, each as likely"),
    "constant": Entry(open=lambda _: ConstantSolver(), help="always takes the first option"),
    "constant-2": Entry(open=lambda _: ConstantSolver(2), help="always takes the second option"),
    "constant-3": Entry(open=lambda _: ConstantSolver(3), help="always takes the third option"),
    "constant-4": Entry(open=lambda _: ConstantSolver(4), help="always takes the fourth option"),
    "text-only": Entry(open=lambda _: TextOnlySolver(), help="a fixed preference over words; looks at no picture"),
    "pixel-solver": Entry(
        open=lambda _: PixelSolver(),
        help="solves KiVA by measuring pixels",
        covers=(Coverage(benchmark="kiva"),),
    ),
    "program-search": Entry(
        open=lambda _: ProgramSearch(),
        help="tries all 448 edits on the pixels of A, applies the one that makes B to C, and measures D",
        covers=(Coverage(benchmark="visanalog", tracks=_PHOTOGRAPHS),),
    ),
    "copy-c": Entry(open=lambda _: CopyC(), help="answers as if D were C, which it measures", covers=_SHOWS_C),
    "not-c": Entry(open=NotC, help="takes any option that does not hold of C, which it measures", covers=_SHOWS_C),
    "state-copy-query": _of_states(copy_query, "answers with the query's own state"),
    "state-copy-first": _of_states(copy_first, "answers with the first state"),
    "state-copy-second": _of_states(copy_second, "answers with the second state"),
    "state-majority": _of_states(majority, "takes the most frequent values"),
    "state-everything": _of_states(everything, "applies every change that is shown"),
    "state-symbolic": _of_states(symbolic, "solves CARV from states in words"),
    **{name: _low_level(name) for name in LOW_LEVEL},
    "panel-texts": Entry(
        open=lambda _: PanelSolver(),
        help="solves MARVEL from panels in words",
        covers=(Coverage(benchmark="marvel", settings=("described",)),),
    ),
    "question-writer": Entry(
        open=lambda _: QuestionWriter(), help="stands in for a model that writes VISANALOG's questions", covers=()
    ),
    "caption-judge": Entry(open=CaptionJudge, help="stands in for a model that judges CARV's captions", covers=()),
    "erring-caption-judge": Entry(
        open=lambda seed: CaptionJudge(seed, error_percent=10), help="the same, wrong in 10%", covers=()
    ),
}
_ELSEWHERE: Mapping[str, str] = {
    "vasr": "VASR's own baselines need a model of embeddings: tetrad baseline reply (docs/models.md)",
}


def open_solver(name: str, *, seed: int = 0) -> Solver:
    """Return the solver of this name; only `random`, `not-c` and judges that err depend on the seed.

    Raises:
        UnknownSolverError: there is none.
    """
    return _entry(name).open(seed)


def is_for_any(name: str) -> bool:
    """Tell whether a solver answers the questions of any benchmark.

    Raises:
        UnknownSolverError: there is none of this name.
    """
    return _entry(name).covers is None


def check_covered(name: str, *, benchmark: str, track: str, setting: str) -> None:
    """Check that a solver answers the questions of a benchmark, track and setting.

    Raises:
        UnknownSolverError: there is none of this name.
        NotCoveredError: it does not answer there.
    """
    covers = _entry(name).covers
    if covers is None or any(coverage.holds(benchmark, track, setting) for coverage in covers):
        return
    place = f"{benchmark}, track {track}, setting {setting}"
    answers = ", ".join(map(str, covers)) or "no benchmark"
    raise NotCoveredError(
        f"solver {name!r} does not answer {place}: it answers {answers}\n{_instead(benchmark, track, setting)}"
    )


def _entry(name: str) -> Entry:
    if name not in SOLVERS:
        raise UnknownSolverError(f"solver {name!r} is unknown; choose one of {', '.join(sorted(SOLVERS))}")
    return SOLVERS[name]


def _instead(benchmark: str, track: str, setting: str) -> str:
    """Return which solvers answer there, or on the benchmark's other tracks and settings; and those of any."""
    every = {name: entry.covers for name, entry in SOLVERS.items() if entry.covers}
    there = [
        name for name, covers in every.items() if any(coverage.holds(benchmark, track, setting) for coverage in covers)
    ]
    near = [
        f"{name} answers {coverage}"
        for name, covers in every.items()
        for coverage in covers
        if coverage.benchmark == benchmark
    ]
    lines = [f"made for it: {', '.join(there)}"] if there else [f"no solver is made for it{_but(near)}"]
    lines += [_ELSEWHERE[benchmark]] if benchmark in _ELSEWHERE else []
    general = ", ".join(name for name, entry in SOLVERS.items() if entry.covers is None)
    return "\n".join([*lines, f"of any benchmark: {general}"])


def _but(near: Sequence[str]) -> str:
    return f", but {'; '.join(near)}" if near else ""


def _list_names(noun: str, names: Sequence[str]) -> str:
    if not names:
        return f"every {noun}"
    return f"{noun}{'s' if len(names) > 1 else ''} {', '.join(names)}"
