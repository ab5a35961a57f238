"""Running a service's own module for the command line: `tetrad` imports no service."""

import os
import subprocess
import sys
from typing import Any

import msgspec

from tetrad.server.embedded.data_directory import EmbeddedError
from tetrad.server.embedded.programs import neutral_environment


def run_module(module: str, arguments: list[str]) -> Any:
    """Run a service's own module, in a process of its own as the supervisor does, and return its JSON answer.

    Raises:
        EmbeddedError: it refused; its reasons stand on standard error.
    """
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(  # noqa: S603 -- our own module
        command, env=neutral_environment(dict(os.environ)), stdout=subprocess.PIPE, check=False
    )
    if done.returncode != 0:
        raise EmbeddedError(f"nothing was changed (status {done.returncode}), see above")
    return msgspec.json.decode(done.stdout)
