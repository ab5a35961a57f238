"""Ctrl-C while `tetrad up` has a source drawn: workers end, and no semaphore of theirs is left behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.files import bytes_if_there
from tests.instance import ROOT

SCRIPT = """
import sys
from tetrad.server.embedded.checkout import run_service_module
try:
    run_service_module("generator_service.commands", ["build", "builtin", "--store", sys.argv[1]])
except KeyboardInterrupt:
    sys.exit(130)
"""
PATIENCE_SECONDS = 100


def workers_of(store: str) -> int:
    """Return how many workers the drawing of this store has started."""
    found = [path.parent for path in Path("/proc").glob("[0-9]*/cmdline") if store in text_of(path)]
    parents = {folder.name for folder in found}
    every = [path for path in Path("/proc").glob("[0-9]*/cmdline") if "spawn_main" in text_of(path)]
    return sum(parent_of(path.parent) in parents for path in every)


def text_of(path: Path) -> str:
    return bytes_if_there(path).decode(errors="replace")


def parent_of(folder: Path) -> str:
    fields = text_of(folder / "stat").rpartition(")")[2].split()
    return fields[1] if len(fields) > 1 else ""


def test_an_interrupted_start_leaves_no_semaphore_behind(tmp_path: Path) -> None:
    store = f"file://{tmp_path / 'sources'}"
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, store],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    end = time.monotonic() + PATIENCE_SECONDS
    while not workers_of(store) and time.monotonic() < end:
        time.sleep(0.1)
    time.sleep(1.0)  # they are at work
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    _, said = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 130
    assert "leaked" not in said
    assert "Traceback" not in said
    assert workers_of(store) == 0
