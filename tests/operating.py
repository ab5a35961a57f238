"""What an operator and a stranger do with a home: commands of the operator, and the whole log of commitments."""

import os
import subprocess
import sys
from pathlib import Path

from api.teams.approvals import approve
from tests.instance import ROOT, Instance
from tetrad.client import Client
from tetrad.contracts.log import LogEntry
from tetrad.server.database import make_engine, write_transaction


def admin(home: Path, *arguments: str) -> str:
    """Run one command of the operator on this home; return what it writes."""
    environment = os.environ | {"TETRAD_HOME": str(home), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tetrad", "admin", *arguments]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def approve_for(instance: Instance, team: Client, corpus: str, cap: int) -> None:
    """Let a team open so many submissions of a corpus."""
    engine = make_engine(f"sqlite:///{instance.data_directory.database}")
    with write_transaction(engine) as connection:
        approve(connection, team.team().id, corpus, cap, 0)
    engine.dispose()


def log_of(client: Client) -> list[LogEntry]:
    entries: list[LogEntry] = []
    while page := client.commitments(after=len(entries)).entries:
        entries += page
    return entries
