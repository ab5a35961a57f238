"""A task of lmms-eval: the rules of its loader, and prompts and verdicts of its functions.

tests/harnesses runs the harness itself on it.
"""

import importlib.util
import io
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from PIL import Image
from pyarrow import parquet

from tests.unit.tetrad.rows.written import export, row
from tetrad.cli.team.exports import remove_export
from tetrad.environments import judge_reply
from tetrad.extraction.judging import CORRECT, UNREAD
from tetrad.rows.lmms_task import task_name, write_task
from tetrad.rows.making import key_of, question_of
from tetrad.rows.plan import load_manifest

REPLIES = ("The answer is (B).", "(A)", "no idea", "0", "<think>(B)</think> (A)", "")


class Loader(yaml.SafeLoader):
    """YAML with the functions that lmms-eval looks for."""


def find_function(loader: Loader, node: yaml.ScalarNode) -> tuple[str, str]:
    return "function", str(loader.construct_scalar(node))


Loader.add_constructor("!function", find_function)


def load_utils(folder: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("utils", folder / "utils.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read_documents(folder: Path) -> list[dict[str, Any]]:
    """Read the rows as `datasets` does: pictures are decoded."""
    found = [each for path in sorted((folder / "data").iterdir()) for each in parquet.read_table(path).to_pylist()]
    for record in found:
        for picture in record["pictures"]:
            picture["image"] = Image.open(io.BytesIO(picture["image"]["bytes"]))
    return found


def test_the_folder_obeys_the_loader(tmp_path: Path) -> None:
    manifest = export(tmp_path, "hf", {"test": 5}, shard_items=2)
    name = write_task(tmp_path, manifest)
    (config,) = tmp_path.rglob("*.yaml")  # each would be a task
    read = yaml.load(config.read_text(), Loader)  # noqa: S506 - a safe loader, with one more constructor
    assert read["task"] == name == task_name(manifest.plan) == "tetrad_toy_full"
    files = read["dataset_kwargs"]["data_files"][read["test_split"]]
    assert len(files) == 3
    assert all((tmp_path / file).is_file() for file in files), "a pattern would be looked for elsewhere"
    utils = load_utils(tmp_path)
    metrics = read.pop("metric_list")
    functions = [value for value in read.values() if isinstance(value, tuple)]
    functions += [metric["aggregation"] for metric in metrics]
    assert len(functions) == 7
    for _, function in functions:
        module, _, attribute = function.partition(".")
        assert (module, callable(getattr(utils, attribute))) == ("utils", True)
    (document, *_) = read_documents(tmp_path)
    assert {metric["metric"] for metric in metrics} == set(utils.process_results(document, ["(A)"]))


def test_prompts_show_every_picture_where_it_belongs_and_verdicts_are_those_of_submissions(tmp_path: Path) -> None:
    manifest = export(tmp_path, "hf", {"test": 1})
    write_task(tmp_path, manifest)
    utils = load_utils(tmp_path)
    for document, kind in zip(read_documents(tmp_path), ("which", "count"), strict=True):
        made = row(0, kind)
        turns = utils.doc_to_messages(document)
        parts = [part for turn in turns for part in turn["content"]]
        shown = [part["url"] for part in parts if part["type"] == "image"]
        assert [picture.getpixel((0, 0)) for picture in shown] == [(shade,) * 3 for shade in (40, 90)[: len(shown)]]
        assert [picture.tobytes() for picture in utils.doc_to_visual(document)] == [
            picture.tobytes() for picture in shown
        ]
        assert utils.doc_to_text(document).count("<image>") == len(shown) == len(made.pictures)
        assert [turn["role"] for turn in turns] == [turn.role for turn in made.prompt]
        assert [part.get("text") for part in parts] == [part.text for turn in made.prompt for part in turn.content]
        assert utils.doc_to_target(document) == made.answer
        found = [utils.process_results(document, [reply]) for reply in REPLIES]
        wanted = [judge_reply(question_of(made), key_of(made), reply).verdict for reply in REPLIES]
        assert [each["tetrad_accuracy"]["score"] for each in found] == [float(word == CORRECT) for word in wanted]
        assert [each["tetrad_unread"]["score"] for each in found] == [float(word == UNREAD) for word in wanted]
        assert {each["tetrad_unread"]["cluster"] for each in found} == {"c0"}
        assert utils.mean_score([each["tetrad_accuracy"] for each in found]) == wanted.count(CORRECT) / len(REPLIES)
        document["key"] = None
        with pytest.raises(ValueError, match="the row has no key"):
            utils.process_results(document, ["(A)"])


def test_a_task_is_removed_with_its_export_and_other_files_are_not(tmp_path: Path) -> None:
    manifest = export(tmp_path, "hf", {"test": 1})
    (tmp_path / "utils.py").write_text("# somebody's own")
    remove_export(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["utils.py"]
    manifest = export(tmp_path, "hf", {"test": 1})
    write_task(tmp_path, manifest)
    assert load_manifest(tmp_path) == manifest
    remove_export(tmp_path)
    assert not list(tmp_path.iterdir())
