"""What an operator and a stranger do with a home: commands of the operator, and the whole log of commitments."""

import os
import subprocess
import sys
from pathlib import Path

from tests.instance import ROOT
from tetrad.client import Client
from tetrad.contracts.log import LogEntry


def admin(home: Path, *arguments: str) -> str:
    """Run one command of the operator on this home; return what it writes."""
    environment = os.environ | {"TETRAD_HOME": str(home), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tetrad", "admin", *arguments]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def log_of(client: Client) -> list[LogEntry]:
    entries: list[LogEntry] = []
    while page := client.commitments(after=len(entries)).entries:
        entries += page
    return entries
