"""List the solvers by name."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from tetrad.contracts.inference import Message
from tetrad.solvers.baselines import ConstantSolver, RandomSolver, TextOnlySolver
from tetrad.solvers.caption_judge import CaptionJudge
from tetrad.solvers.carv import (
    StateSolver,
    copy_first,
    copy_query,
    copy_second,
    everything,
    majority,
    symbolic,
)
from tetrad.solvers.kiva import PixelSolver
from tetrad.solvers.marvel import PanelSolver
from tetrad.solvers.visanalog.writer import QuestionWriter


class UnknownSolverError(Exception):
    """No solver has this name; the message lists the known ones."""


class Solver(Protocol):
    """Anything that answers like a model."""

    def reply(self, messages: Sequence[Message]) -> str:
        """Write the reply to one request; the same request always gets the same reply.

        Raises:
            PictureError: a picture that it has to look at can't be decoded within bounds.
        """
        ...


SOLVERS: Mapping[str, Callable[[int], Solver]] = {
    "random": RandomSolver,
    "constant": lambda _: ConstantSolver(),
    "constant-2": lambda _: ConstantSolver(2),
    "constant-3": lambda _: ConstantSolver(3),
    "constant-4": lambda _: ConstantSolver(4),
    "text-only": lambda _: TextOnlySolver(),
    "pixel-solver": lambda _: PixelSolver(),
    "state-copy-query": lambda _: StateSolver(copy_query),
    "state-copy-first": lambda _: StateSolver(copy_first),
    "state-copy-second": lambda _: StateSolver(copy_second),
    "state-majority": lambda _: StateSolver(majority),
    "state-everything": lambda _: StateSolver(everything),
    "state-symbolic": lambda _: StateSolver(symbolic),
    "panel-texts": lambda _: PanelSolver(),
    "question-writer": lambda _: QuestionWriter(),
    "caption-judge": CaptionJudge,
    "erring-caption-judge": lambda seed: CaptionJudge(seed, error_percent=10),
}


def open_solver(name: str, *, seed: int = 0) -> Solver:
    """Return the solver of this name; only `random` and judges that err depend on the seed.

    Raises:
        UnknownSolverError: there is none.
    """
    if name not in SOLVERS:
        raise UnknownSolverError(f"solver {name!r} is unknown; choose one of {', '.join(sorted(SOLVERS))}")
    return SOLVERS[name](seed)
