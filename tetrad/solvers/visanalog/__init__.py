"""Solve VISANALOG from pixels: every edit of the family is tried on A and compared with B, and D is measured."""

from tetrad.solvers.visanalog.search import Edit, apply_edit, find_edit
from tetrad.solvers.visanalog.solver import CopyC, NotC, ProgramSearch, describe_edit

__all__ = ["CopyC", "Edit", "NotC", "ProgramSearch", "apply_edit", "describe_edit", "find_edit"]
