"""Start an embedded instance: `tetrad up`."""

import os
import re
import resource
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from tetrad.server.embedded.backups import check_databases
from tetrad.server.embedded.checkout import find_checkout, run_service_module, service_environment
from tetrad.server.embedded.data_directory import (
    DataDirectory,
    EmbeddedError,
    free_ports,
    load_secrets,
    make_private_files,
    open_data_directory,
    take,
)
from tetrad.server.embedded.die_with_parent import wrap_command
from tetrad.server.embedded.programs import (
    BENCHMARK_FOLDERS,
    Options,
    Ports,
    Program,
    folder_options,
    programs,
    sources_url,
    write_valkey_files,
    write_watchdog_file,
)

LEAST_PATIENCE_SECONDS, MOST_PATIENCE_SECONDS = 20, 3600  # scoring gives a sign every 10 s
LOG_BYTES = 10_000_000
MOST_BULK_WORKERS = 64
ABOUT = (*(f"TETRAD_API_OPERATOR_{name}" for name in ("NAME", "CONTACT", "PRIVACY")), "TETRAD_API_NOTICE")
PACKAGES_FROM = {"people": "TETRAD_PEOPLE_FROM", "photographs": "TETRAD_PHOTOGRAPHS_FROM"}
NOWHERE, FETCHED = "none", "packages"  # values of these: the source is not made; its packages are fetched
UNLESS_NAMED = {"photographs": NOWHERE}
"""What is done where a variable has no value; elsewhere packages are fetched."""
NUMBERS = {
    "TETRAD_GATEWAY_DAY_BUDGET": (float, "a number of US dollars"),
    "TETRAD_CACHE_MIB": (int, "a whole number of MiB"),
    "TETRAD_ANSWER_ROWS_DAYS": (int, "a whole number of days"),
}
"""What a variable must hold, in words; a service that is told anything else never comes up."""
FEWEST_FILES = 4_096  # open files of a process; each connection is one
SHARED_SOURCES = "TETRAD_SHARED_SOURCES"
_BETWEEN = re.compile(r",(?=file://|s3://)")  # as the generator divides it: a folder's name may have a comma
UNWRITABLE = re.compile(r"[\n\r]|\s[;#]")


class ReadyBank(msgspec.Struct, frozen=True, kw_only=True):
    """The object bank that the instance serves; without a name and objects where no benchmark draws from any.

    beside: sources that are to be made while the service is up.
    """

    name: str
    digest: str
    objects: int
    kinds: int
    beside: tuple[str, ...] = ()


def prepare_bank(
    data: DataDirectory, wanted: str, household: str, shared: str = "", folders: Sequence[str] = ()
) -> ReadyBank:
    """Draw the wanted object bank into the store of sources if it is not there yet, and return it.

    If no benchmark draws from objects and none are asked for, nothing is drawn. `folders` are the options that name
    further folders of benchmarks. `wanted` is "" for the default: household if its models can be fetched, otherwise
    builtin. `household` is a path to take these models from; "" asks apt for them. `shared` names further stores of
    sources, which are only read.

    Raises:
        EmbeddedError: there is no such bank; the module's own output says what to do.
    """
    arguments = ["prepare", "--store", sources_url(data, shared), "--wanted", wanted]
    arguments += ["--household", household] if household else []
    arguments += folders
    asked = f" {wanted}" if wanted else ""
    made = run_service_module(
        "generator_service.commands", arguments, failure=f"the object bank{asked} can't be made in {data.sources}"
    )
    return msgspec.convert(made, type=ReadyBank)


def up(*, bulk_workers: int = 1) -> None:
    """Run the whole service on this machine (TETRAD_PORT, TETRAD_GATEWAY_PORT, TETRAD_HOME); Ctrl-C stops it.

    It needs a clone of Tetrad's repository. The first start draws an object bank. This process becomes the supervisor
    of the services.

    Args:
        bulk_workers: how many workers make data sets, each on a processor core of its own; 0 makes none.

    Raises:
        EmbeddedError: the services are not here, the instance runs already, the port is taken, its secrets are damaged,
            a database is damaged, a variable holds no number where it must or names what is not there, or the bank
            can't be drawn.
    """
    if not 0 <= bulk_workers <= MOST_BULK_WORKERS:
        raise EmbeddedError(f"--bulk-workers is {bulk_workers}; use a number from 0 to {MOST_BULK_WORKERS}")
    environment = service_environment(find_checkout())
    environ = os.environ
    make_private_files()
    _warn_of_few_files()
    check_variables(environ)
    data = open_data_directory(environ)
    shared = environ.get(SHARED_SOURCES, "")
    if not data.sources.exists() and not shared:
        first = f"First start in {data.folder}: objects are fetched and drawn, which takes some minutes."
        print(first, file=sys.stderr)  # noqa: T201 -- for whoever starts it
    if ended := take(data):
        print(f"An earlier start of {data.folder} left processes behind; ended: {', '.join(ended)}", file=sys.stderr)  # noqa: T201 -- for whoever starts it
    check_databases(data)
    secrets = load_secrets(data)
    household = environ.get("TETRAD_HOUSEHOLD_FROM", "")
    bank = prepare_bank(data, environ.get("TETRAD_BANK", ""), household, shared, folder_options(environ))
    ports = draw_ports(data)
    write_valkey_files(data, secrets, ports.valkey)
    options = Options(
        benchmark_folders=environ.get(BENCHMARK_FOLDERS, ""),
        bank=bank.name,
        default_sources=environ.get("TETRAD_DEFAULT_SOURCES", ""),
        shared_sources=shared,
        models_file=environ.get("TETRAD_MODELS_FILE", ""),
        day_budget=environ.get("TETRAD_GATEWAY_DAY_BUDGET") or Options().day_budget,
        purpose_budgets=environ.get("TETRAD_GATEWAY_PURPOSE_BUDGETS", ""),
        judge_model=environ.get("TETRAD_JUDGE_MODEL", ""),
        public_url=environ.get("TETRAD_API_PUBLIC_URL", ""),
        about={name: environ[name] for name in ABOUT if name in environ},
        make_beside=_made_beside(bank, environ),
        cache_mib=environ.get("TETRAD_CACHE_MIB") or Options().cache_mib,
        bulk_workers=bulk_workers,
        answer_rows_days=environ.get("TETRAD_ANSWER_ROWS_DAYS") or Options().answer_rows_days,
        patience_seconds=_seconds(environ, "TETRAD_PATIENCE_SECONDS", Options().patience_seconds),
        start_patience_seconds=_seconds(environ, "TETRAD_START_PATIENCE_SECONDS", Options().start_patience_seconds),
    )
    shutil.rmtree(data.metrics, ignore_errors=True)  # numbers begin anew with the instance
    write_watchdog_file(data, ports, options)
    all_programs = programs(data, secrets, ports, options)
    served = "none: no benchmark here draws from objects"
    if bank.name:
        served = f"{bank.name} ({bank.objects} objects of {bank.kinds} kinds, digest {bank.digest[:12]})"
    url = f"http://127.0.0.1:{data.port}"
    gateway_url = f"http://127.0.0.1:{data.gateway_port}/v1"
    told = [url, str(data.folder), str(data.logs), served, gateway_url, ",".join(options.make_beside)]
    banner = wrap_command(["-m", "tetrad.server.embedded.banner", *told], "banner", data.folder)
    data.supervisor_conf.touch(mode=0o600)
    data.supervisor_conf.write_text(configuration(data, all_programs, banner))
    replace_by_supervisor(data, environment)


def draw_ports(data: DataDirectory) -> Ports:
    """Return the ports that the instance was given, and some that are free for its inner servers."""
    generator, practice, valkey = free_ports(3, (data.port, data.gateway_port, data.metrics_port))
    return Ports(api=data.port, generator=generator, practice=practice, gateway=data.gateway_port, valkey=valkey)


def _made_beside(bank: ReadyBank, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the sources to make while the service is up, with the folder of their packages, "" to fetch them."""
    folders = {name: environ.get(PACKAGES_FROM[name]) or UNLESS_NAMED.get(name, FETCHED) for name in bank.beside}
    return {name: "" if folder == FETCHED else folder for name, folder in folders.items() if folder != NOWHERE}


def _warn_of_few_files() -> None:
    """Print a warning if a server can't open as many connections as it takes.

    It raises its own limit up to the hard one.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < FEWEST_FILES:
        warning = f"A process may open only {hard} files here, so {hard} connections block a server; raise `ulimit -Hn`"
        print(warning, file=sys.stderr)  # noqa: T201 -- for whoever starts it


def check_variables(environ: Mapping[str, str]) -> None:
    """Check, before anything is drawn, what a service would refuse at its start and never come up with.

    Raises:
        EmbeddedError: a variable holds no number where it must, or names a file or a store that is not there.
    """
    for variable, (kind, words) in NUMBERS.items():
        text = environ.get(variable) or "0"
        try:
            is_good = kind(text) >= 0
        except ValueError:
            is_good = False
        if not is_good:
            raise EmbeddedError(f"{variable} is {text!r}; use {words} from 0")
    models = environ.get("TETRAD_MODELS_FILE")
    if models and not Path(models).is_file():
        raise EmbeddedError(f"TETRAD_MODELS_FILE is {models!r}, which is no file; name one, or leave it out")
    _check_stores(environ.get(SHARED_SOURCES, ""))


def _check_stores(shared: str) -> None:
    for address in _BETWEEN.split(shared) if shared else []:
        kind, _, place = address.partition("://")
        if kind not in {"file", "s3"} or (kind == "file" and not Path(place).is_dir()):
            problem = "is no folder" if kind == "file" else "is not the address of a store"
            raise EmbeddedError(
                f"{SHARED_SOURCES} names {address!r}, which {problem}; write addresses such as file:///srv/sources "
                "or s3://bucket/sources, joined by commas"
            )


def _seconds(environ: Mapping[str, str], variable: str, default: float) -> float:
    text = environ.get(variable, "")
    try:
        seconds = float(text) if text else default
    except ValueError:
        seconds = 0.0
    if not LEAST_PATIENCE_SECONDS <= seconds <= MOST_PATIENCE_SECONDS:
        bounds = f"{LEAST_PATIENCE_SECONDS:.0f} to {MOST_PATIENCE_SECONDS:.0f}"
        raise EmbeddedError(f"{variable} is {text!r}; use a number of seconds from {bounds}")
    return seconds


def configuration(data: DataDirectory, programs: Sequence[Program], banner: Sequence[str]) -> str:
    """Return supervisord's configuration: the programs, and a last one that says when all are ready.

    Raises:
        EmbeddedError: a path or a value has characters that the format can't hold.
    """
    head = [
        "[supervisord]",
        "umask=077",
        "nodaemon=true",
        "silent=true",
        "loglevel=info",
        "user=root" if os.geteuid() == 0 else "",
        f"logfile={_escape(data.logs)}/supervisord.log",
        f"logfile_maxbytes={LOG_BYTES}",
        f"pidfile={_escape(data.pid_file)}",
        f"childlogdir={_escape(data.logs)}",
        f"directory={_escape(Path.cwd())}",
    ]
    sections = [_section(data, program) for program in programs]
    return "\n".join([*head, "", *sections, _banner(banner)])


def replace_by_supervisor(data: DataDirectory, environment: dict[str, str]) -> None:
    """Become supervisord, so that signals to this process reach it and there is no parent that could die first."""
    command = [sys.executable, "-m", "supervisor.supervisord", "-c", str(data.supervisor_conf)]
    os.execve(sys.executable, command, environment)  # noqa: S606 -- no shell is meant


def _section(data: DataDirectory, program: Program) -> str:
    environment = ",".join(f"{name}={_quote_value(value)}" for name, value in program.environment.items())
    lines = [
        f"[program:{program.name}]",
        f"command={_escape(shlex.join(program.command))}",
        f"environment={environment}",
        "umask=077",
        f"autorestart={'false' if program.once else 'true'}",
        f"startsecs={0 if program.once else 2}",
        "startretries=1000000",  # a program that waits for another one is started again
        "stopsignal=TERM",
        f"stopwaitsecs={program.stop_seconds}",
        "stopasgroup=true",
        "killasgroup=true",
        f"priority={1 if program.first else 10}",
        "redirect_stderr=true",
        f"stdout_logfile={_escape(_escape(data.logs))}/{program.name}.log",  # supervisord expands this one twice
        f"stdout_logfile_maxbytes={LOG_BYTES}",
        "stdout_logfile_backups=3",
        "",
    ]
    return "\n".join(lines)


def _banner(command: Sequence[str]) -> str:
    return "\n".join(
        [
            "[program:banner]",
            f"command={_escape(shlex.join(command))}",
            "autorestart=false",
            "startsecs=0",
            "priority=20",
            "stdout_logfile=/dev/fd/1",
            "stdout_logfile_maxbytes=0",
            "redirect_stderr=true",
            "",
        ]
    )


def _quote_value(value: str) -> str:
    """Return an environment's value in quotes. The format can't escape a quote inside."""
    if '"' in value or value != value.strip("'"):
        raise EmbeddedError(f"{value!r} can't be written to supervisord's configuration; rename the folder")
    return f'"{_escape(value)}"'


def _escape(value: str | Path) -> str:
    """Return the text with its percent signs doubled. The format can't escape the start of a comment."""
    text = str(value)
    if UNWRITABLE.search(text):
        raise EmbeddedError(f"{text!r} can't be written to supervisord's configuration; rename the folder")
    return text.replace("%", "%%")
