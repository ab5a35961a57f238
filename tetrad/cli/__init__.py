"""`tetrad` on the command line. Each file here holds one group of commands."""

from tetrad.cli.main import main

__all__ = ["main"]
