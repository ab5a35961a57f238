"""Solvers that see only what a model sees: the gateway's in-process models and the generator's auditors.

Needs the extra `solvers` (numpy, pillow). A solver reads the messages of one request and writes a reply.
"""

from tetrad.solvers.catalogue import (
    SOLVERS,
    NotCoveredError,
    Solver,
    UnknownSolverError,
    check_covered,
    is_for_any,
    open_solver,
)

__all__ = [
    "SOLVERS",
    "NotCoveredError",
    "Solver",
    "UnknownSolverError",
    "check_covered",
    "is_for_any",
    "open_solver",
]
