"""A task of `tetrad export-task`, run by lmms-eval itself against a model that answers over HTTP."""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.harnesses.commands import run_lmms_eval
from tests.harnesses.conftest import RunIn
from tests.harnesses.knowing import Model, count_pictures
from tests.instance import Instance
from tests.integration.inference_gateway.upstream import Upstream
from tetrad.cli.main import main
from tetrad.contracts.rows import Row

COUNT, SEED, SETTING = 12, "7", "extrapolation-only"
TASK = f"tetrad_kiva_{SETTING.replace('-', '_')}"
LOAD = """
import sys
from lmms_eval.tasks import TaskManager, get_task_dict

for folder in sys.argv[2:]:
    try:
        manager = TaskManager(include_path=folder, include_defaults=False, model_name="openai")
        task = get_task_dict([sys.argv[1]], manager, task_type="chat")[sys.argv[1]]
        found = task.process_results(task.test_docs()[0], ["(A)"])
        lacking = [name for name in task.aggregation() if name not in found]
        print("lacks " + lacking[0] if lacking or len(manager.all_tasks) != 1 else "loaded")
    except BaseException as error:
        print(type(error).__name__)
"""


@pytest.fixture
def folder(instance: Instance, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The task, as the command writes it."""
    monkeypatch.setenv("TETRAD_URL", instance.url)
    given = ["kiva", str(tmp_path / "task"), "--setting", SETTING, "--seed", SEED, "--count", str(COUNT)]
    with suppress(SystemExit):  # 0, as every command that ends well
        main(["export-task", *given, "--shard-items", "5"])
    return tmp_path / "task"


def half_right(row: Row) -> str:
    if row.index % 3 == 0:
        return "I see shapes."
    return f"The answer is ({row.answer})." if row.index % 2 else f"({'B' if row.answer == 'A' else 'A'})"


def test_the_harness_asks_every_question_with_its_pictures_and_finds_our_verdicts(
    instance: Instance, run_in: RunIn, upstream: Upstream, folder: Path, tmp_path: Path
) -> None:
    with instance.team("harness-users") as client:
        rows = list(client.rows("kiva", setting=SETTING, seed=SEED, count=COUNT, questions="all"))
    model = Model(upstream, rows, reply=half_right)
    run_lmms_eval(run_in, upstream, TASK, folder, tmp_path / "out", at_once=4, batch=1)
    assert not model.unknown, str(model.unknown[0])[:3000]
    assert model.pictures == count_pictures(rows)
    (results,) = (tmp_path / "out").rglob("*_results.json")
    found = json.loads(results.read_text())["results"][TASK]
    right = sum(row.index % 3 != 0 and row.index % 2 == 1 for row in rows)
    unread = sum(row.index % 3 == 0 for row in rows)
    assert found["tetrad_accuracy,none"] == pytest.approx(right / len(rows))
    assert found["tetrad_unread,none"] == pytest.approx(unread / len(rows))
    assert found["tetrad_accuracy_stderr_clustered,none"] > 0


PLANTED: dict[str, Callable[[str], str]] = {
    "nothing": lambda text: text,
    "a pattern of files": lambda text: re.sub(r"test-\d+.parquet", "test-*.parquet", text),
    "a function that is not there": lambda text: text.replace("utils.doc_to_visual", "utils.doc_to_pictures"),
    "a metric that no reply has": lambda text: text.replace("metric: tetrad_unread", "metric: tetrad_blocked"),
    "another form of output": lambda text: text.replace("generate_until", "generate"),
    "a split that is not there": lambda text: text.replace("test_split: test", "test_split: validation"),
}


def test_the_loader_takes_the_folder_and_refuses_each_fault(run_in: RunIn, folder: Path, tmp_path: Path) -> None:
    folders = []
    for number, plant in enumerate(PLANTED.values()):
        planted = tmp_path / f"planted{number}"
        planted.mkdir()
        (planted / "data").symlink_to(folder / "data")
        (planted / "utils.py").write_text((folder / "utils.py").read_text())
        (planted / f"{TASK}.yaml").write_text(plant((folder / f"{TASK}.yaml").read_text()))
        folders.append(str(planted))
    template = tmp_path / "template"
    template.mkdir()
    (template / "template.yaml").write_text("output_type: generate_until\ntask: template\n")
    for path in (tmp_path / "planted0").iterdir():
        (template / path.name).symlink_to(path)
    done = run_in("lmms-eval", "python", "-c", LOAD, TASK, *folders, str(template), HF_HOME=str(tmp_path / "hf"))
    assert done.returncode == 0, done.stderr[-3000:]
    said = dict(zip([*PLANTED, "a template that ends in .yaml"], done.stdout.splitlines()[-7:], strict=True))
    assert said.pop("nothing") == "loaded"
    assert "loaded" not in said.values(), said
