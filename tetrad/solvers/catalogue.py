"""Solvers by name."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from tetrad.contracts.inference import Message
from tetrad.solvers.baselines import ConstantSolver, RandomSolver, TextOnlySolver
from tetrad.solvers.kiva_pixels import PixelSolver


class UnknownSolverError(Exception):
    """No solver has this name; the message lists those there are."""


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
}


def open_solver(name: str, *, seed: int = 0) -> Solver:
    """Return the solver of this name; only `random` depends on the seed.

    Raises:
        UnknownSolverError: there is none.
    """
    if name not in SOLVERS:
        raise UnknownSolverError(f"solver {name!r} is unknown; choose one of {', '.join(sorted(SOLVERS))}")
    return SOLVERS[name](seed)
