"""The wheel that an instance serves, in a bare virtual environment: `tetrad` alone, no NumPy, and what a team does."""

import email
import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import unquote
from urllib.request import urlopen

import pytest

from tests.instance import ROOT, Instance
from tests.serving import answered_by
from tetrad.cli import operator
from tetrad.cli.main import COMMANDS
from tetrad.contracts.versions import ClientWheel

PIN = re.compile(r"^([A-Za-z0-9._-]+==[^ ;\\]+)( ;[^\\]+)?", re.MULTILINE)
ABSENT = ("numpy", "PIL", "scipy", "litestar", "sqlalchemy", "api", "generator_service", "scoring_service")
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def client(instance: Instance) -> ClientWheel:
    with instance.client() as anonymous:
        return anonymous.versions().client


@pytest.fixture(scope="session")
def wheel(client: ClientWheel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("wheel") / unquote(client.url.rpartition("/")[2])
    with urlopen(client.url) as served:  # noqa: S310 -- our own, on loopback
        path.write_bytes(served.read())
    return path


@pytest.fixture(scope="session")
def bare(client: ClientWheel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the programs of an environment with the wheel, as pip fetches it, and what it asks for."""
    return installed(f"tetrad @ {client.url}#sha256={client.sha256}", tmp_path_factory.mktemp("bare"))


def installed(requirement: str, folder: Path) -> Path:
    """Let pip install into an environment, in the versions of the lock; return its programs."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "venv")], check=True)
    python = str(folder / "venv" / "bin" / "python")
    constraints = write_constraints("dev", folder)
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--constraint", str(constraints)]
    # To compile all that is installed takes as long again as to install it, and little of it is imported.
    subprocess.run([*pip, "--no-compile", requirement], check=True)
    return folder / "venv" / "bin"


def write_constraints(lock: str, folder: Path) -> Path:
    """Write the versions of a lock into the folder, without hashes, as pip takes them beside a requirement."""
    pins = PIN.findall((ROOT / "requirements" / f"{lock}.txt").read_text())
    constraints = folder / "constraints.txt"
    constraints.write_text("".join(f"{pin}{marker}\n" for pin, marker in pins))
    return constraints


@pytest.fixture
def run(bare: Path, tmp_path: Path) -> Run:
    """Return what runs a program of the bare environment in an empty folder."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TETRAD", "PYTHON", "COV"))}
    environment = kept | {"TETRAD_CONFIG": str(tmp_path / "keys.json"), "COLUMNS": "200"}

    def run(program: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [str(bare / program), *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


class Replies(BaseHTTPRequestHandler):
    """An OpenAI-compatible server whose model always says the first option."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = json.dumps({"choices": [{"message": {"role": "assistant", "content": "The answer is (A)."}}]}).encode()
        self.send_response(200 if self.path == "/v1/chat/completions" and asked["model"] == "first" else 400)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def model_server() -> Iterator[str]:
    with answered_by(Replies) as url:
        yield f"{url}/v1"


def test_the_wheel_holds_tetrad_alone(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        tops = {name.partition("/")[0] for name in archive.namelist()}
        assert "tetrad/cli/main.py" in archive.namelist()
    assert {top for top in tops if not top.endswith(".dist-info")} == {"tetrad"}


def test_the_bare_environment_has_neither_numpy_nor_a_service(run: Run) -> None:
    found = f"from importlib.util import find_spec; print([name for name in {ABSENT} if find_spec(name)])"
    assert run("python", "-c", found).stdout == "[]\n"


def test_every_command_can_be_imported_and_tells_what_it_does(run: Run) -> None:
    for group, names in ((), COMMANDS), (("admin",), operator.COMMANDS):
        shown = run("tetrad", *group, "--help")
        assert shown.returncode == 0, shown.stderr
        lines = {match[1] for match in re.finditer(r"^│ ([a-z-]+) +[A-Z]", shown.stdout, re.MULTILINE)}
        assert names.keys() <= lines, "a command is listed without a summary"


def test_fresh_items_come_with_pictures(run: Run, instance: Instance, tmp_path: Path) -> None:
    done = run("tetrad", "items", "toy", "--seed", "1", "--count", "2", "--out", "puzzles", "--url", instance.url)
    assert done.returncode == 0, done.stderr
    assert len((tmp_path / "puzzles" / "data" / "train-00000.jsonl").read_text().splitlines()) >= 2


def test_a_model_behind_an_openai_server_gets_its_report(run: Run, instance: Instance, model_server: str) -> None:
    registered = run("tetrad", "keys", "new", "--team", "bare-team", "--url", instance.url)
    assert registered.returncode == 0, registered.stderr
    asked = ("--benchmark", "toy", "--setting", "shade-only", "--size", "20", "--model", "first")
    done = run("tetrad", "submit", *asked, "--base-url", model_server, "--url", instance.url, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["size"] == 20
    assert (report["unread"], report["missing"]) == (0, 0)
    board = run("tetrad", "leaderboard", "toy", "--setting", "shade-only", "--url", instance.url)
    assert "bare-team" in board.stdout


def test_what_needs_numpy_names_an_extra_of_the_wheel(run: Run, instance: Instance, wheel: Path) -> None:
    assert run("tetrad", "keys", "new", "--team", "bare-solver", "--url", instance.url).returncode == 0
    asked = ("--benchmark", "toy", "--model", "pixel-solver", "--size", "20", "--url", instance.url)
    refused = run("tetrad", "submit", *asked)
    assert refused.returncode == 1
    (extra,) = re.findall(r"`tetrad versions --extra ([a-z]+)`", refused.stderr)
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        about = email.message_from_bytes(archive.read(metadata))
    needed = [line for line in about.get_all("Requires-Dist", []) if f"extra == '{extra}'" in line]
    assert extra in about.get_all("Provides-Extra", [])
    assert {re.split(r"[<>=;]", line)[0].strip() for line in needed} == {"numpy", "pillow"}


def test_what_tetrad_versions_shows_installs_an_extra_that_then_submits(
    run: Run, instance: Instance, tmp_path: Path
) -> None:
    shown = run("tetrad", "versions", "--extra", "solvers", "--url", instance.url)
    assert shown.returncode == 0, shown.stderr
    assert run("tetrad", "--version").stdout.strip() in shown.stdout
    (requirement,) = re.findall(r'^pip install "(tetrad\[solvers\] @ [^"]+)"$', shown.stdout, re.MULTILINE)
    programs = installed(requirement, tmp_path / "with-solvers")
    assert run("tetrad", "keys", "new", "--team", "bare-with-eyes", "--url", instance.url).returncode == 0
    asked = ("--benchmark", "toy", "--model", "constant", "--size", "20", "--url", instance.url, "--json")
    done = run(str(programs / "tetrad"), "submit", *asked)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["versions"]["tetrad"] == run("tetrad", "--version").stdout.strip()


@pytest.mark.parametrize("command", [("up",), ("source", "list")], ids=" ".join)
def test_what_needs_the_services_says_where_they_are(run: Run, command: tuple[str, ...], tmp_path: Path) -> None:
    refused = run("tetrad", *command)
    assert refused.returncode == 1
    assert refused.stderr.startswith("tetrad: this command runs the services of a clone of Tetrad's repository")
    assert "`make up` in a clone" in refused.stderr
    assert command != ("up",) or not (tmp_path / "var").exists(), "nothing is made before it can start"
