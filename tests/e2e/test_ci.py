"""`tetrad eval` and `tetrad ci` against a running instance: what a team types, what CI reads, and the exit status."""

import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import msgspec
import pytest

from tests.e2e.conftest import Run
from tests.e2e.test_corpora import ITEMS, MARVEL
from tests.evaluating import answering_after
from tests.instance import Instance
from tests.integration.inference_gateway.upstream import Upstream
from tests.operating import approve_for
from tetrad.ci.result import CiResult
from tetrad.client import Client
from tetrad.contracts.reports import Report

TOY = ("--benchmark", "toy", "--setting", "shade-only")
STANDING = """
import json, pathlib, sys
starts = pathlib.Path("starts")
starts.write_text(starts.read_text() + "." if starts.exists() else ".")
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"reply": "(A)", "stop": "complete", "usage": {"input": 100, "output": 2}}), flush=True)
"""
FALTERING = """
import json, pathlib, sys
answered = pathlib.Path("answered")
asked = json.load(sys.stdin)
count = len(answered.read_text()) if answered.exists() else 0
if count == 12 and not pathlib.Path("mended").exists():
    sys.exit("out of memory")
answered.write_text("." * (count + 1))
print("(A)")
"""


def written(folder: Path) -> CiResult:
    return msgspec.json.decode((folder / "result.json").read_bytes(), type=CiResult)


def recorded(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "replies.jsonl").read_text().splitlines()]


@pytest.fixture(autouse=True)
def _in_its_own_folder(run: Run) -> None:
    """`run` has gone to a folder of the test's own."""


def test_eval_records_every_reply_and_goes_on_where_it_was(run: Run, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(FALTERING)
    line = (
        *("eval", *TOY, "--model", "falterer", "--command", f"{sys.executable} model.py", "--size", "20"),
        *("--json", "--private", "--concurrency", "1"),
    )
    first = run(*line)
    assert first.status == 1
    assert "out of memory" in first.err
    assert "the same line goes on with it" in first.err
    (tmp_path / "mended").touch()
    second = run(*line)
    assert second.status == 0, second.err
    assert "going on with sub_" in second.err
    report = msgspec.json.decode(second.out, type=Report)
    folder = tmp_path / "tetrad-runs" / "toy-falterer"
    assert json.loads((folder / "run.json").read_text())["submission"] == report.submission
    replies = [line for line in recorded(folder) if line["line"] == "reply"]
    assert len(replies) == report.questions_asked + 1, "one practice question, and no question twice"
    assert len((tmp_path / "answered").read_text()) == len(replies)


def test_a_command_that_stays_alive_is_started_once(run: Run, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(STANDING)
    said = run(
        *("eval", *TOY, "--model", "stander", "--size", "20", "--command", f"{sys.executable} model.py"),
        *("--keep-alive", "--price", "1,2", "--private"),
    )
    assert said.status == 0, said.err
    assert (tmp_path / "starts").read_text() == "."
    assert "2,100 tokens in and 42 out, $0.002184" in said.err  # 21 calls of 100 and 2 tokens


def test_eval_that_is_killed_goes_on_and_asks_again_only_for_what_was_in_flight(
    run: Run, far: Upstream, tmp_path: Path
) -> None:
    """kill -9 three times; what was sent and lost counts as a cost at its most."""
    far.reset()
    far.otherwise = answering_after(0.05)
    size, concurrency, moments = 60, 4, (5, 25, 45)
    line = (
        *("eval", *TOY, "--model", "killed", "--base-url", f"{far.url}/v1", "--size", str(size), "--private", "--json"),
        *("--concurrency", str(concurrency), "--price", "1,1", "--max-tokens", "16"),
    )
    for moment in moments:
        with subprocess.Popen(
            [sys.executable, "-m", "tetrad", *line], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            end = time.monotonic() + 60
            while len(far.asked) < moment:
                assert process.poll() is None, "it ended before it was killed"
                assert time.monotonic() < end, len(far.asked)
                time.sleep(0.01)
            process.kill()
    said = run(*line)
    assert said.status == 0, said.err
    report = msgspec.json.decode(said.out, type=Report)
    assert (report.questions_asked, report.missing) == (size, 0)
    needed = size + 1  # one practice question
    assert needed < len(far.asked) <= needed + len(moments) * concurrency
    lines = recorded(tmp_path / "tetrad-runs" / "toy-killed")
    kinds = Counter(line["line"] for line in lines)
    assert kinds["reply"] == needed, "each question has one reply"
    lost = kinds["asked"] - kinds["reply"] - kinds["failed"]
    assert 0 < lost <= len(moments) * concurrency
    assert f"({lost} calls counted at their most)" in said.err


def test_a_limit_of_cost_stops_before_it_is_passed(run: Run, far: Upstream, tmp_path: Path) -> None:
    line = ("eval", *TOY, "--model", "limited", "--base-url", f"{far.url}/v1", "--size", "20", "--private")
    money = ("--price", "1000,1000", "--max-tokens", "16", "--picture-tokens", "100", "--concurrency", "1")
    assert "needs --price" in run(*line, "--limit-cost", "3").err
    free = run(*line, *money, "--folder", "free")
    assert free.status == 0, free.err
    most = max(line["most"] for line in recorded(tmp_path / "free") if line["line"] == "asked")
    limit = most + 50_000  # a call costs 7,000: some calls, and then none that could be dearer
    said = run(*line, *money, "--limit-cost", str(limit / 1e6))
    assert said.status == 1
    assert "the limit of $" in said.err
    spent = sum(line.get("cost", 0) for line in recorded(tmp_path / "tetrad-runs" / "toy-limited"))
    assert 0.9 * 50_000 < spent <= limit


def test_ci_passes_and_writes_every_form(run: Run, tmp_path: Path) -> None:
    """A guesser of 120 items misses the bound once in 370,000 runs, one of 60 items once in 320."""
    said = run(
        *("ci", *TOY, "--model", "constant", "--size", "120", "--least-accuracy", "0.05"),
        *("--allow-drop", "0.3", "--baseline", "constant", "--most-unread", "0"),
    )
    assert said.status == 0, said.err
    assert "120 items tell a drop of" in said.err
    assert said.out.startswith("## ✅ toy: pass")
    folder = tmp_path / "tetrad-ci"
    found = written(folder)
    assert (found.outcome, found.pairing, len(found.gates)) == ("pass", "fresh", 3)
    drop = next(gate for gate in found.gates if gate.name == "allow-drop")
    assert (drop.numbers["discordance"], drop.numbers["items"]) == (0.0, found.candidate.items)
    assert found.candidate.sealed
    assert found.baseline is not None
    assert not found.baseline.sealed
    assert {path.name for path in folder.iterdir()} >= {"summary.md", "junit.xml", "report.html"}
    assert "data:image/png;base64," in (folder / "report.html").read_text(), "wrong answers have their pictures"
    assert (folder / "summary.md").read_text() in said.out


def test_ci_fails_on_a_revealed_draw_and_could_not_tell_on_few_items(run: Run, tmp_path: Path) -> None:
    base = run("submit", *TOY, "--model", "constant", "--size", "40", "--private", "--json")
    submission = msgspec.json.decode(base.out, type=Report).submission
    mute = ("--model", "mute", "--command", "echo I do not know")
    failed = run(
        *("ci", *TOY, *mute, "--allow-drop", "0.01"),
        *("--baseline", submission, "--most-unread", "0.1", "--concurrency", "2"),
    )
    assert failed.status == 1, failed.err
    found = written(tmp_path / "tetrad-ci")
    assert (found.pairing, found.candidate.submissions) == ("revealed", (submission,))
    assert (found.candidate.unread, found.candidate.asked) == (40, 40)
    unsure = run(  # two wrong answers of two are no proof of anything
        *("ci", *TOY, *mute, "--size", "2"),
        *("--allow-drop", "0.01", "--baseline", submission, "--paired", "no", "--out", "unpaired"),
    )
    assert unsure.status == 2, unsure.err
    assert "could not tell" in unsure.out
    assert written(tmp_path / "unpaired").pairing == "no"


def test_ci_pairs_the_published_items_of_two_draws(run: Run, team: Client, instance: Instance, tmp_path: Path) -> None:
    approve_for(instance, team, MARVEL, cap=5)
    corpus = ("--benchmark", MARVEL, "--size", str(ITEMS[MARVEL]))
    base = msgspec.json.decode(run("submit", *corpus, "--model", "constant", "--json").out, type=Report)
    said = run("ci", *corpus, "--model", "constant", "--baseline", base.submission, "--allow-drop", "0.5")
    assert said.status == 0, said.err
    found = written(tmp_path / "tetrad-ci")
    assert (found.pairing, found.why_paired) == ("published", "the baseline is a submission on a fixed corpus")
    (gate,) = found.gates
    assert (gate.numbers["items"], gate.numbers["candidate_only"], gate.numbers["baseline_only"]) == (12, 0, 0)
    assert found.candidate.submissions != (base.submission,)
    anew = run("ci", *corpus, "--model", "random", "--baseline", "constant", "--allow-drop", "0.01", "--out", "anew")
    assert anew.status in {1, 2}, anew.err
    assert written(tmp_path / "anew").pairing == "published"
    refused = run("ci", *corpus, "--model", "random", "--least-accuracy", "0.5", "--sequential")
    assert (refused.status, "needs new draws" in refused.err) == (3, True)


def test_ci_stops_looking_once_it_is_decided(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(STANDING.replace('"(A)"', '"I do not know"'))
    said = run(
        *("ci", *TOY, "--model", "mute", "--command", f"{sys.executable} bad.py", "--keep-alive", "--size", "500"),
        *("--least-accuracy", "0.5", "--sequential"),
    )
    assert said.status == 1, said.err
    assert "look 1 of at most 10, 50 items: least-accuracy: fail" in said.err
    assert len(written(tmp_path / "tetrad-ci").candidate.submissions) == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--model", "constant"], "no gate was given"),
        (["--model", "constant", "--allow-drop", "0.1"], "--allow-drop and --baseline belong together"),
        (["--model", "constant", "--least-accuracy", "60"], "Must be <= 1"),
        (["--least-accuracy", "0.6"], "model"),
        (["--model", "psychic", "--least-accuracy", "0.6"], "psychic"),
        (["--model", "constant", "--most-cost", "1"], "--price"),
        (["--model", "constant", "--least-accuracy", "0.6", "--extraction-model", "constant"], "--service"),
        (["--model", "constant", "--least-accuracy", "0.6", "--paired", "published"], "fixed corpora"),
        (["--model", "constant", "--baseline", "sub_none", "--allow-drop", "0.1"], "sub_none"),
        (["--model", "constant", "--baseline", "psychic", "--allow-drop", "0.1"], "solver 'psychic' is unknown"),
        (["--model", "constant", "--baseline", "constant", "--allow-drop", "0.1", "--paired", "no"], "a submission"),
    ],
)
def test_wrong_usage_is_3_and_opens_nothing(run: Run, options: list[str], said: str) -> None:
    found = run("ci", *TOY, *options)
    assert found.status == 3
    assert said in found.err + found.out


def test_another_job_after_one_that_ended_asks_anew(run: Run, tmp_path: Path) -> None:
    line = ("ci", *TOY, "--model", "constant", "--size", "20", "--most-unread", "1")
    assert run(*line).status == 0
    first = written(tmp_path / "tetrad-ci")
    time.sleep(1.1)
    assert run(*line).status == 0
    assert written(tmp_path / "tetrad-ci").candidate.submissions != first.candidate.submissions


def test_the_service_answers_for_both_models_on_one_sealed_draw(run: Run, tmp_path: Path) -> None:
    said = run(
        *("ci", *TOY, "--service", "--model", "constant", "--baseline", "random", "--size", "20"),
        *("--allow-drop", "0.9", "--most-unread", "0"),
    )
    assert said.status == 0, said.err
    found = written(tmp_path / "tetrad-ci")
    assert found.baseline is not None
    assert (found.candidate.sealed, found.baseline.sealed, found.pairing) == (True, True, "fresh")
    assert found.candidate.submissions != found.baseline.submissions
    drop = next(gate for gate in found.gates if gate.name == "allow-drop")
    assert drop.numbers["items"] == found.candidate.items == found.baseline.items
    mixed = run("ci", *TOY, "--service", "--model", "constant", "--command", "true", "--most-unread", "0")
    assert mixed.status == 3
    assert "leave out what answers on this machine" in mixed.err


def cases(folder: Path) -> list[tuple[str, str]]:
    """Return the tag and message of what went wrong in each test case of the JUnit file."""
    root = ET.fromstring((folder / "junit.xml").read_bytes())  # noqa: S314 -- our own
    return [(fault.tag, fault.get("message", "")) for case in root.iter("testcase") for fault in case]


@pytest.mark.parametrize("options", [["--least-accuracy", "60"], ["--size", "twenty"], [], ["--nowhere"]])
def test_an_error_stands_where_ci_looks_and_an_earlier_result_is_gone(
    run: Run, tmp_path: Path, options: list[str]
) -> None:
    earlier = [tmp_path / "reports" / name for name in ("result.json", "report.html")]
    earlier[0].parent.mkdir()
    for path in earlier:
        path.write_text("of a run that had ended")
    failed = run("ci", *TOY, "--model", "constant", *options, "--out=reports")
    assert failed.status == 3
    summary = (tmp_path / "reports" / "summary.md").read_text()
    ((tag, message),) = cases(tmp_path / "reports")
    assert tag == "error"
    assert summary.startswith("## ⚠️ tetrad ci: error")
    assert message.splitlines()[0] in summary
    assert (options or ["no gate was given"])[-1] in message
    assert [path for path in earlier if path.exists()] == []


@pytest.mark.parametrize("command", ["ci", "eval", "served"])
def test_a_revoked_key_is_told_and_leaves_no_empty_folder(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str
) -> None:
    made = run("keys", "new", "--name", command, "--json").json()
    assert run("keys", "revoke", made["about"]["id"]).status == 0
    monkeypatch.setenv("TETRAD_KEY", made["key"])
    line = [*TOY, "--model", "constant", "--size", "20"]
    decided = ["ci", *line, "--most-unread", "1", *(["--service"] if command == "served" else [])]
    said = run(*(["eval", *line] if command == "eval" else decided))
    assert said.status == (1 if command == "eval" else 3)
    assert "revoked" in said.err
    assert "what was sent is from TETRAD_KEY" in said.err
    left = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*"))
    written = ["tetrad-ci", "tetrad-ci/junit.xml", "tetrad-ci/summary.md"]
    assert left == ([] if command == "eval" else written)
    if command != "eval":
        assert cases(tmp_path / "tetrad-ci")[0][1].splitlines()[0] in said.err.replace("\n", " ")


def test_a_solver_that_is_refused_leaves_no_empty_folder(run: Run, tmp_path: Path) -> None:
    """It is refused once the folder is made, and before anything is asked."""
    assert run("eval", *TOY, "--model", "pixel-solver", "--size", "20").status == 1
    assert [*tmp_path.iterdir()] == []


def test_a_key_that_is_revoked_during_a_run_leaves_what_was_recorded(
    run: Run, instance: Instance, team: Client, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The model revokes the key when it is first asked: the practice question is answered, and nothing is opened."""
    made = run("keys", "new", "--name", "short-lived", "--json").json()
    (tmp_path / "model.py").write_text(
        "from tetrad.client import Client\n"
        f"Client({instance.url!r}, {team._authorization['Authorization'].removeprefix('Bearer ')!r})"
        f".revoke_key({made['about']['id']!r})\nprint('(A)')\n"
    )
    monkeypatch.setenv("TETRAD_KEY", made["key"])
    said = run("ci", *TOY, "--model", "m", "--command", f"{sys.executable} model.py", "--most-unread", "1")
    assert said.status == 3
    assert "revoked" in cases(tmp_path / "tetrad-ci")[0][1]
    assert [line["line"] for line in recorded(tmp_path / "tetrad-ci" / "runs" / "candidate")] == ["asked", "reply"]


def test_ci_needs_no_key_that_makes_keys(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    made = run("keys", "new", "--name", "of-the-job", "--json").json()
    assert made["about"]["scopes"] == ["read", "submit"]
    monkeypatch.setenv("TETRAD_KEY", made["key"])
    line = ("--command", f"{sys.executable} -c \"print('(A)')\"", "--size", "20", "--most-unread", "1")
    said = run("ci", *TOY, "--model", "never-seen-before", *line)
    assert said.status == 0, said.err
    assert run("models", "add", "added-by-hand").out == "added-by-hand is registered.\n"
    assert "scope admin" in run("models", "add", "shown", "--title", "Shown").err
    listed = run("models").out
    assert "never-seen-before" in listed
    assert "added-by-hand" in listed
