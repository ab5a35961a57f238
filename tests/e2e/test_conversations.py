"""A model that remembers, end to end: what a conversation gives it, and that a killed run loses nothing of it."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from tests.answering import open_submission, wait_scored
from tests.instance import Instance
from tetrad.client import Client
from tetrad.contracts.reports import Report
from tetrad.runner import Plan, Prompt, SubmissionOverHttp, answer_submission, solver_responder

ITEMS = 24
# A program that looks at the shade in question only when it is asked for its name. Later it goes by its own first
# reply, of which no two are the same.
REMEMBERS = """
import json, os, random, sys
from PIL import Image

asked = json.load(sys.stdin)
with open(os.environ["HEARD"], "a") as heard:
    turns = [(turn["id"], turn["answer"], turn["response"]) for turn in asked["earlier"]]
    heard.write(json.dumps([os.environ["RUN"], asked["id"], turns]) + chr(10))
shade = {one["name"]: Image.open(one["path"]).convert("L").getpixel((0, 0)) for one in asked["pictures"]}
levels = {"dark": 40, "dim": 100, "light": 180, "bright": 240}
if asked["id"] == "name":
    name = next(name for name, level in levels.items() if level == shade["1"])
    label = next(one["label"] for one in asked["options"] if one["text"] == name)
    print(f"({label}) for I saw", "".join(random.choices("qvwxz", k=20)), name)
elif not asked["earlier"]:
    print("I remember nothing.")
else:
    name = asked["earlier"][0]["response"].split()[-1]
    if asked["id"] == "half":
        half = "lighter half" if levels[name] > 128 else "darker half"
        print(next(one["label"] for one in asked["options"] if one["text"] == half))
    else:
        print(next(one["label"] for one in asked["options"] if shade[one["picture"]] == levels[name]))
"""


def remembers(prompt: Prompt) -> str:
    """Look at the shade when its name is asked for, and never again: later go by what was said then."""
    levels = {"dark": 40, "dim": 100, "light": 180, "bright": 240}
    options = prompt.question.options
    if prompt.question.id == "name":
        seen = level_of(prompt.pictures["1"])
        name = next(name for name, level in levels.items() if level == seen)
        return next(f"({one.label}), for I saw {name}" for one in options if one.text == name)
    said = [message.content for message in prompt.messages if message.role == "assistant"]
    if not said:
        return "I remember nothing."
    level = levels[str(said[0]).split()[-1]]
    if prompt.question.id == "half":
        half = "lighter half" if level > 128 else "darker half"
        return next(f"({one.label})" for one in options if one.text == half)
    return next(f"({one.label})" for one in options if level_of(prompt.pictures[one.picture or ""]) == level)


def level_of(png: bytes) -> int:
    return int(np.asarray(Image.open(io.BytesIO(png)).convert("L"))[0, 0])


def score_of(team: Client, conversation: str) -> Report:
    submission = open_submission(team, "rememberer", size=ITEMS, conversation=conversation)
    answer_submission(SubmissionOverHttp(team, submission.id), remembers, Plan())
    return wait_scored(team, submission.id)


def test_a_model_that_goes_by_its_own_first_reply_needs_the_conversation(team: Client) -> None:
    joined, fresh = score_of(team, "joined"), score_of(team, "fresh")
    assert (joined.conversation, joined.headline.value, joined.unread) == ("joined", 1.0, 0)
    assert (fresh.conversation, fresh.headline.value, fresh.unread) == ("fresh", 0.0, 2 * ITEMS)
    assert score_of(team, "as-card").conversation == "fresh", "the toy's card says so"
    boards = {
        conversation: team.leaderboard("toy", setting="full", conversation=conversation)
        for conversation in ("joined", "fresh")
    }
    scores = {
        name: (board.conversation, [row.score for row in board.rows if row.team == "conversations"])
        for name, board in boards.items()
    }
    assert scores == {"joined": ("joined", [1.0]), "fresh": ("fresh", [0.0])}
    assert "one conversation for each item" in team.report_text(joined.submission, "markdown")


def test_questions_that_open_together_can_be_one_conversation_too(team: Client) -> None:
    """All five questions of a puzzle of marvel's `full` are open at once; joined, they come one after the other."""
    submission = open_submission(
        team, "joiner", benchmark="marvel", track="marvel", setting="full", size=2, conversation="joined"
    )
    heard: list[list[str]] = []
    guess = solver_responder("random")

    def records(prompt: Prompt) -> str:
        heard.append([turn.question.id for turn in prompt.earlier] + [prompt.question.id])
        return guess(prompt)

    progress = answer_submission(SubmissionOverHttp(team, submission.id), records, Plan())
    report = wait_scored(team, submission.id)
    assert (progress.sealed, report.questions_asked, report.unread, report.missing) == (10, 10, 0, 0)
    longest = max(heard, key=len)
    assert sorted(heard) == sorted([longest[:count] for count in range(1, 6)] * 2)


def test_a_run_that_is_killed_half_way_goes_on_with_the_turns_that_were_sealed(
    instance: Instance, team: Client, tmp_path: Path
) -> None:
    model, heard = tmp_path / "model.py", tmp_path / "heard.jsonl"
    model.write_text(REMEMBERS)
    heard.touch()
    options = ["--command", f"{sys.executable} {model}", "--concurrency", "2", "--url", instance.url, "--json"]
    opening = ["--benchmark", "toy", "--model", "killed", "--size", "40", "--conversation", "joined"]

    def started(run: str, *more: str) -> subprocess.Popen[bytes]:
        key = team._authorization["Authorization"].removeprefix("Bearer ")
        environment = os.environ | {"TETRAD_KEY": key, "RUN": run, "HEARD": str(heard)}
        command = [sys.executable, "-m", "tetrad", "submit", *more, *options]
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    with started("first", *opening) as first:
        wait_for_later_questions(heard, first)
        first.send_signal(signal.SIGKILL)
    submission = next(one for one in team.submissions().submissions if one.model == "killed")
    assert (submission.state, submission.conversation) == ("open", "joined")
    assert 0 < submission.progress.questions_answered < submission.progress.questions_opened
    with started("second", "--resume", submission.id) as second:
        out, err = second.communicate(timeout=180)
    assert second.returncode == 0, err.decode()
    assert json.loads(out)["headline"]["value"] == 1.0
    lines = [json.loads(line) for line in heard.read_text().splitlines()]
    assert {line[0] for line in lines} == {"first", "second"}
    sealed = {
        one.questions[0].response: [[asked.question.id, None, asked.response] for asked in one.questions]
        for one in team.revealed_items(submission.id, limit=100).items
    }
    assert len(sealed) == 40
    before = {"name": 0, "half": 1, "shade": 2}
    for _, question, turns in lines:
        whole = sealed[turns[0][2]] if turns else []
        assert turns == whole[: before[question]]
    begun_before = {line[2][0][2] for line in lines if line[0] == "first" and line[2]}
    assert any(line[2] and line[2][0][2] in begun_before for line in lines if line[0] == "second")


def wait_for_later_questions(heard: Path, process: subprocess.Popen[bytes]) -> None:
    """Wait until the program has been asked something that has earlier turns."""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        assert process.poll() is None, (process.stderr or io.BytesIO()).read().decode()
        lines: list[list[Any]] = [json.loads(line) for line in heard.read_text().splitlines() if line.endswith("]")]
        if sum(bool(line[2]) for line in lines) >= 3:
            return
        time.sleep(0.05)
    raise AssertionError("the run never came to a second question")
