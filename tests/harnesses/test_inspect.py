"""Inspect, the real one in an environment of its own, with its mock provider: a sealed submission, and its tasks.

Inspect counts the tokens of its mock's default reply with tables that it downloads, so the mock gets replies here.
"""

import json
import tomllib

import pytest

from tests.harnesses.conftest import RunIn
from tests.instance import ROOT, Instance
from tetrad.client import Client

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


SEALED = """
from tetrad.inspect_tasks import seal_submission

(log,) = eval(seal_submission(name="asked", benchmark="toy", size=12, url=sys.argv[1]), display="none",
              model=get_model("mockllm/model", custom_outputs=replies()))
assert log.status == "success", log.error
print(json.dumps({
    "status": log.status,
    "submission": log.eval.metadata["submission"],
    "sealed": [score.value for one in log.samples for score in one.scores.values()],
    "metrics": {name: metric.value for name, metric in log.results.scores[0].metrics.items()},
}))
"""
HALF = """
from tetrad.inspect_tasks import seal_submission

opened = seal_submission(name="asked-in-two-goes", benchmark="toy", size=6, private=True, url=sys.argv[1])
shown = []
for dataset in opened.dataset[:2], opened.dataset:
    opened.dataset = dataset
    (log,) = eval(opened, display="none", model=get_model("mockllm/model", custom_outputs=replies()))
    assert log.status == "success", log.error
    shown.append([log.status, str(log.results.scores[0].metrics["score"].value)])
print(json.dumps({"submission": log.eval.metadata["submission"], "shown": shown}))
"""


def test_the_task_asks_practice_items_and_scores_them_as_we_do(run_in: RunIn, instance: Instance) -> None:
    done = run_in("inspect", "python", "-c", REPLIES + TASK, instance.url)
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["status"] == "success"
    assert set(said["blocked"]) == {"unread"}, "why a reply ended is told, too"
    assert [is_cluster for is_cluster, _ in said["samples"]] == [True] * 3
    verdicts = [found for _, found in said["samples"]]
    assert {one for found in verdicts for one in found} <= {"correct", "incorrect", "unread"}
    means = [found.count("correct") / len(found) for found in verdicts]
    assert said["accuracy"] == pytest.approx(sum(means) / 3)


def test_a_sealed_submission_is_answered_by_a_model_of_inspect(run_in: RunIn, instance: Instance) -> None:
    done = run_in("inspect", "python", "-c", REPLIES + SUBMISSION, instance.url)
    assert done.returncode == 0, done.stderr[-2000:]
    report = json.loads(done.stdout)
    assert report["size"] == 20
    assert report["stops"] == {"complete": report["questions_asked"]}
    assert f"{10 * (report['questions_asked'] + 1):,} tokens in" in done.stderr


def test_a_sealed_task_ends_with_the_report_s_score_on_the_board(run_in: RunIn, instance: Instance) -> None:
    done = run_in("inspect", "python", "-c", REPLIES + SEALED, instance.url)
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["status"] == "success"
    with Client(instance.url) as anybody:
        report = anybody.report(said["submission"])
        rows = anybody.leaderboard("toy").rows
    assert sum(said["sealed"]) == report.questions_asked
    unread = report.unread / report.questions_asked
    assert said["metrics"] == pytest.approx({"score": report.headline.value, "unread": unread})
    assert "asked" in {row.model for row in rows}


def test_a_sealed_task_that_was_not_finished_has_no_score_until_it_goes_on(run_in: RunIn, instance: Instance) -> None:
    done = run_in("inspect", "python", "-c", REPLIES + HALF, instance.url)
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout.splitlines()[-1])
    (first, its_score), (second, score) = said["shown"]
    assert (first, its_score, second) == ("success", "nan", "success")
    assert 0 <= float(score) <= 1


def test_inspect_finds_the_task_by_its_entry_point() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["inspect_ai"] == {"tetrad": "tetrad.inspect_tasks"}
    text = (ROOT / "tetrad" / "inspect_tasks.py").read_text()
    assert "def practice(" in text
    assert '@task(name="sealed")' in text
