"""Find the edit of VISANALOG in pixels: every edit of the family is tried on A, and compared with B."""

from tetrad.solvers.visanalog.search import Edit, edited, find_edit

__all__ = ["Edit", "edited", "find_edit"]
