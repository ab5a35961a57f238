"""Cube nets: folding, views of a cube's corner, and the marks on its faces."""
