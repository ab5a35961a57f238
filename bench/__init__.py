"""Speeds and sizes, each beside its aim: `python -m bench`. Never part of the tests."""
