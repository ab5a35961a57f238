"""The command line starts light: what lists commands, or tells the version, imports none of them and no HTTP client."""

import json
import subprocess
import sys

HEAVY = {"httpx", "numpy", "PIL", "asyncio", "markdown_it", "importlib.metadata", "tetrad.client", "tetrad.contracts"}
RUNS = [["--version"], ["--help"], [], ["admin", "--help"], ["admin"], ["keys", "--help"]]
PROGRAM = f"""
import contextlib, io, json, sys
from tetrad.cli.main import main
found = []
for run in {RUNS}:
    with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
        main(run)
    found.append(sorted({HEAVY | {"rich"}} & sys.modules.keys()))
json.dump(found, sys.stdout)
"""


def test_what_lists_commands_or_tells_the_version_imports_nothing_heavy() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    version, *lists, own = json.loads(done.stdout)
    assert version == []
    assert lists == [["rich"]] * len(lists), "cyclopts draws its lists with rich"
    assert {"httpx", "tetrad.client"} < set(own), "a command's own help imports it"
