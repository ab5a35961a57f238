"""Solve VISANALOG from pixels: every edit of the family is tried on A and compared with B, and D is measured."""

from tetrad.solvers.visanalog.search import Edit, edited, find_edit
from tetrad.solvers.visanalog.solver import CopyC, NotC, ProgramSearch, described

__all__ = ["CopyC", "Edit", "NotC", "ProgramSearch", "described", "edited", "find_edit"]
