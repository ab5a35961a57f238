"""`vf-eval` over our taskset, with a model that answers over HTTP and counts the pictures that reach it."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.test_wheel import write_constraints
from tests.harnesses.commands import run_vf_eval
from tests.harnesses.conftest import RunIn, kept_variables
from tests.harnesses.knowing import Model, count_pictures
from tests.instance import ROOT, Instance
from tests.integration.inference_gateway.upstream import Upstream
from tests.people import has_people
from tetrad.contracts.rows import Row

BENCHMARKS = ("carv", "kiva", "marvel", "vasr", "visanalog")
ROLLOUTS = 32
SEED = "5"


def evaluate(run_in: RunIn, model: Model, benchmark: str, folder: Path) -> list[dict[str, Any]]:
    """Run `vf-eval` once over the first rollouts of a benchmark; return what it recorded of each."""
    return run_vf_eval(run_in, model.upstream, folder, ROLLOUTS, benchmark=benchmark, seed=SEED)


@pytest.fixture
def rows_of(instance: Instance, bank_folder: Path) -> Callable[[str], list[Row]]:
    """Return what fetches the rows of a benchmark's first questions, which `vf-eval` is to ask."""

    def fetch(benchmark: str) -> list[Row]:
        if benchmark in {"vasr", "visanalog"} and not has_people(bank_folder):
            pytest.skip(f"{benchmark} needs people, and {bank_folder} has none: tetrad source build people")
        with instance.team(f"trainers-{time.monotonic_ns()}") as client:
            return list(client.rows(benchmark, count=ROLLOUTS, seed=SEED))[:ROLLOUTS]

    return fetch


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_every_rollout_ends_and_a_model_that_is_right_is_rewarded(
    benchmark: str, rows_of: Callable[[str], list[Row]], run_in: RunIn, upstream: Upstream, tmp_path: Path
) -> None:
    rows = rows_of(benchmark)
    model = Model(upstream, rows)
    found = evaluate(run_in, model, benchmark, tmp_path)
    assert [rollout["ok"] for rollout in found] == [True] * ROLLOUTS
    (traces,) = zip(*(rollout["traces"] for rollout in found), strict=True)
    assert {trace["task"]["data"]["row"] for trace in traces} == {row.id for row in rows}
    assert [trace["rewards"]["correct"]["score"] for trace in traces] == [1.0] * ROLLOUTS
    assert model.pictures == count_pictures(rows)


def test_a_reply_without_an_answer_earns_nothing_and_counts_as_unread(
    rows_of: Callable[[str], list[Row]], run_in: RunIn, upstream: Upstream, tmp_path: Path
) -> None:
    rows = rows_of("kiva")
    model = Model(upstream, rows, reply=lambda _row: "I see shapes.")
    (traces,) = zip(*(rollout["traces"] for rollout in evaluate(run_in, model, "kiva", tmp_path)), strict=True)
    assert [(trace["rewards"]["correct"]["score"], trace["metrics"]["unread"]) for trace in traces] == [
        (0.0, 1.0)
    ] * ROLLOUTS


def test_the_line_of_the_page_installs_what_gives_the_first_reward(
    instance: Instance, rows_of: Callable[[str], list[Row]], upstream: Upstream, tmp_path: Path
) -> None:
    (line,) = re.findall(r"^pip install .*$", (ROOT / "docs" / "training.md").read_text(), re.MULTILINE)
    with instance.client() as anybody:
        served = anybody.versions().client
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "environment")], check=True)
    programs = tmp_path / "environment" / "bin"
    own = {"PATH": f"{programs}:{os.environ['PATH']}", "TETRAD_URL": instance.url}
    constraints = {"PIP_CONSTRAINT": str(write_constraints("verifiers", tmp_path))}

    def run(*command: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        environment = kept_variables() | own | variables
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    done = run("bash", "-c", line.replace("ADDRESS", served.url).replace("DIGEST", served.sha256), **constraints)
    assert done.returncode == 0, done.stderr[-3000:]
    model = Model(upstream, rows_of("kiva"))
    found = evaluate(lambda _, *command, **more: run(*command, **more), model, "kiva", tmp_path)
    (traces,) = zip(*(rollout["traces"] for rollout in found), strict=True)
    assert [trace["rewards"]["correct"]["score"] for trace in traces] == [1.0] * ROLLOUTS
