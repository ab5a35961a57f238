"""A submission answered offline, from bundle to CI, by the command line alone; and events over a killed api."""

import csv
import json
import tarfile
import threading
import time
import xml.etree.ElementTree as ET  # what is read here was written by our own service
from pathlib import Path

import pytest

from tests.answering import answer_all, open_submission, wait_scored
from tests.instance import Instance
from tetrad.cli.main import main
from tetrad.client import Client, ServiceError
from tetrad.contracts.submissions import Event


@pytest.fixture
def command(instance: Instance, team: Client, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TETRAD_URL", instance.url)
    monkeypatch.setenv("TETRAD_KEY", team._authorization["Authorization"].removeprefix("Bearer "))
    monkeypatch.chdir(tmp_path)


def run(*arguments: str) -> None:
    status: object = 0
    try:
        main(list(arguments))
    except SystemExit as ended:
        status = ended.code
    assert not status, arguments


def answered(bundle: Path, table: Path) -> int:
    """Answer what the bundle asks, each question with its first option, having looked at its pictures."""
    with tarfile.open(bundle) as archive:
        archive.extractall(bundle.parent, filter="data")
    lines = (bundle.parent / "questions.ndjson").read_text().splitlines()
    with table.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["item", "question", "response"])
        for one in map(json.loads, lines):
            question = one["question"]
            for picture in question["pictures"]:
                assert (bundle.parent / picture["url"]).read_bytes().startswith(b"\x89PNG")
            writer.writerow([one["item"], question["id"], f'Well, "{question["shape"]["labels"][0]}"'])
    return len(lines)


def test_a_bundle_is_answered_by_csv_until_none_is_open_and_ci_reads_the_report(
    command: None, team: Client, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["submit", "--benchmark", "toy", "--size", "6", "--model", "by-hand", "--bundle", "open.tar"]
    run(*asked)
    said = capsys.readouterr()
    submission = said.err.split(":")[0]
    assert f"tetrad answers {submission} FILE.csv" in said.out
    run("submit", "--resume", submission, "--bundle", "open.tar", "--json")
    told = json.loads(capsys.readouterr().out)
    assert (told["submission"]["id"], told["bundle"]) == (submission, "open.tar")
    run("questions", submission, "--out", "open.tar", "--json")
    assert json.loads(capsys.readouterr().out) == {
        "submission": submission,
        "bundle": "open.tar",
        "questions": 6,
    }
    passes = 0
    while team.submission(submission).state == "open":
        assert answered(tmp_path / "open.tar", tmp_path / "answers.csv")
        run("answers", submission, "answers.csv", "--dry-run")
        run("answers", submission, "answers.csv")
        passes += 1
        if team.submission(submission).state == "open":
            run("questions", submission, "--out", "open.tar")
    capsys.readouterr()
    with pytest.raises(AssertionError):
        run("questions", submission, "--out", "none.tar")
    assert f"no question of {submission} is open" in capsys.readouterr().err
    assert not (tmp_path / "none.tar").exists()
    assert passes >= 2, "an item's later questions open after the earlier ones"
    report = wait_scored(team, submission)
    for form in ("csv", "junit", "markdown", "json"):
        run("report", submission, "--format", form, "--out", f"report.{form}")
    with (tmp_path / "report.csv").open(newline="") as written:
        rows = list(csv.DictReader(written))
    assert [row["verdict"] for row in rows] == [result.verdict for result in report.questions]
    suites = ET.parse(tmp_path / "report.junit").getroot()  # noqa: S314 -- our own
    skipped = sum(int(suite.get("skipped", "0")) for suite in suites)
    assert skipped == sum(result.verdict != "correct" for result in report.questions) > 0
    assert all(int(suite.get("failures", "0")) == 0 for suite in suites), "a wrong answer fails no build"
    capsys.readouterr()
    run("report", submission)
    assert submission in capsys.readouterr().out
    run("events", submission, "--follow")
    assert [line.split()[1].rstrip(":") for line in capsys.readouterr().out.splitlines()] == [
        "opened",
        "finished",
        "scored",
    ]
    run("events", submission, "--json", "--after", "0")
    assert json.loads(capsys.readouterr().out.splitlines()[0])["kind"] == "opened"


@pytest.mark.parametrize("name", ["answers.xlsx", "missing.csv"])
def test_a_file_that_is_no_table_of_answers_is_refused_before_anything_is_sent(
    command: None, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "answers.xlsx").write_bytes(b"PK")
    with pytest.raises(SystemExit) as ended:
        main(["answers", "sub_" + "0" * 32, name])
    assert ended.value.code == 1
    assert name in capsys.readouterr().err


def test_a_bundle_that_cannot_be_had_leaves_no_file(command: None, tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        main(["questions", "sub_" + "0" * 32, "--out", "open.tar"])
    assert list(tmp_path.iterdir()) == []


def test_events_are_followed_over_a_killed_api_without_loss_or_double(instance: Instance, team: Client) -> None:
    submission = open_submission(team, "followed", size=8).id
    heard: list[Event] = []
    listening = threading.Event()

    def follow() -> None:
        for event in team.follow(submission):
            heard.append(event)
            listening.set()

    listener = threading.Thread(target=follow)
    listener.start()
    assert listening.wait(20)
    instance.kill("api")
    instance.wait_ready()
    patiently_answer(team, submission)
    wait_scored(team, submission)
    listener.join(30)
    assert not listener.is_alive()
    assert [event.kind for event in heard] == ["opened", "finished", "scored"]
    assert heard == team.events(submission)


def patiently_answer(team: Client, submission: str) -> None:
    for _ in range(20):
        try:
            answer_all(team, submission)
        except ServiceError as error:
            if error.problem.status < 500:
                raise
            time.sleep(0.5)
        else:
            return
