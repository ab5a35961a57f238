"""Triton out of the wheel `nvidia-pytriton`, on loopback: a real server for tests and for machines without containers.

    python -m deploy.triton.wheel_server ENVIRONMENT REPOSITORY [--grpc-port 8001 ...]

ENVIRONMENT is the virtual environment that holds requirements/triton.txt. Linux on x86-64 alone.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

KEEPALIVE = (  # the gateway asks every 20 s whether the server is there; Triton's own default counts that as an attack
    "--grpc-http2-min-recv-ping-interval-without-data=5000",
    "--grpc-keepalive-permit-without-calls=1",
    "--grpc-http2-max-ping-strikes=0",
)
FACTS = """import json, site, sys, sysconfig
print(json.dumps([site.getsitepackages()[0], sysconfig.get_config_var("LIBDIR"), "%d.%d" % sys.version_info[:2]]))"""


class NoServerError(Exception):
    """This machine or environment has no server to start; the message says why."""


def prepare(environment: Path, folder: Path) -> tuple[Path, Mapping[str, str]]:
    """Lay out the Python backend in the folder; return the server's program and the variables it needs.

    Raises:
        NoServerError: the wheel is not there, or not for this Python or machine.
    """
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise NoServerError(f"the wheel's server is for Linux on x86-64, not {platform.system()} {platform.machine()}")
    python = environment / "bin" / "python"
    if not python.exists():
        raise NoServerError(f"{environment} is no virtual environment; make it with `make triton`")
    site, libraries, version = json.loads(subprocess.check_output([python, "-c", FACTS]))  # noqa: S603 - named by the operator
    server = Path(site) / "pytriton" / "tritonserver"
    stub = server / "python_backend_stubs" / version / "triton_python_backend_stub"
    if not stub.exists():
        raise NoServerError(f"{environment} has no Triton for Python {version}; make it with `make triton`")
    backend = folder / "python"
    backend.mkdir(parents=True, exist_ok=True)
    for file in (*(server / "backends" / "python").iterdir(), stub):
        if file.is_file():
            shutil.copy2(file, backend / file.name)
    variables = {
        "PATH": f"{environment.resolve() / 'bin'}:{os.environ['PATH']}",  # its models run on the first python3 there
        "LD_LIBRARY_PATH": f"{libraries}:{Path(site) / 'nvidia_pytriton.libs'}",
    }
    program = server / "bin" / "tritonserver"
    program.chmod(0o755)
    (backend / stub.name).chmod(0o755)
    return program, variables


def command(program: Path, repository: Path, backends: Path, *, http: int, grpc: int, metrics: int) -> list[str]:
    """Return the command line of a server on loopback. Models are loaded and unloaded by request."""
    loopback = [f"--{name}-address=127.0.0.1" for name in ("http", "grpc", "metrics")]
    ports = [f"--http-port={http}", f"--grpc-port={grpc}", f"--metrics-port={metrics}"]
    models = [f"--model-repository={repository}", f"--backend-directory={backends}"]
    control = ["--model-control-mode=explicit", "--load-model=*", "--disable-auto-complete-config"]
    ending = ["--exit-timeout-secs=10", "--allow-gpu-metrics=false"]
    return [str(program), *models, *loopback, *ports, *control, *ending, *KEEPALIVE]


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    parser = argparse.ArgumentParser(description="Serve a model repository on loopback, out of a wheel.")
    parser.add_argument("environment", type=Path)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--http-port", type=int, default=8080)
    parser.add_argument("--grpc-port", type=int, default=8081)
    parser.add_argument("--metrics-port", type=int, default=8082)
    given = parser.parse_args(arguments)
    backends = given.repository.parent / "backends"
    try:
        program, variables = prepare(given.environment, backends)
    except NoServerError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
    ports = {"http": given.http_port, "grpc": given.grpc_port, "metrics": given.metrics_port}
    asked = command(program, given.repository, backends, **ports)
    os.execve(program, asked, os.environ | dict(variables))  # noqa: S606 - the server takes this process's place


if __name__ == "__main__":
    main()
