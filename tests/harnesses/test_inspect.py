"""Inspect, the real one in an environment of its own, with its mock provider: a sealed submission, and its task.

Inspect counts the tokens of its mock's default reply with tables that it downloads, so the mock gets replies here.
"""

import json
import os
import subprocess
import tomllib
from pathlib import Path

import pytest

from deploy.triton.environment import make_environment
from tests.instance import ROOT, Instance

REPLIES = """
import functools, json, sys
from inspect_ai import eval, model
from inspect_ai.model import ModelOutput, ModelUsage, get_model

def replies(end="stop"):
    while True:
        output = ModelOutput.from_content("mockllm", "I say (A).", stop_reason=end)
        output.usage = ModelUsage(input_tokens=10, output_tokens=3, total_tokens=13)
        yield output
"""
TASK = """
from tetrad.inspect_tasks import practice

def asked(count, end):
    (log,) = eval(practice(benchmark="toy", count=count, url=sys.argv[1]), display="none",
                  model=get_model("mockllm/model", custom_outputs=replies(end)))
    return log

(blocked,) = asked(1, "content_filter").samples
log = asked(3, "stop")
print(json.dumps({
    "status": log.status,
    "blocked": blocked.metadata["verdicts"],
    "accuracy": log.results.scores[0].metrics["accuracy"].value,
    "samples": [[one.metadata["cluster"] == one.id, one.metadata["verdicts"]] for one in log.samples],
}))
"""
SUBMISSION = """
model.get_model = functools.partial(get_model, custom_outputs=replies())
from tetrad.cli import main
main(["eval", "--benchmark", "toy", "--model", "mocked", "--inspect", "mockllm/model", "--size", "20", "--private",
      "--price", "1,1", "--json"])
"""


@pytest.fixture(scope="module")
def python() -> str:
    lock, folder = ROOT / "requirements" / "inspect.txt", ROOT / "var" / "inspect" / "environment"
    return str(make_environment(lock, folder) / "bin" / "python")


def ran(python: str, script: str, instance: Instance, folder: Path) -> "subprocess.CompletedProcess[str]":
    with instance.client() as client:
        key = client.register_team(f"inspectors-{folder.name[-12:].replace('_', '-')}").key
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TETRAD", "PYTHON", "COV"))}
    own = {
        "TETRAD_URL": instance.url,
        "TETRAD_KEY": key,
        "PYTHONPATH": str(ROOT),
        "INSPECT_LOG_DIR": str(folder / "logs"),
    }
    return subprocess.run(
        [python, "-c", REPLIES + script, instance.url],
        cwd=folder,
        env=kept | own,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_task_asks_practice_items_and_scores_them_as_we_do(python: str, instance: Instance, tmp_path: Path) -> None:
    done = ran(python, TASK, instance, tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["status"] == "success"
    assert set(said["blocked"]) == {"unread"}, "why a reply ended is told, too"
    assert [is_cluster for is_cluster, _ in said["samples"]] == [True] * 3
    verdicts = [found for _, found in said["samples"]]
    assert {one for found in verdicts for one in found} <= {"correct", "incorrect", "unread"}
    means = [found.count("correct") / len(found) for found in verdicts]
    assert said["accuracy"] == pytest.approx(sum(means) / 3)


def test_a_sealed_submission_is_answered_by_a_model_of_inspect(python: str, instance: Instance, tmp_path: Path) -> None:
    done = ran(python, SUBMISSION, instance, tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    report = json.loads(done.stdout)
    assert report["size"] == 20
    assert report["stops"] == {"complete": report["questions_asked"]}
    assert f"{10 * (report['questions_asked'] + 1):,} tokens in" in done.stderr


def test_inspect_finds_the_task_by_its_entry_point() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["inspect_ai"] == {"tetrad": "tetrad.inspect_tasks"}
    assert "def practice(" in (ROOT / "tetrad" / "inspect_tasks.py").read_text()
