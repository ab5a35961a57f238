"""Proves benchmarks: conformance, golden files, blind solvers, proofs, contact sheets.

Nothing that serves imports it.
"""
