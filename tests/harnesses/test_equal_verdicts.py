"""One reply has one verdict in all: report, batch, rewards on one's own machine, verifiers, lmms-eval and Inspect.

A submission of 1,000 items gets replies of all kinds. Once it is scored, its seed is public: each harness asks the same
items again, and a model gives the same replies.
"""

import json
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.answering import open_questions, open_submission, wait_scored
from tests.harnesses.commands import run_lmms_eval, run_vf_eval
from tests.harnesses.conftest import RunIn
from tests.harnesses.knowing import Model
from tests.instance import Instance
from tests.integration.inference_gateway.upstream import Upstream
from tests.soak.test_verdicts import draw_replies
from tetrad.cli.main import main
from tetrad.client import Client
from tetrad.contracts.answers import Answer
from tetrad.contracts.rows import Row
from tetrad.contracts.training import PracticeReply
from tetrad.environments import reward
from tetrad.rows.forms import verl

COUNT = int(os.environ.get("TETRAD_REPLIES", "1000"))
SETTING = "extrapolation-only"
ONE_SEALING = 100
TASK = f"tetrad_kiva_{SETTING.replace('-', '_')}"
INSPECT = """
import json, sys
import httpx
from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from tetrad.inspect_tasks import practice

def part_of(part):
    if part.type == "text":
        return {"type": "text", "text": part.text}
    return {"type": "image_url", "image_url": {"url": part.image}}

def ask(messages, *_):
    told = [
        {"role": one.role, "content": one.content if isinstance(one.content, str) else [*map(part_of, one.content)]}
        for one in messages
    ]
    reply = httpx.post(sys.argv[1] + "/v1/chat/completions", json={"messages": told}, timeout=60).raise_for_status()
    output = ModelOutput.from_content("mockllm", reply.json()["choices"][0]["message"]["content"])
    output.usage = ModelUsage(input_tokens=10, output_tokens=3, total_tokens=13)  # counted with tables it would fetch
    return output

task = practice(benchmark="kiva", setting=sys.argv[2], seed=sys.argv[3], count=int(sys.argv[4]))
(log,) = eval(task, model=get_model("mockllm/model", custom_outputs=ask), display="none")
assert log.status == "success", log.error
print(json.dumps({sample.id: sample.metadata["verdicts"][0] for sample in log.samples}))
"""
Verdicts: TypeAlias = dict[str, str]
"""By row."""


@pytest.fixture
def client(instance: Instance) -> Iterator[Client]:
    with instance.team("one-verdict") as client:
        yield client


def submit_replies(client: Client) -> tuple[str, dict[int, str], dict[int, str]]:
    """Answer a submission; return its seed, and the reply and the report's verdict by item."""
    submission = open_submission(
        client, "replier", benchmark="kiva", track="kiva", setting=SETTING, size=COUNT, visibility="private"
    ).id
    replies = filter(str.strip, draw_replies())  # harnesses take an empty reply for a failure of the model
    answers = [
        Answer(item=asked.item, question=asked.question.id, response=next(replies))
        for asked in list(open_questions(client, submission))
    ]
    for first in range(0, COUNT, ONE_SEALING):
        client.seal(submission, answers[first : first + ONE_SEALING])
    report = wait_scored(client, submission)
    given = {answer.item: answer.response or "" for answer in answers}
    return report.seed, given, {found.item: found.verdict for found in report.questions}


def verdict_of(is_right: float, is_unread: float) -> str:
    return "correct" if is_right else "unread" if is_unread else "incorrect"


def ask_verifiers(run_in: RunIn, upstream: Upstream, seed: str, folder: Path) -> Verdicts:
    found = run_vf_eval(run_in, upstream, folder, COUNT, benchmark="kiva", setting=SETTING, seed=seed)
    traces = [trace for rollout in found for trace in rollout["traces"]]
    return {
        trace["task"]["data"]["row"]: verdict_of(trace["rewards"]["correct"]["score"], trace["metrics"]["unread"])
        for trace in traces
    }


def ask_lmms_eval(run_in: RunIn, upstream: Upstream, seed: str, folder: Path) -> list[str]:
    """Return the verdicts in the order of the rows."""
    with suppress(SystemExit):  # 0, as every command that ends well
        main(["export-task", "kiva", str(folder / "task"), "--setting", SETTING, "--seed", seed, "--count", str(COUNT)])
    run_lmms_eval(run_in, upstream, TASK, folder / "task", folder / "out", at_once=8, batch=8)
    (samples,) = (folder / "out").rglob("*_samples_*.jsonl")
    found = sorted(map(json.loads, samples.read_text().splitlines()), key=lambda sample: sample["doc_id"])
    return [verdict_of(one["tetrad_accuracy"]["score"], one["tetrad_unread"]["score"]) for one in found]


def ask_inspect(run_in: RunIn, upstream: Upstream, seed: str) -> Verdicts:
    """Return the verdicts by item."""
    done = run_in("inspect", "python", "-c", INSPECT, upstream.url, SETTING, seed, str(COUNT))
    assert done.returncode == 0, done.stderr[-3000:]
    return dict(json.loads(done.stdout.splitlines()[-1]))


def judge_here(row: Row, reply: str) -> float:
    shown = verl(row)
    return reward(shown["data_source"], reply, shown["reward_model"]["ground_truth"], shown["extra_info"])


def test_a_thousand_replies_have_equal_verdicts_in_all(
    client: Client, run_in: RunIn, upstream: Upstream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TETRAD_URL", str(client._http.base_url))
    seed, replies, reported = submit_replies(client)
    rows = list(client.rows("kiva", setting=SETTING, seed=seed, count=COUNT))
    assert [row.index for row in rows] == sorted(reported) == list(range(COUNT))
    model = Model(upstream, rows, reply=lambda row: replies[row.index])
    asked = [PracticeReply(item=row.item, question=row.question, response=replies[row.index]) for row in rows]
    by_row, by_item = ask_verifiers(run_in, upstream, seed, tmp_path / "verifiers"), ask_inspect(run_in, upstream, seed)
    in_all: dict[str, list[str]] = {
        "report": [reported[row.index] for row in rows],
        "batch": [found.verdict for found in client.judge("kiva", asked)],
        "verifiers": [by_row[row.id] for row in rows],
        "lmms-eval": ask_lmms_eval(run_in, upstream, seed, tmp_path / "lmms-eval"),
        "Inspect": [by_item[row.item] for row in rows],
    }
    differing = {
        name: [
            (replies[row.index], said, own)
            for row, said, own in zip(rows, in_all["report"], found, strict=True)
            if said != own
        ]
        for name, found in in_all.items()
    }
    assert not any(differing.values()), {name: (len(found), found[:5]) for name, found in differing.items()}
    rewards = [judge_here(row, replies[row.index]) for row in rows]
    assert rewards == [float(verdict == "correct") for verdict in in_all["report"]]
    assert not model.unknown, str(model.unknown[0])[:3000]
    assert min(Counter(in_all["report"])[verdict] for verdict in ("correct", "incorrect", "unread")) > COUNT / 50
