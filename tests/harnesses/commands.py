"""The commands of harnesses as somebody types them, for an upstream that stands for the model."""

import json
from pathlib import Path
from typing import Any

from tests.harnesses.conftest import RunIn
from tests.integration.inference_gateway.upstream import Upstream


def run_vf_eval(run_in: RunIn, upstream: Upstream, folder: Path, count: int, **taskset: str) -> list[dict[str, Any]]:
    """Run `vf-eval` once over the first rollouts of a taskset; return what it recorded of each."""
    chosen = [text for name, value in taskset.items() for text in (f"--env.taskset.{name}", value)]
    done = run_in(
        "verifiers",
        "vf-eval",
        "tetrad",
        *(*chosen, "-n", str(count), "--model", "stub"),
        *("--client.base-url", f"{upstream.url}/v1", "--client.api-key-var", "STUB_KEY"),
        *("--push", "False", "--output-dir", str(folder), "--run.dir", "run"),
        STUB_KEY="none",
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return [json.loads(line) for line in (folder / "run" / "traces.jsonl").read_text().splitlines()]


def run_lmms_eval(
    run_in: RunIn, upstream: Upstream, task: str, folder: Path, out: Path, *, at_once: int, batch: int
) -> None:
    """Run lmms-eval over the task in a folder that `tetrad export-task` wrote; results and samples come below `out`."""
    done = run_in(
        "lmms-eval",
        "python",
        *("-m", "lmms_eval", "--model", "openai", "--include_path", str(folder), "--tasks", task),
        *("--model_args", f"model=stub,base_url={upstream.url}/v1,api_key=none,timeout=120,num_concurrent={at_once}"),
        *("--batch_size", str(batch), "--log_samples", "--output_path", str(out)),
        HF_HOME=str(out.parent / "hf"),
        HF_HUB_OFFLINE="1",
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
