"""Supervision by supervisord: restarts what crashes, and one Ctrl-C stops all."""

import os
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from tetrad.server.embedded.data_directory import EmbeddedError, Home
from tetrad.server.embedded.programs import Program

LOG_BYTES = 10_000_000
UNWRITABLE = re.compile(r"[\n\r]|\s[;#]")


def configuration(home: Home, programs: Sequence[Program], banner: Sequence[str]) -> str:
    """Return supervisord's configuration: the programs, and a last one that says when all are ready.

    Raises:
        EmbeddedError: a path or a value has characters that its format can't hold.
    """
    head = [
        "[supervisord]",
        "nodaemon=true",
        "silent=true",
        "loglevel=info",
        "user=root" if os.geteuid() == 0 else "",
        f"logfile={_escaped(home.logs)}/supervisord.log",
        f"logfile_maxbytes={LOG_BYTES}",
        f"pidfile={_escaped(home.pid_file)}",
        f"childlogdir={_escaped(home.logs)}",
        f"directory={_escaped(Path.cwd())}",
    ]
    sections = [_section(home, program) for program in programs]
    return "\n".join([*head, "", *sections, _banner(banner)])


def replace_by_supervisor(home: Home, environment: dict[str, str]) -> None:
    """Become supervisord: signals to this process reach it, and no parent is left to die first."""
    command = [sys.executable, "-m", "supervisor.supervisord", "-c", str(home.supervisor_conf)]
    os.execve(sys.executable, command, environment)  # noqa: S606 -- no shell is meant


def _section(home: Home, program: Program) -> str:
    environment = ",".join(f"{name}={_quoted(value)}" for name, value in program.environment.items())
    lines = [
        f"[program:{program.name}]",
        f"command={_escaped(shlex.join(program.command))}",
        f"environment={environment}",
        "autorestart=true",
        "startsecs=2",
        "startretries=1000000",  # waiting for a neighbour is no reason to give up
        "stopsignal=TERM",
        f"stopwaitsecs={program.stop_seconds}",
        "stopasgroup=true",
        "killasgroup=true",
        f"priority={1 if program.first else 10}",
        "redirect_stderr=true",
        f"stdout_logfile={_escaped(_escaped(home.logs))}/{program.name}.log",  # supervisord expands this one twice
        f"stdout_logfile_maxbytes={LOG_BYTES}",
        "stdout_logfile_backups=3",
        "",
    ]
    return "\n".join(lines)


def _banner(command: Sequence[str]) -> str:
    return "\n".join(
        [
            "[program:banner]",
            f"command={_escaped(shlex.join(command))}",
            "autorestart=false",
            "startsecs=0",
            "priority=20",
            "stdout_logfile=/dev/fd/1",
            "stdout_logfile_maxbytes=0",
            "redirect_stderr=true",
            "",
        ]
    )


def _quoted(value: str) -> str:
    """Return an environment's value in quotes; the format has no escape for one inside."""
    if '"' in value or value != value.strip("'"):
        raise EmbeddedError(f"{value!r} can't be written to supervisord's configuration; rename the folder")
    return f'"{_escaped(value)}"'


def _escaped(value: str | Path) -> str:
    """Return the text with its percent signs doubled; for the start of a comment there is no escape."""
    text = str(value)
    if UNWRITABLE.search(text):
        raise EmbeddedError(f"{text!r} can't be written to supervisord's configuration; rename the folder")
    return text.replace("%", "%%")
