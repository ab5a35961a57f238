"""Tetrad's shared language: wire types, canonical bytes, the reply reader, the client and the runner."""

__version__ = "0.1.0"
