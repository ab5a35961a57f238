"""docs/operator.md and docs/upkeep.md, typed as an operator would: every console command, in order."""

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.answering import answer_all, open_submission, wait_scored
from tests.e2e.conftest import Run, Said
from tests.instance import ROOT, Instance
from tetrad.client import Client
from tetrad.server.embedded.backups import open_database

PAGES = "".join((ROOT / "docs" / name).read_text() for name in ("operator.md", "upkeep.md"))
ON_A_COPY = "rotate-secret"  # the running instance is shared with other tests
PLAIN = "tetrad admin "
NOT_CONFIRMED = 3
Shell = Callable[..., "subprocess.CompletedProcess[str]"]
Admin = Callable[[str], Said]


def commands() -> list[str]:
    blocks = re.findall(r"^```console\n(.*?)^```$", PAGES, re.MULTILINE | re.DOTALL)
    return [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]


@pytest.fixture(scope="module")
def north(instance: Instance) -> Iterator[Client]:
    with instance.team("north") as client:
        yield client


@pytest.fixture(scope="module")
def scored(north: Client) -> str:
    submission = open_submission(north, "model-one").id
    answer_all(north, submission)
    wait_scored(north, submission)
    return submission


@pytest.fixture
def shell(instance: Instance, tmp_path: Path) -> Shell:
    """Return what types one line, as the operator of the instance."""
    environment = os.environ | {
        "TETRAD_URL": instance.url,
        "TETRAD_HOME": str(instance.data_directory.folder),
        "TETRAD_METRICS_PORT": str(instance.data_directory.metrics_port),
        "PYTHONPATH": str(ROOT),
        "COLUMNS": "160",
    }

    def run(line: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        typed = re.sub(r"\btetrad\b(?= admin)", f"{sys.executable} -m tetrad", line)
        return subprocess.run(
            ["bash", "-c", typed],
            cwd=tmp_path,
            env=environment | variables,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.fixture
def admin(instance: Instance, anonymous: Run, monkeypatch: pytest.MonkeyPatch) -> Admin:
    """Return what runs one command of `tetrad admin` in this process: a new one takes a second to import."""
    monkeypatch.setenv("TETRAD_HOME", str(instance.data_directory.folder))
    monkeypatch.setenv("TETRAD_METRICS_PORT", str(instance.data_directory.metrics_port))
    return lambda line: anonymous("admin", *shlex.split(line))


def fail(instance: Instance, client: Client) -> str:
    """Return a submission that failed, as after five attempts of a broken scorer."""
    submission = open_submission(client, "model-one", visibility="private", size=2).id
    client.questions(submission)
    with closing(open_database(instance.data_directory.database)) as connection:
        connection.execute("UPDATE submissions SET state = 'failed', failure = 'x' WHERE id = ?", (submission,))
    return submission


def test_every_command_of_the_operator_s_pages_works(  # noqa: PLR0917 -- fixtures
    instance: Instance, shell: Shell, admin: Admin, north: Client, scored: str, tmp_path: Path
) -> None:
    """What names variables is typed in a shell, the rest runs in this process."""
    variables = {"SUBMISSION": scored, "FAILED": fail(instance, north)}
    assert len(commands()) >= 15
    for command in commands():
        if ON_A_COPY in command:
            continue
        if command.startswith(PLAIN) and "$" not in command:
            said = admin(command.removeprefix(PLAIN))
            assert said.status == 0, f"{command}: {said}"
        else:
            done = shell(command, **variables)
            assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    copy = shell("tetrad admin backup whole --with-secrets && TETRAD_HOME=copy tetrad admin restore whole")
    assert copy.returncode == 0, copy.stderr
    (rotation,) = (command for command in commands() if ON_A_COPY in command)
    rotated = shell(rotation, TETRAD_HOME="copy")
    assert rotated.returncode == 0, rotated.stderr
    assert "1 older ones are kept for open draws" in rotated.stdout
    assert north.submission(variables["FAILED"]).void_reason == "its pictures were broken"
    log = json.loads(shell("tetrad admin log --json").stdout)
    done_acts = {act["act"] for act in log}
    assert {"suspend team", "set caps", "hide row", "void", "requeue", "rescore", "backup"} <= done_acts
    assert {act["operator"] for act in log} == {"operator", "local"}
    assert (tmp_path / "restored" / "tetrad.sqlite").exists()
    assert not (tmp_path / "restored" / "secrets.json").exists()


def told(admin: Admin, line: str) -> Any:
    done = admin(f"{line} --json")
    assert done.status == 0, done.err
    return done.json()


@pytest.mark.usefixtures("north")
def test_every_command_speaks_json(admin: Admin, scored: str) -> None:
    assert "north" in {record["team"]["name"] for record in told(admin, "teams list")}
    assert told(admin, "teams show north")["team"]["state"] == "active"
    assert told(admin, "teams suspend north --reason x")["team"]["state_reason"] == "x"
    assert told(admin, "teams approve north")["team"]["state"] == "active"
    assert told(admin, "caps north --models 7")["team"]["caps"]["models"] == 7
    assert told(admin, "approve north imsitu --cap 2")["team"]["approvals"][0]["submissions_cap"] == 2
    assert told(admin, "disapprove north imsitu")["team"]["approvals"] == []
    assert told(admin, "hide north/model-one --benchmark toy --reason x")["hidden"][0]["model"] == "model-one"
    assert told(admin, "unhide north/model-one --benchmark toy")["hidden"] == []
    assert told(admin, f"rescore {scored} --reason x --yes")["counts"] == {"unchanged": 1}
    assert told(admin, "secrets")["secrets"][0]["current"] is True
    assert told(admin, "backup kept")["secrets"] == "left out"


@pytest.mark.parametrize(
    ("line", "status", "part"),
    [
        ("teams show nobody", 1, "nobody"),
        ("hide model-one --benchmark toy --reason x", 1, "'model-one' is not TEAM/MODEL"),
        ("caps north", 1, "no cap is named"),
        ("caps north --default colours", 2, "colours"),
        ("approve north imsitu --cap 0", 2, "cap"),
        ("void sub_none --reason x", 1, "404"),
        ("rescore --reason x", 1, "name either a submission or a benchmark"),
        ("restore nowhere", 1, "is this a backup?"),
        ("drop-secrets", 0, ""),
        ("nothing", 2, "nothing"),
        ("log --url http://127.0.0.1:9", 1, "is the service up?"),
        ("log --url http://example.org", 1, "no operator's token for http://example.org"),
    ],
    ids=str,
)
@pytest.mark.usefixtures("north")
def test_what_is_refused_is_one_clear_line(admin: Admin, line: str, status: int, part: str) -> None:
    done = admin(line)
    assert done.status == status, done.err
    assert part in done.err


def test_a_team_is_deleted_only_with_yes(instance: Instance, admin: Admin) -> None:
    with instance.team("leavers") as client:
        open_submission(client, "m", size=2)
        asked = admin("delete leavers")
        assert (asked.status, "add --yes" in asked.err) == (NOT_CONFIRMED, True)
        assert client.team().name == "leavers"
        done = admin("delete leavers --yes --public-reason 'at their request'")
        assert done.status == 0, done.err
    assert "1 submissions are gone" in done.out
    assert admin("teams show leavers").status == 1


def write_as_older_scorer(instance: Instance, submission: str) -> None:
    """Leave a report as an older scorer would have: it read nothing of the first question."""
    with closing(open_database(instance.data_directory.database)) as connection:
        (name,) = connection.execute("SELECT object FROM reports WHERE submission_id = ?", (submission,)).fetchone()
        connection.execute("UPDATE reports SET total = 0 WHERE submission_id = ?", (submission,))
    path = instance.data_directory.objects / name
    report = json.loads(path.read_text())
    report["questions"][0] |= {"verdict": "unread", "answer": None}
    report["headline"]["value"] = report["metrics"][0]["value"] = 0.0
    report["versions"]["scorer"] = 0
    body = json.dumps(report).encode()
    digest = hashlib.sha256(body).hexdigest()
    name = f"reports/{submission}/older-{digest}.json"
    (instance.data_directory.objects / name).write_bytes(body)
    with closing(open_database(instance.data_directory.database)) as connection:
        connection.execute(
            "UPDATE reports SET object = ?, digest = ? WHERE submission_id = ?", (name, digest, submission)
        )


def test_a_rescoring_is_shown_before_it_is_applied(instance: Instance, admin: Admin, north: Client) -> None:
    submission = open_submission(north, "model-two", setting="shade-only", size=30).id
    answer_all(north, submission)
    report = wait_scored(north, submission)
    write_as_older_scorer(instance, submission)
    dry = admin(f"rescore {submission} --reason 'the scorer reads more' --dry-run --yes")
    assert (dry.status, "Nothing is applied" in dry.err) == (NOT_CONFIRMED, True), dry.err
    changed = f"scorer 0 to {report.versions.scorer}"
    for part in (changed, "unread (-)", "Rows that move", "north/model-two", "1 proposed"):
        assert part in dry.out, dry.out
    assert north.report(submission).versions.scorer == 0
    done = admin(f"rescore {submission} --reason 'the scorer reads more' --yes")
    assert done.status == 0, done.err
    assert "1 applied" in done.out
    again = north.report(submission)
    assert (again.revision, again.versions, again.headline) == (2, report.versions, report.headline)
    assert again.answers_digest == report.answers_digest
