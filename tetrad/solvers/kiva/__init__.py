"""KiVA from pixels: works out the change of the given pair, then finds the option that says or shows it."""

from tetrad.solvers.kiva.solver import PixelSolver

__all__ = ["PixelSolver"]
