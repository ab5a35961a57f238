"""Start an embedded instance: `tetrad up`."""

import os
import subprocess
import sys

import msgspec

from tetrad.server.embedded.data_directory import EmbeddedError, Home, check_free, free_ports, load_secrets, open_home
from tetrad.server.embedded.programs import (
    Ports,
    Wishes,
    neutral_environment,
    programs,
    sources_url,
    write_valkey_files,
)
from tetrad.server.embedded.supervision import configuration, replace_by_supervisor


class ReadyBank(msgspec.Struct, frozen=True, kw_only=True):
    """The object bank that the instance serves."""

    name: str
    digest: str
    objects: int
    kinds: int


def prepare_bank(home: Home, environment: dict[str, str], wanted: str, source: str, shared: str = "") -> ReadyBank:
    """Make sure that there are the objects wanted or, for "", household where it can be had and builtin otherwise.

    What earlier versions kept is taken over first. `shared` names further stores of sources, which are only read.

    `source` is a path to take the household models from instead of asking apt; "" asks apt.

    Raises:
        EmbeddedError: there is no such bank; what to do stands above.
    """
    command = [sys.executable, "-m", "generator_service.sources", "prepare", "--store", sources_url(home, shared)]
    command += ["--wanted", wanted, "--banks", str(home.bank), "--corpora", str(home.corpora)]
    command += ["--household", source] if source else []
    made = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=False)  # noqa: S603 -- our own module
    if made.returncode != 0:
        asked = f" {wanted}" if wanted else ""
        place = f"{home.sources} (status {made.returncode})"
        raise EmbeddedError(f"the object bank{asked} can't be had in {place}, see above")
    return msgspec.json.decode(made.stdout, type=ReadyBank)


def up() -> None:
    """Prepare the home, draw an object bank if there is none yet, and become the supervisor of all processes.

    Raises:
        EmbeddedError: it runs already, the port is taken, its secrets are damaged, or the bank can't be drawn.
    """
    environ = dict(os.environ)
    home = open_home(environ)
    check_free(home)
    secrets = load_secrets(home)
    environment = neutral_environment(environ)
    shared = environ.get("TETRAD_SHARED_SOURCES", "")
    household = environ.get("TETRAD_HOUSEHOLD_FROM", "")
    bank = prepare_bank(home, environment, environ.get("TETRAD_BANK", ""), household, shared)
    generator, gateway, valkey = free_ports(3)
    ports = Ports(api=home.port, generator=generator, gateway=gateway, valkey=valkey)
    write_valkey_files(home, secrets, valkey)
    wishes = Wishes(
        benchmark_folders=environ.get("TETRAD_BENCHMARK_FOLDERS", ""),
        bank=bank.name,
        default_sources=environ.get("TETRAD_DEFAULT_SOURCES", ""),
        shared_sources=shared,
        models_file=environ.get("TETRAD_MODELS_FILE", ""),
        judge_model=environ.get("TETRAD_JUDGE_MODEL", ""),
    )
    all_programs = programs(home, secrets, ports, wishes)
    served = f"{bank.name} ({bank.objects} objects of {bank.kinds} kinds, digest {bank.digest[:12]})"
    banner = [
        sys.executable,
        "-m",
        "tetrad.server.embedded.banner",
        f"http://127.0.0.1:{home.port}",
        str(home.logs),
        served,
    ]
    home.supervisor_conf.touch(mode=0o600)
    home.supervisor_conf.write_text(configuration(home, all_programs, banner))
    replace_by_supervisor(home, environment)
