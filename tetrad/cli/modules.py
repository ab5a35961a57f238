"""Running a module of a service for the command line, in a process of its own: `tetrad` imports no service."""

import subprocess
import sys
from typing import Any

import msgspec

from tetrad.server.embedded.checkout import find_checkout, service_environment
from tetrad.server.embedded.data_directory import EmbeddedError


def run_module(module: str, arguments: list[str]) -> Any:
    """Run a module of a service in a process of its own and return its JSON output.

    Raises:
        EmbeddedError: the services are not here, or the module refused; its reasons stand on standard error.
    """
    environment = service_environment(find_checkout())
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=False)  # noqa: S603 -- our own module
    if done.returncode != 0:
        raise EmbeddedError(f"nothing was changed (status {done.returncode}); the reasons stand above")
    return msgspec.json.decode(done.stdout)
