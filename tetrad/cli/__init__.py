"""`tetrad` on the command line.

Each module holds one group of commands. `tetrad.cli.main` names them and imports a module when its command runs.
"""

from tetrad.cli.main import main

__all__ = ["main"]
