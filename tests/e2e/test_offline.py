"""A submission answered offline, from bundle to CI, by the command line alone."""

import csv
import json
import re
import tarfile
import xml.etree.ElementTree as ET  # what is read here was written by our own service
from pathlib import Path

import pytest

from tests.answering import wait_scored
from tests.e2e.conftest import Run, Said
from tetrad.client import Client


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
    run: Run, team: Client, tmp_path: Path
) -> None:
    def done(*arguments: str) -> Said:
        said = run(*arguments)
        assert said.status == 0, said.err
        return said

    said = done("submit", "--benchmark", "toy", "--size", "6", "--model", "by-hand", "--bundle", "open.tar")
    [submission] = set(re.findall(r"sub_[0-9a-f]{32}", said.err))
    assert f"tetrad answers {submission} FILE.csv" in said.out
    told = done("submit", "--resume", submission, "--bundle", "open.tar", "--json").json()
    assert (told["submission"]["id"], told["bundle"]) == (submission, "open.tar")
    written = done("questions", submission, "--out", "open.tar", "--json").json()
    assert written == {"submission": submission, "bundle": "open.tar", "questions": 6}
    passes = 0
    while team.submission(submission).state == "open":
        assert answered(tmp_path / "open.tar", tmp_path / "answers.csv")
        done("answers", submission, "answers.csv", "--dry-run")
        done("answers", submission, "answers.csv")
        passes += 1
        if team.submission(submission).state == "open":
            done("questions", submission, "--out", "open.tar")
    refused = run("questions", submission, "--out", "none.tar")
    assert (refused.status, f"no question of {submission} is open" in refused.err) == (1, True)
    assert not (tmp_path / "none.tar").exists()
    assert passes >= 2, "an item's later questions open after the earlier ones"
    report = wait_scored(team, submission)
    for form in ("csv", "junit", "markdown", "json"):
        done("report", submission, "--format", form, "--out", f"report.{form}")
    with (tmp_path / "report.csv").open(newline="") as table:
        rows = list(csv.DictReader(table))
    assert [row["verdict"] for row in rows] == [result.verdict for result in report.questions]
    suites = ET.parse(tmp_path / "report.junit").getroot()  # noqa: S314 -- our own
    skipped = sum(int(suite.get("skipped", "0")) for suite in suites)
    assert skipped == sum(result.verdict != "correct" for result in report.questions) > 0
    assert all(int(suite.get("failures", "0")) == 0 for suite in suites), "a wrong answer fails no build"
    assert submission in done("report", submission).out
    events = [line.split()[1].rstrip(":") for line in done("events", submission, "--follow").out.splitlines()]
    assert events == ["opened", "finished", "scored"]
    assert json.loads(done("events", submission, "--json", "--after", "0").out.splitlines()[0])["kind"] == "opened"


@pytest.mark.parametrize("name", ["answers.xlsx", "missing.csv"])
def test_a_file_that_is_no_table_of_answers_is_refused_before_anything_is_sent(
    run: Run, name: str, tmp_path: Path
) -> None:
    (tmp_path / "answers.xlsx").write_bytes(b"PK")
    refused = run("answers", "sub_" + "0" * 32, name)
    assert (refused.status, name in refused.err) == (1, True)
