"""The templates of deploy/ci: their shell steps run as the CI systems run them, in a project that has nothing else."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.instance import ROOT, Instance
from tetrad import __version__

CI = ROOT / "deploy" / "ci"
ACTION, NIGHTLY = CI / "github" / "action.yml", CI / "github" / "nightly.yml"
GITLAB = CI / "gitlab" / "tetrad.yml"
TOY = "--benchmark toy --setting shade-only"
MODEL = "--model first --command 'python first.py'"
PASSES = f"{TOY} {MODEL} --size 20 --most-unread 1"
FAILS = f"{TOY} {MODEL} --size 20 --least-accuracy 1"
UNSURE = f"{TOY} {MODEL} --size 2 --least-accuracy 0.5"
EXPRESSION = re.compile(r"\$\{\{ (inputs|vars|secrets)\.([A-Za-z_-]+) \}\}")
THERE = "pip"
"""A package that is there: where the client is, too, it need not be installed for each decision anew."""
Environment = dict[str, str]
Done = subprocess.CompletedProcess[str]


def load(path: Path) -> Any:
    return yaml.safe_load(path.read_text())


def filled(text: str, values: dict[str, str]) -> str:
    """Return the text with the values of its expressions, as GitHub writes them."""
    return EXPRESSION.sub(lambda found: values[found[2]], text)


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the programs of an environment that has pip alone: what setup-python and the image give."""
    folder = tmp_path_factory.mktemp("runner") / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    return folder / "bin"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project that holds its model and nothing of ours."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "first.py").write_text("print('(A)')\n")
    return folder


@pytest.fixture
def environment(python: Path, project: Path, tmp_path: Path) -> Environment:
    """Return a runner's variables, and no other of this process but what finds the package index."""
    kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "REQUESTS_"))}
    kept["PIP_COMPILE"] = "0"  # to compile all that is installed takes longer than what the jobs do
    return kept | {"CI": "true", "HOME": str(tmp_path), "PATH": f"{python}:/usr/bin:/bin", "LANG": "C.UTF-8"}


@pytest.fixture
def key(instance: Instance, tmp_path: Path) -> str:
    with instance.client() as client:
        return client.register_team(f"ci-{tmp_path.name[-20:].strip('-').replace('_', '-')}").key


@pytest.fixture
def _with_client(instance: Instance, environment: Environment, python: Path) -> None:
    """Install the client of the instance, unless it is there."""
    if not (python / "tetrad").exists():
        with instance.client() as client:
            told = client.versions().client
        package = f"tetrad @ {told.url}#sha256={told.sha256}"
        subprocess.run(["python", "-m", "pip", "install", "--quiet", package], env=environment, check=True)


def uninstall(environment: Environment) -> None:
    subprocess.run(["python", "-m", "pip", "uninstall", "--yes", "tetrad"], env=environment, check=True)


def run_action(inputs: dict[str, str], environment: Environment, project: Path) -> Done:
    """Run the action's shell steps as GitHub does: its shell, each step with its variables, until one fails."""
    action = load(ACTION)
    values = {name: about.get("default", "") for name, about in action["inputs"].items()} | inputs
    folder = project.parent
    own = {"GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": str(project), "RUNNER_OS": "Linux"}
    own |= {"GITHUB_STEP_SUMMARY": str(folder / "step-summary.md"), "GITHUB_OUTPUT": str(folder / "outputs")}
    for step in action["runs"]["steps"]:
        if "run" in step:
            assert step["shell"] == "bash"
            given = {name: filled(text, values) for name, text in step["env"].items()}
            shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
            done = run(shell, environment | own | given, project)
            if done.returncode != 0:
                break
    return done


def run_gitlab(variables: dict[str, str], environment: Environment, project: Path) -> Done:
    """Run the job's scripts as GitLab's runner does: one shell, which ends at the first command that fails."""
    job = load(GITLAB)[".tetrad"]
    own = {"GITLAB_CI": "true", "CI_PROJECT_DIR": str(project), "CI_COMMIT_SHA": "0" * 40}
    given = {name: text.replace("$CI_PROJECT_DIR", str(project)) for name, text in job["variables"].items()}
    script = "\n".join(["set -eo pipefail", *job["before_script"], *job["script"]])
    return run(["bash", "-c", script], environment | own | given | variables, project)


def run(command: list[str], environment: Environment, project: Path) -> Done:
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)


def outputs(project: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in (project.parent / "outputs").read_text().splitlines())


@pytest.mark.parametrize(
    ("options", "unsure", "expected"),
    [
        (PASSES, "fail", (0, "pass")),
        (FAILS, "fail", (1, "fail")),
        (UNSURE, "fail", (2, "could-not-tell")),
        (UNSURE, "pass", (0, "could-not-tell")),
        (f"{TOY} {MODEL}", "fail", (3, "error")),
    ],
)
@pytest.mark.usefixtures("_with_client")
def test_the_action_decides_and_writes_the_job_s_summary(  # noqa: PLR0917 -- fixtures
    instance: Instance,
    environment: Environment,
    key: str,
    project: Path,
    options: str,
    unsure: str,
    expected: tuple[int, str],
) -> None:
    inputs = {"options": options, "unsure": unsure, "url": instance.url, "key": key, "package": THERE}
    done = run_action(inputs, environment, project)
    assert (done.returncode, outputs(project)["outcome"]) == expected, done.stderr
    summary = (project.parent / "step-summary.md").read_text()
    assert summary == (project / "tetrad-ci" / "summary.md").read_text()
    assert (project / "tetrad-ci" / "junit.xml").is_file()
    assert ("submission" in outputs(project)) == (expected[1] != "error")


def test_the_action_installs_the_service_s_own_client_with_extras(
    instance: Instance, environment: Environment, key: str, project: Path
) -> None:
    uninstall(environment)
    options = f"{TOY} --model constant --size 20 --most-unread 1"
    inputs = {"options": options, "url": f"{instance.url}/", "key": key, "extras": "solvers"}
    done = run_action(inputs, environment, project)
    assert done.returncode == 0, done.stderr
    said = run(["tetrad", "--version"], environment, project).stdout.strip()
    assert said == __version__


def test_the_action_installs_what_it_is_given_instead(environment: Environment, key: str, project: Path) -> None:
    """No service is asked what to install then: this one is not there."""
    package = project / "package"
    package.mkdir()
    (package / "pyproject.toml").write_text(
        '[project]\nname = "tetrad"\nversion = "9"\n[build-system]\nrequires = []\n'
    )
    inputs = {"options": PASSES, "url": "http://127.0.0.1:9", "key": key, "package": str(package)}
    done = run_action(inputs, environment, project)
    assert done.returncode != 0
    assert "127.0.0.1:9" not in done.stderr
    assert str(package) in done.stderr + done.stdout


def test_a_service_that_is_away_is_an_error_and_no_decision(environment: Environment, project: Path) -> None:
    given = {"TETRAD_URL": "http://127.0.0.1:9", "TETRAD_KEY": "tetrad_0", "TETRAD_OPTIONS": PASSES}
    done = run_gitlab(given, environment, project)
    assert done.returncode == 3
    assert "refused" in done.stderr


def test_the_gitlab_job_decides_in_a_project_that_only_includes_it(
    instance: Instance, environment: Environment, key: str, project: Path
) -> None:
    job = load(GITLAB)[".tetrad"]
    uninstall(environment)
    given = {"TETRAD_URL": instance.url, "TETRAD_KEY": key, "TETRAD_OPTIONS": UNSURE}
    done = run_gitlab(given, environment, project)
    assert done.returncode == job["allow_failure"]["exit_codes"] == 2, done.stderr
    for name in [*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"]]:
        assert (project / name).is_file(), name


@pytest.mark.usefixtures("_with_client")
def test_options_are_words_and_no_shell_runs_them(
    instance: Instance, environment: Environment, key: str, project: Path
) -> None:
    given = {"TETRAD_URL": instance.url, "TETRAD_KEY": key, "TETRAD_PACKAGE": THERE}
    given["TETRAD_OPTIONS"] = f"{PASSES} --model $(touch ran)"
    assert run_gitlab(given, environment, project).returncode == 3
    assert not (project / "ran").exists()


def test_what_the_action_names_is_there() -> None:
    action = load(ACTION)
    named = {name for _, name in EXPRESSION.findall(ACTION.read_text())}
    assert named == set(action["inputs"])
    assert set(action["outputs"]) == {"outcome", "submission"}


@pytest.mark.usefixtures("_with_client")
def test_the_nightly_job_asks_a_fixed_baseline_anew(
    instance: Instance, environment: Environment, key: str, project: Path
) -> None:
    """Run its options with small models, which answer from commands instead of servers."""
    (step,) = [step for step in load(NIGHTLY)["jobs"]["evaluate"]["steps"] if step["uses"] == "./deploy/ci/github"]
    values = {"TETRAD_URL": instance.url, "TETRAD_KEY": key, "MODEL_URL": "http://a/v1", "BASELINE_URL": "http://b/v1"}
    inputs = {name: filled(text, values) for name, text in step["with"].items()}
    words = shlex.split(inputs["options"])
    asked = dict(zip(words[::2], words[1::2], strict=True))
    assert asked["--paired"] == "fresh"
    asked |= {"--benchmark": "toy", "--setting": "shade-only", "--size": "20", "--allow-drop": "0.9"}
    del asked["--base-url"], asked["--baseline-base-url"]
    asked |= {"--command": "python first.py", "--baseline-command": "python first.py"}
    options = shlex.join(word for pair in asked.items() for word in pair)
    done = run_action(inputs | {"options": options, "package": THERE}, environment, project)
    assert done.returncode == 0, done.stderr
    result = json.loads((project / "tetrad-ci" / "result.json").read_bytes())
    assert (result["pairing"], result["baseline"]["model"]) == ("fresh", "in-use")
