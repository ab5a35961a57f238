"""docs/training.md, followed as somebody does who trains: every command and every snippet behind the installation."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.instance import ROOT, Instance
from tetrad.rows.columns import column_table

PAGE = (ROOT / "docs" / "training.md").read_text()
DEFAULT = "http://127.0.0.1:8000"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def environment(instance: Instance, tmp_path: Path) -> dict[str, str]:
    scripts = str(Path(sys.executable).parent)
    return os.environ | {
        "TETRAD_URL": instance.url,
        "TETRAD_CONFIG": str(tmp_path / "keys.json"),
        "PATH": f"{scripts}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
    }


def run(command: list[str], environment: dict[str, str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout


def test_the_first_reward_comes_by_the_page_s_own_words(
    instance: Instance, environment: dict[str, str], tmp_path: Path
) -> None:
    shown, rewarded = (
        run([sys.executable, "-c", snippet.replace(DEFAULT, instance.url)], environment, tmp_path)
        for snippet in blocks("python")
    )
    assert shown.endswith("True\n")
    assert rewarded.split() == ["1.0", "0.0"] * 2
    commands = [line.removeprefix("$ ") for block in blocks("console") for line in block.splitlines()]
    assert len(commands) >= 4
    for command in commands:
        said = run(["bash", "-c", command.replace(DEFAULT, instance.url)], environment, tmp_path)
    verdicts = [json.loads(line) for line in said.splitlines()]
    assert len(verdicts) == 8
    assert {(verdict["answer"], verdict["reward"]) for verdict in verdicts} == {("A", 1.0), ("A", 0.0)}


def test_the_page_describes_every_column_in_the_words_of_the_contract() -> None:
    assert column_table() in PAGE
