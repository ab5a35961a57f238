"""The templates of deploy/ci: their shell steps run as the CI systems would run them, against a real instance."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.instance import ROOT, Instance

CI = ROOT / "deploy" / "ci"
ACTION = CI / "github" / "action.yml"
PASSES = "--benchmark toy --setting shade-only --model constant --size 20 --most-unread 1"
FAILS = "--benchmark toy --setting shade-only --model constant --size 20 --least-accuracy 1"
UNSURE = "--benchmark toy --setting shade-only --model constant --size 2 --least-accuracy 0.5"


def load(path: Path) -> Any:
    return yaml.safe_load(path.read_text())


@pytest.fixture
def environment(instance: Instance, tmp_path: Path) -> dict[str, str]:
    with instance.client() as client:
        key = client.register_team(f"ci-{tmp_path.name[-20:].strip('-').replace('_', '-')}").key
    (tmp_path / "bin").mkdir()
    tetrad = tmp_path / "bin" / "tetrad"
    tetrad.write_text(f'#!/bin/sh\nexec {sys.executable} -m tetrad "$@"\n')
    tetrad.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TETRAD")}
    return kept | {
        "TETRAD_URL": instance.url,
        "TETRAD_KEY": key,
        "TETRAD_CONFIG": str(tmp_path / "keys.json"),
        "PYTHONPATH": str(ROOT),
        "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
        "GITHUB_STEP_SUMMARY": str(tmp_path / "step-summary.md"),
        "GITHUB_OUTPUT": str(tmp_path / "outputs"),
        "GITHUB_ACTION_PATH": str(ACTION.parent),
    }


def shell(script: str, folder: Path, environment: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["bash", "-e", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def outputs(folder: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in (folder / "outputs").read_text().splitlines())


@pytest.mark.parametrize(
    ("options", "unsure", "expected"),
    [
        (PASSES, "fail", (0, "pass")),
        (FAILS, "fail", (1, "fail")),
        (UNSURE, "fail", (2, "could-not-tell")),
        (UNSURE, "pass", (0, "could-not-tell")),
        ("--benchmark toy --model constant", "fail", (3, "error")),
    ],
)
def test_the_action_decides_and_writes_the_job_s_summary(
    environment: dict[str, str], tmp_path: Path, options: str, unsure: str, expected: tuple[int, str]
) -> None:
    decide = next(step for step in load(ACTION)["runs"]["steps"] if step.get("id") == "decide")
    given = {"TETRAD_OPTIONS": options, "TETRAD_UNSURE": unsure}
    assert given.keys() < decide["env"].keys()
    done = shell(decide["run"], tmp_path, environment | given)
    assert (done.returncode, outputs(tmp_path)["outcome"]) == expected, done.stderr
    if expected[1] == "error":
        assert not (tmp_path / "step-summary.md").exists()
        return
    assert (tmp_path / "step-summary.md").read_text() == (tmp_path / "tetrad-ci" / "summary.md").read_text()
    assert outputs(tmp_path)["submission"].startswith("sub_")


def test_what_the_action_names_is_there() -> None:
    action = load(ACTION)
    named = set(re.findall(r"inputs\.([a-z-]+)", ACTION.read_text()))
    assert named == set(action["inputs"])
    assert set(action["outputs"]) == {"outcome", "submission"}
    assert load(CI / "github" / "nightly.yml")["jobs"]["evaluate"]["steps"][3]["uses"] == "./deploy/ci/github"
    given = load(CI / "github" / "nightly.yml")["jobs"]["evaluate"]["steps"][3]["with"]
    assert given.keys() <= action["inputs"].keys()


def test_the_gitlab_job_decides_and_leaves_what_it_promises(environment: dict[str, str], tmp_path: Path) -> None:
    job = load(CI / "gitlab" / "tetrad.yml")[".tetrad"]
    (tmp_path / "deploy").symlink_to(ROOT / "deploy")
    kept = {name: value for name, value in environment.items() if not name.startswith("GITHUB")}
    done = shell("\n".join(job["script"]), tmp_path, kept | {"TETRAD_OPTIONS": UNSURE})
    assert done.returncode == job["allow_failure"]["exit_codes"] == 2, done.stderr
    for name in [*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"]]:
        assert (tmp_path / name).is_file(), name


def test_the_nightly_job_compares_with_the_night_before(environment: dict[str, str], tmp_path: Path) -> None:
    steps = load(CI / "github" / "nightly.yml")["jobs"]["evaluate"]["steps"]
    options, keep = steps[2]["run"], steps[4]["run"]
    first = shell(options, tmp_path, environment | {"MODEL_URL": "http://model:9000/v1"})
    assert first.returncode == 0, first.stderr
    assert "--baseline" not in outputs(tmp_path)["options"]
    shell(keep, tmp_path, environment | {"SUBMISSION": "sub_1"})
    shell(options, tmp_path, environment | {"MODEL_URL": "http://model:9000/v1"})
    assert outputs(tmp_path)["options"].endswith("--allow-drop 0.05 --baseline sub_1 --paired no")
