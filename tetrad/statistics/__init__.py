"""Compute intervals, confidence sequences, rank ranges and decisions, from numbers alone; no benchmark by name.

Import from the modules: `deciding` needs Python's own library alone, as a team's own machine has no SciPy. The others
need NumPy and SciPy, which the services have.
"""
