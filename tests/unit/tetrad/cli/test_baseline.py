"""`tetrad baseline`, as its users run it: processes, a folder of items, a server of embeddings on loopback."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from inference_gateway.pixel_statistics import embed_pictures
from tests.analogies import analogy
from tests.serving import answered_by
from tests.unit.tetrad.rows.written import export
from tetrad.cli.team.baseline import WayName
from tetrad.contracts.items import ChoiceKey, DrawIdentity, KeyedQuestion
from tetrad.contracts.rows import Row
from tetrad.prompting import picture_address
from tetrad.rows.making import Told, make_row
from tetrad.solvers.embedded.puzzles import WAYS
from tetrad.solvers.embedded.told import load_words
from tetrad.solvers.embedded.trained import load_trained

ITEMS = 40
LINES = "data/train-00000.jsonl"
PICTURES = 7 * ITEMS
SECONDS = 60.0
WORDS = {"verb": ["hitting", "riding"], "agent": ["cat", "dog"], "place": ["beach"]}


def solved_row(number: int) -> Row:
    """Return the row of an analogy."""
    made = analogy(number)
    identity = DrawIdentity(benchmark="vasr", version=1, bank="0" * 64, track="composed", setting="full", parameters={})
    states = {"A": "hitting, agent cat, place beach", "A'": "hitting, agent dog, place beach", "B": "riding, agent cat"}
    facets = {"role": random.Random(number).choice(["agent", "verb"])}
    keyed = KeyedQuestion(question=made.question, key=ChoiceKey(label=made.right), facets=facets, cluster="")
    images = {name: picture_address(png) for name, png in made.pictures.items()}
    return make_row(f"itm_{number}", identity, "1", number, keyed, 0, Told("", {**states, "options": {}}), images)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of solved items, as `tetrad items` writes one."""
    folder = tmp_path / "items"
    folder.mkdir()
    export(folder, "jsonl", {"train": ITEMS}, items=([solved_row(number)] for number in range(ITEMS)))
    return folder


class _Embeddings(BaseHTTPRequestHandler):
    """Vectors of pixels; after `free` requests each one waits until it may go on."""

    asked: list[int]
    free = 10**6
    waiting: threading.Event
    go_on: threading.Event

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if len(self.asked) >= type(self).free:
            self.waiting.set()
            self.go_on.wait(SECONDS)
        self.asked.append(len(body["input"]))
        data = [{"index": at, "embedding": one} for at, one in enumerate(embed_pictures(body["input"]))]
        sent = json.dumps({"data": data}).encode()
        try:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(sent)
        except OSError:
            """Whoever asked was killed."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[Any]:
    class Own(_Embeddings):
        asked: list[int] = []
        waiting = threading.Event()
        go_on = threading.Event()
        url = ""

    with answered_by(Own) as url:
        Own.url = f"{url}/v1"
        yield Own
        Own.go_on.set()


def command(server: Any, *arguments: str | Path) -> list[str]:
    where = ["--embeddings", server.url, "--model", "pixels"]
    return [sys.executable, "-m", "tetrad", "baseline", *map(str, arguments), *where]


def run(command: list[str], **more: Any) -> "subprocess.CompletedProcess[str]":
    environment = os.environ | {"OPENAI_API_KEY": "", "COLUMNS": "200"}
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=SECONDS, **more
    )


def test_training_that_was_killed_goes_on_where_it_was_and_ends_with_the_same_classifier(
    server: Any, folder: Path, tmp_path: Path
) -> None:
    out, kept = tmp_path / "concat.npz", folder / "embeddings-pixels.jsonl"
    training = command(server, "train", folder, "--out", out, "--seed", "5")
    server.free = 9  # requests of 16 pictures, of the 18 that it takes
    killed = subprocess.Popen(training, env=os.environ | {"OPENAI_API_KEY": ""}, stderr=subprocess.DEVNULL)
    assert server.waiting.wait(SECONDS), "it never came so far"
    killed.send_signal(signal.SIGKILL)
    assert killed.wait(SECONDS) == -signal.SIGKILL
    assert not out.exists()
    assert len(kept.read_bytes().splitlines()) == 9 * 16
    with kept.open("ab") as lines:
        lines.write(b'{"file": "00020-1.png", "vec')  # as if it had been killed while it wrote
    server.free = 10**6
    server.go_on.set()
    while len(server.asked) < 10:
        time.sleep(0.01)  # the request of the killed process is answered, and nobody listens
    server.asked.clear()
    again = run(training)
    assert again.returncode == 0, again.stderr
    assert sum(server.asked) == PICTURES - 9 * 16, "only what was not kept is asked for"

    kept.unlink()
    undisturbed = run([*command(server, "train", folder, "--out", tmp_path / "other.npz", "--seed", "5")])
    assert undisturbed.returncode == 0, undisturbed.stderr
    first, second = load_trained(out), load_trained(tmp_path / "other.npz")
    assert all((first.weights[name] == second.weights[name]).all() for name in first.weights)
    other = run(command(server, "train", folder, "--out", tmp_path / "seeded.npz", "--seed", "6"))
    assert other.returncode == 0, other.stderr
    assert (load_trained(tmp_path / "seeded.npz").weights["first"] != first.weights["first"]).any()


def test_what_was_trained_is_compared_with_the_ways_that_need_no_training(
    server: Any, folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "arithmetic"
    assert run(command(server, "train", folder, "--out", out, "--form", "arithmetic")).returncode == 0
    shown = run([*command(server, "compare", folder, "--trained", out), "--json"])
    assert shown.returncode == 0, shown.stderr
    scores = {row["baseline"]: row["score"] for row in json.loads(shown.stdout) if row["group"] == "all"}
    names = {"arithmetic", "elimination", "A' alone", "B alone", "A' and B", "trained arithmetic"}
    assert scores.keys() == names
    assert scores["arithmetic"] > 0.9
    assert scores["B alone"] < 0.8
    refused = run([*command(server, "compare", folder, "--trained", out)[:-1], "others"])
    assert (refused.returncode, "trained on embeddings of pixels, not of others" in refused.stderr) == (1, True)


def test_words_of_solved_items_are_written_for_the_gateway(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "words.json"
    done = run([sys.executable, "-m", "tetrad", "baseline", "words", str(folder), "--out", str(out)])
    assert done.returncode == 0, done.stderr
    assert "5 words of 3 roles" in done.stderr + done.stdout
    assert load_words(out) == WORDS
    line = json.loads((folder / LINES).read_bytes().splitlines()[0])
    line["scene"] = json.dumps({"puzzle": 1})
    (folder / LINES).write_text(json.dumps(line) + "\n")
    refused = run([sys.executable, "-m", "tetrad", "baseline", "words", str(folder), "--out", str(out)])
    assert (refused.returncode, "name no situations" in refused.stderr) == (1, True)


def question(folder: Path, names: dict[str, str]) -> str:
    """Return what a command is given on its standard input: these pictures, by name with their captions."""
    pictures = [
        {"name": name, "path": str(folder / file), "caption": f"picture {name}"} for name, file in names.items()
    ]
    return json.dumps({"options": [{"label": one, "picture": one} for one in "1234"], "pictures": pictures})


def test_a_question_on_standard_input_is_answered_by_any_way(server: Any, folder: Path) -> None:
    assert set(get_args(WayName)) == set(WAYS)
    line = msgspec.json.decode((folder / LINES).read_bytes().splitlines()[3], type=Row)
    files = {picture.name: f"data/{picture.image}" for picture in line.pictures}
    asked = question(folder, files)
    answered = run(command(server, "reply"), input=asked)
    assert answered.stdout == f"({analogy(3).right})\n", answered.stderr
    part = run(command(server, "reply", "--way", "only-b"), input=asked)
    assert part.stdout in {"(1)\n", "(2)\n", "(3)\n", "(4)\n"}, part.stderr
    without = question(folder, {name: file for name, file in files.items() if name != "B"})
    refused = run(command(server, "reply", "--way", "only-b"), input=without)
    assert (refused.returncode, "picture B is needed and not shown" in refused.stderr) == (1, True)
