"""Solve KiVA from pixels: find the change of the given pair, then the option that says or shows it."""

from tetrad.solvers.kiva.solver import PixelSolver

__all__ = ["PixelSolver"]
