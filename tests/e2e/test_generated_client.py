"""A client that a stock generator makes from the public document, used against the running service."""

import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from api.openapi import DOCUMENT, OPERATORS_DOCUMENT
from tests.instance import Instance

SETTINGS = """
post_hooks: []
content_type_overrides:
  image/png: application/octet-stream
  application/zip: application/octet-stream
  application/x-tar: application/octet-stream
"""


def generate(document: Path, folder: Path, name: str) -> str:
    """Generate a package, and return what the generator said of it."""
    settings = folder / "settings.yaml"
    settings.write_text(SETTINGS)
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--path", str(document), "--meta", "none"]
    command += ["--output-path", str(folder / name), "--config", str(settings)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the name of the package, which can be imported."""
    folder = tmp_path_factory.mktemp("generated")
    said = generate(DOCUMENT, folder, "generated_tetrad")
    parts = [line for line in said.splitlines() if line.startswith("WARNING")]
    assert all(re.search("answers|verdicts|/rows", line) for line in parts), (
        "only uploads have forms that the generator does not know"
    )
    sys.path.insert(0, str(folder))
    return "generated_tetrad"


def call(package: str, place: str, client: Any, *arguments: Any, **named: Any) -> Any:
    """Call an operation of the client and return its parsed reply."""
    reply = import_module(f"{package}.api.{place}").sync_detailed(*arguments, client=client, **named)
    assert reply.status_code < 300, reply.content
    return reply.parsed


def test_a_team_works_through_a_submission_with_a_generated_client(generated: str, instance: Instance) -> None:
    models = import_module(f"{generated}.models")
    client = import_module(generated)
    with client.Client(base_url=instance.url) as anonymous:
        team = call(generated, "teams.register_team", anonymous, body=models.TeamRequest(name="generated"))
        item = call(generated, "practice.list_practice_items", anonymous, benchmark="toy", limit=1).items[0]
        shown = item.questions[0].pictures[0].name
        png = call(generated, "practice.get_practice_picture", anonymous, item=item.id, name=shown)
        assert png.payload.read(4) == b"\x89PNG"
        wheel = call(generated, "versions.get_versions", anonymous).client.url.rpartition("/")[2]
        packed = call(generated, "versions.get_client", anonymous, name=unquote(wheel))
        assert packed.payload.read(4) == b"PK\x03\x04"
        assert call(generated, "boards.get_leaderboard", anonymous, benchmark="kiva").reference
    with client.AuthenticatedClient(base_url=instance.url, token=team.key) as known:
        answer_three(generated, models, known)


def answer_three(generated: str, models: Any, known: Any) -> None:
    """Open a submission, answer all of its questions, and see it queued."""
    assert call(generated, "teams.get_team", known).usage.open_submissions == 0
    call(generated, "teams.register_model", known, body=models.ModelRequest(name="made"))
    asked = models.SubmissionRequest(benchmark="toy", model="made", size=3, setting="shade-only")
    opened = call(generated, "submissions.open_submission", known, body=asked)
    page = call(generated, "submissions.list_open_questions", known, submission=opened.id)
    answers = [models.Answer(item=one.item, question=one.question.id, answer="A") for one in page.questions]
    body = models.AnswerBatch(answers=answers)
    receipt = call(generated, "submissions.seal_answers", known, submission=opened.id, body=body)
    assert (receipt.accepted, receipt.state) == (3, "queued")
    assert page.questions[0].question.pictures[0].url


def test_a_client_can_be_generated_for_operators_too(tmp_path: Path) -> None:
    said = generate(OPERATORS_DOCUMENT, tmp_path, "operators")
    assert "WARNING" not in said
    assert (tmp_path / "operators" / "api" / "rescoring" / "admin_propose_rescoring.py").is_file()


def test_no_schema_is_called_by_a_module_s_path_and_no_route_is_in_both_documents() -> None:
    public, operators = (json.loads(path.read_bytes()) for path in (DOCUMENT, OPERATORS_DOCUMENT))
    for document in (public, operators):
        assert [name for name in document["components"]["schemas"] if "." in name] == []
        assert '"items":false' not in json.dumps(document, separators=(",", ":"))
        named = {tag["name"] for tag in document["tags"]}
        for operations in document["paths"].values():
            for operation in operations.values():
                assert set(operation["tags"]) <= named
                assert operation["tags"]
    assert not set(public["paths"]) & set(operators["paths"])
    assert not any(path.startswith("/v1/admin") for path in public["paths"])
