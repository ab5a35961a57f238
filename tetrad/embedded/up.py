"""Start an embedded instance: `tetrad up`."""

import os
import subprocess
import sys

from tetrad.embedded.home import EmbeddedError, Home, check_free, free_ports, load_secrets, open_home
from tetrad.embedded.programs import Ports, neutral_environment, programs, write_valkey_files
from tetrad.embedded.supervision import configuration, replace_by_supervisor


def draw_bank(home: Home, environment: dict[str, str]) -> None:
    """Draw the object bank into the home unless it is there.

    Raises:
        EmbeddedError: it can't be drawn; what it said stands above.
    """
    command = [sys.executable, "-m", "generator_service.drawing.bank", str(home.bank)]
    drawn = subprocess.run(command, env=environment, check=False)  # noqa: S603 -- our own module
    if drawn.returncode != 0:
        raise EmbeddedError(f"the object bank can't be drawn into {home.bank} (status {drawn.returncode})")


def up() -> None:
    """Prepare the home, draw the object bank if it is not there yet, and become the supervisor of all processes.

    Raises:
        EmbeddedError: it runs already, the port is taken, its secrets are damaged, or the bank can't be drawn.
    """
    environ = dict(os.environ)
    home = open_home(environ)
    check_free(home)
    secrets = load_secrets(home)
    environment = neutral_environment(environ)
    draw_bank(home, environment)
    generator, gateway, valkey = free_ports(3)
    ports = Ports(api=home.port, generator=generator, gateway=gateway, valkey=valkey)
    write_valkey_files(home, secrets, valkey)
    all_programs = programs(home, secrets, ports, environ.get("TETRAD_BENCHMARK_FOLDERS", ""))
    banner = [sys.executable, "-m", "tetrad.embedded.banner", f"http://127.0.0.1:{home.port}", str(home.logs)]
    home.supervisor_conf.touch(mode=0o600)
    home.supervisor_conf.write_text(configuration(home, all_programs, banner))
    replace_by_supervisor(home, environment)
