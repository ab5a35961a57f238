"""A task folder of lmms-eval beside an export: a YAML file and utils.py.

Rules of its loader (lmms-eval 0.7.3, lmms_eval/tasks/__init__.py and utils.py): every file that ends in .yaml is a task
or a group, so there is one; `!function utils.NAME` is looked for in utils.py beside it; files of `dataset_kwargs` are
found from the folder only where each is named, so that a pattern would be looked for in the working directory.
"""

import json
import re
from pathlib import Path

from tetrad.rows.plan import Manifest, Plan

TEST = "test"
"""The split that a task asks."""
UTILS = "utils.py"
_FUNCTIONS = ("doc_to_messages", "doc_to_target", "doc_to_text", "doc_to_visual", "mean_score", "process_results")


def task_name(plan: Plan) -> str:
    """Return the task's name: tetrad_BENCHMARK_TRACK_SETTING, in letters, digits and underscores."""
    words = [plan.benchmark, *([plan.track] if plan.track != plan.benchmark else []), plan.setting]
    return "_".join(["tetrad", *(re.sub(r"\W+", "_", word) for word in words)])


def task_files(plan: Plan) -> tuple[str, str]:
    """Return the names of the files of a task."""
    return f"{task_name(plan)}.yaml", UTILS


def write_task(folder: Path, manifest: Manifest) -> str:
    """Write the files of the task whose data an export holds; return its name."""
    config, utils = task_files(manifest.plan)
    (folder / config).write_text(_config(manifest))
    names = ", ".join(_FUNCTIONS)
    exported = ", ".join(f'"{name}"' for name in _FUNCTIONS)
    (folder / utils).write_text(f"from tetrad.environments.lmms_eval import {names}\n\n__all__ = [{exported}]\n")
    return task_name(manifest.plan)


def _config(manifest: Manifest) -> str:
    plan = manifest.plan
    files = [f"      - {json.dumps(shard.file)}" for shard in manifest.shards if shard.split == TEST]
    functions = [f"{name}: !function utils.{name}" for name in _FUNCTIONS if name != "mean_score"]
    metrics = []
    for metric, is_better in (("tetrad_accuracy", "true"), ("tetrad_unread", "false")):
        metrics += [
            f"  - metric: {metric}",
            "    aggregation: !function utils.mean_score",
            f"    higher_is_better: {is_better}",
        ]
    return "\n".join(
        [
            f"task: {task_name(plan)}",
            "dataset_path: parquet",
            "dataset_kwargs:",
            "  data_files:",
            f"    {TEST}:",
            *files,
            f"test_split: {TEST}",
            "output_type: generate_until",
            *functions,
            "metric_list:",
            *metrics,
            "cluster_key: cluster  # questions of one cluster are not independent",
            "generation_kwargs:",
            "  max_new_tokens: 2048",
            "  temperature: 0",
            "  do_sample: false",
            "metadata:",
            f"  version: {plan.version}",
            f"  seed: {json.dumps(plan.splits[0].seed)}",
            f"  sources: {json.dumps(plan.digest)}",
            "",
        ]
    )
