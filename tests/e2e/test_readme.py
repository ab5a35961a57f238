"""The README, typed as a new user would: every console command and every Python snippet, in order."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.instance import ROOT, Instance

README = (ROOT / "README.md").read_text()
DEFAULT = "http://127.0.0.1:8000"
FEWER = {"--size 50": "--size 25", "--size 20": "--size 10"}
"""Sizes at which the commands do and say the same, for less. A guesser of 25 comes near 90% once in 400,000 runs."""


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def commands() -> list[tuple[str, str]]:
    """Return every `$ command` with the output that the README shows for it."""
    found = []
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output.strip()))
    return found


@pytest.fixture
def environment(instance: Instance, tmp_path: Path) -> dict[str, str]:
    scripts = str(Path(sys.executable).parent)
    return os.environ | {
        "TETRAD_URL": instance.url,
        "TETRAD_HOME": str(instance.data_directory.folder),
        "TETRAD_CONFIG": str(tmp_path / "keys.json"),
        "PATH": f"{scripts}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "COLUMNS": "160",
    }


def test_every_command_works_and_prints_what_the_readme_shows(
    instance: Instance, environment: dict[str, str], tmp_path: Path
) -> None:
    assert len(commands()) >= 5
    for command, shown in commands():
        line = command.replace(DEFAULT, instance.url)
        line = re.sub(r"^tetrad\b", f"{sys.executable} -m tetrad", line)
        for size, fewer in FEWER.items():
            line = line.replace(size, fewer)
        done = subprocess.run(
            ["bash", "-c", line], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        status = re.search(r"# exits (\d+)", command)
        assert done.returncode == (int(status[1]) if status else 0), f"{command}: {done.stderr}"
        assert shown in done.stdout, command
    assert len(list((tmp_path / "puzzles").rglob("*.png"))) >= 12


def test_every_python_snippet_runs(instance: Instance, environment: dict[str, str], tmp_path: Path) -> None:
    snippets = blocks("python")
    assert snippets
    for snippet in snippets:
        done = subprocess.run(
            [sys.executable, "-c", snippet.replace(DEFAULT, instance.url)],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert re.search(r"(correct|incorrect)$", done.stdout.strip())


def test_every_other_command_names_options_that_exist(environment: dict[str, str]) -> None:
    lines = [line for block in blocks("sh") for line in block.splitlines() if line.startswith("tetrad ")]
    assert len(lines) >= 3
    for line in lines:
        name = line.split()[1]
        shown = subprocess.run(
            [sys.executable, "-m", "tetrad", name, "--help"],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for option in re.findall(r" (--[a-z-]+)", line):
            assert option in shown, line


def test_the_readme_is_short_and_has_a_picture_of_real_items() -> None:
    assert len(README.splitlines()) <= 150
    assert "![Five KiVA trials" in README
