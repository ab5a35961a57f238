"""Questions as a bundle, answers as CSV, reports as tables; pages of every list."""

import gzip
import io
import json
import tarfile
import xml.etree.ElementTree as ET  # what is read here was written here
from typing import Any
from unittest.mock import patch

import httpx
import pytest

from api.errors import GeneratorAwayError
from api.paging import cursor_at
from api.submissions import asking, bundle
from api.upstream.generator import Generator
from tests.integration.api.conftest import BOTH_DATABASES, Client
from tests.integration.api.scoring import Scoring, finished
from tests.integration.api.team import NONCE, OPENED, Team
from tests.integration.api.trio import BANK, picture_of
from tests.integration.real_generator import seed_of
from tetrad.internal.draws import AskedItems, GateRequest
from tetrad.rows.png_content import png_content


def unpacked(reply: httpx.Response) -> tuple[list[dict[str, Any]], dict[str, bytes]]:
    """Return the lines and the pictures of a bundle."""
    with tarfile.open(fileobj=io.BytesIO(reply.content), mode="r|") as archive:
        found = {entry.name: archive.extractfile(entry).read() for entry in archive}  # type: ignore[union-attr]
    lines, about = found.pop("questions.ndjson"), json.loads(found.pop("submission.json"))
    assert f"{about['id']}.tar" in reply.headers["Content-Disposition"]
    return [json.loads(line) for line in lines.splitlines()], found


@pytest.mark.parametrize("query", ["", "?format=tar&limit=2"], ids=["accepted", "named"])
def test_a_bundle_holds_every_open_question_and_each_of_its_pictures_once(team: Team, query: str) -> None:
    submission = team.open(size=5, parameters={"repeats": 2})
    accept = {} if query else {"Accept": "application/x-tar"}
    reply = team.get(f"/v1/submissions/{submission}/questions{query}", **accept)
    assert reply.headers["Content-Type"] == "application/x-tar"
    assert reply.headers["Content-Disposition"] == f'attachment; filename="{submission}.tar"'
    questions, pictures = unpacked(reply)
    assert [(one["item"], one["question"]["id"]) for one in questions] == [
        (item, f"what-{repeat}") for item in range(5) for repeat in range(2)
    ]
    shown = {
        picture["url"]: (one["item"], picture["name"]) for one in questions for picture in one["question"]["pictures"]
    }
    assert pictures.keys() == shown.keys()
    assert "images/00004-what-1-2.png" in pictures
    for path, (item, name) in shown.items():
        assert png_content(pictures[path]) == picture_of(seed_of(submission, NONCE), item, name, OPENED[submission])


def test_an_empty_bundle_is_the_end(team: Team) -> None:
    submission = team.open(size=1, setting="which-only")
    team.answer_all(submission)
    assert unpacked(team.get(f"/v1/submissions/{submission}/questions?format=tar")) == ([], {})


def test_the_lines_of_a_large_bundle_go_to_disk(team: Team) -> None:
    submission = team.open(size=7)
    with patch.multiple(bundle, IN_MEMORY=64, CHUNK=100), patch.object(asking, "ITEMS_AT_ONCE", 2):
        questions, pictures = unpacked(team.get(f"/v1/submissions/{submission}/questions?format=tar&limit=2"))
    assert (len(questions), len(pictures)) == (7, 14)


def test_a_bundle_that_breaks_off_is_no_whole_archive(team: Team) -> None:
    submission = team.open(size=20)
    whole = Generator.sealed_picture

    async def broken(self: Generator, name: str, item: int, picture: str) -> bytes:
        if item == 12:
            raise GeneratorAwayError("away")
        return await whole(self, name, item, picture)

    with patch.object(Generator, "sealed_picture", broken):
        try:
            content = team.get(f"/v1/submissions/{submission}/questions?format=tar").content
        except Exception:  # noqa: BLE001 -- the test client raises what the app does, a server closes the connection
            content = b""
    assert not content.endswith(bytes(1024))


def test_answers_come_as_csv_plain_and_packed(team: Team) -> None:
    submission = team.open(size=3, setting="which-only")
    team.questions(submission)
    path = f"/v1/submissions/{submission}/answers"
    table = b'item,question,answer,response\r\n0,which-0,A,\r\n1,which-0,,"I\'d say, A"\r\n'
    headers = {**team.headers, "Content-Type": "text/csv"}
    assert team.client.post(path, content=table, headers=headers).json()["accepted"] == 2
    packed = team.client.post(path, content=gzip.compress(table), headers={**headers, "Content-Encoding": "gzip"})
    assert packed.json()["unchanged"] == 2
    wrong = team.client.post(path, content=b"item,question,answer\n2,which-0,A\n9,which-0,A\n", headers=headers)
    assert [(fault["line"], fault["field"]) for fault in wrong.json()["faults"]] == [(3, "item")]
    assert team.get(f"/v1/submissions/{submission}").json()["progress"]["questions_answered"] == 2
    other = team.client.post(path, content=b"x", headers={**team.headers, "Content-Type": "text/plain"})
    assert other.status_code == 415


def test_a_report_comes_in_four_forms_and_no_other(team: Team, scoring: Scoring) -> None:
    submission = finished(team)
    scoring.score(team, submission)
    path = f"/v1/submissions/{submission}/report"
    table = team.get(path, Accept="text/csv")
    assert table.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert table.headers["Vary"] == "Accept"
    assert len(table.text.splitlines()) == 5
    assert team.get(f"{path}?format=csv").content == table.content
    junit = team.get(path, Accept="application/xml")
    assert junit.headers["Content-Type"].startswith("application/xml")
    assert len(list(ET.fromstring(junit.content).iter("testcase"))) == 4  # noqa: S314 -- our own
    assert team.get(f"{path}?format=junit").content == junit.content
    assert team.get(f"{path}?format=markdown").text.startswith("# Report")
    refused = team.get(path, Accept="image/png")
    assert (refused.status_code, refused.json()["faults"][0]["field"]) == (406, "Accept")
    unknown = team.get(f"{path}?format=pdf")
    fault = {"field": "format", "value": "pdf", "line": None, "problem": "names no form that this resource has"}
    assert unknown.status_code == 406
    assert unknown.json()["faults"] == [{**fault, "remedy": "use one of json, markdown, csv, junit"}]


def test_a_form_that_questions_and_events_have_not_is_refused(team: Team) -> None:
    submission = team.open(size=1)
    for below, remedy in (("questions", "use one of json, ndjson, tar"), ("events", "use one of json, stream")):
        path = f"/v1/submissions/{submission}/{below}"
        assert team.get(path, Accept="text/csv").status_code == 406
        for name in ("xml", ""):
            named = team.get(f"{path}?format={name}", Accept="application/json")
            assert (named.status_code, named.json()["faults"][0]["field"]) == (406, "format")
            assert named.json()["faults"][0]["remedy"] == remedy


@BOTH_DATABASES
def test_the_last_answer_from_elsewhere_ends_a_pass_that_is_being_made(team: Team) -> None:
    submission = team.open(size=1, setting="which-only")
    team.questions(submission)
    ask = Generator.ask

    def overtaken(self: Generator, name: str, request: GateRequest) -> AskedItems:
        found = ask(self, name, request)
        team.seal(submission, {"item": 0, "question": "which-0", "answer": "A"})
        return found

    with patch.object(Generator, "ask", overtaken):
        reply = team.get(f"/v1/submissions/{submission}/questions")
    assert reply.status_code == 200
    assert team.get(f"/v1/submissions/{submission}").json()["finish_reason"] == "complete"


def follow(get: Any, path: str, entries: str, name: str) -> list[Any]:
    """Return the named field of all entries, page after page, by Link alone."""
    found: list[Any] = []
    pages = 0
    while True:
        reply = get(path)
        assert reply.status_code == 200, reply.text
        body = reply.json()
        found += [entry[name] for entry in (body[entries] if entries else body)]
        links = {
            part.rpartition("rel=")[2].strip('"'): part.strip("<").partition(">")[0]
            for part in reply.headers.get("Link", "").split(", ")
            if part
        }
        assert ("first" in links) == (pages > 0)
        if "next" not in links:
            return found
        path, pages = links["next"], pages + 1


@BOTH_DATABASES
def test_every_list_is_read_to_its_end_by_links_alone(team: Team, scoring: Scoring) -> None:
    for number in range(4):
        team.post("/v1/keys", {"name": f"k{number}"})
        team.post("/v1/models", {"name": f"m{number}"})
    submissions = [finished(team, size=5) for _ in range(3)]
    scoring.score(team, submissions[0])
    get = team.get
    assert follow(get, "/v1/keys?limit=2", "keys", "name") == ["first", "k0", "k1", "k2", "k3"]
    assert follow(get, "/v1/models?limit=2", "models", "name") == ["model-one", "m0", "m1", "m2", "m3"]
    assert follow(get, "/v1/submissions?limit=2", "submissions", "id") == submissions[::-1]
    assert follow(get, "/v1/commitments?limit=2", "entries", "number") == [1, 2, 3]
    assert follow(get, "/v1/benchmarks?limit=1", "benchmarks", "bank") == [BANK] * 3
    below = f"/v1/submissions/{submissions[0]}"
    assert follow(get, f"{below}/items?limit=2", "items", "item") == [0, 1, 2, 3, 4]
    assert follow(get, f"{below}/events?limit=2", "", "kind") == ["opened", "finished", "scored"]


def test_a_page_of_keys_goes_on_where_it_was_while_keys_arrive(team: Team) -> None:
    for name in ("a", "b"):
        team.post("/v1/keys", {"name": name})
    first = team.get("/v1/keys?limit=2").json()
    team.post("/v1/keys", {"name": "late"})
    second = team.get(f"/v1/keys?limit=2&cursor={first['next']}").json()
    assert [key["name"] for key in first["keys"] + second["keys"]] == ["first", "a", "b", "late"]


def test_a_board_is_paged_after_a_model_wherever_it_stands(client: Client, scoring: Scoring) -> None:
    for name, total in (("best", 12.0), ("middle", 9.0), ("worst", 3.0)):
        team = Team.registered(client, name)
        scoring.score(team, finished(team, size=12), total)
    path = "/v1/leaderboards/trio?limit=2"
    first = client.get(path)
    assert [row["team"] for row in first.json()["rows"]] == ["best", "middle"]
    late = Team.registered(client, "late")
    scoring.score(late, finished(late, size=12), 10.5)
    second = client.get(f"{path}&cursor={first.json()['next']}")
    assert [row["team"] for row in second.json()["rows"]] == ["worst", "late"]
    assert second.json()["next"] is None
    assert f'<{path}>; rel="first"' in second.headers["Link"]


OTHERS = [cursor_at("models", "x"), cursor_at("keys", 3), cursor_at("keys", "a\0")]


@pytest.mark.parametrize("cursor", ["nonsense", "é", "AAAA", *OTHERS])
def test_what_is_no_cursor_of_the_list_is_refused_with_what_to_give(team: Team, cursor: str) -> None:
    reply = team.get(f"/v1/keys?cursor={cursor}")
    assert (reply.status_code, reply.json()["faults"][0]["field"]) == (422, "cursor")
    assert "next" in reply.json()["faults"][0]["remedy"]


@pytest.mark.parametrize("limit", ["0", "501", "many"])
def test_a_limit_out_of_bounds_is_refused_by_name(team: Team, limit: str) -> None:
    reply = team.get(f"/v1/keys?limit={limit}")
    assert (reply.status_code, reply.json()["faults"][0]["field"]) == (422, "limit")


def test_a_stream_goes_on_after_the_event_that_is_known_and_ends_for_good(team: Team, scoring: Scoring) -> None:
    submission = finished(team)
    scoring.score(team, submission)
    path = f"/v1/submissions/{submission}/events"
    ids = [event["id"] for event in team.get(path).json()]

    def told(after: object) -> list[int]:
        headers = {"Accept": "text/event-stream", "Last-Event-ID": str(after)}
        reply = team.get(path, **headers)
        assert reply.status_code == 200
        return [int(line.removeprefix("id: ")) for line in reply.text.splitlines() if line.startswith("id: ")]

    assert told(0) == told("") == ids
    assert told(ids[0]) == ids[1:]
    assert team.get(f"{path}?format=stream").text.splitlines()[1] == "retry: 2000"
    over = team.get(path, **{"Accept": "text/event-stream", "Last-Event-ID": str(ids[-1])})
    assert (over.status_code, over.content) == (204, b"")
    for nonsense in ("x", "-1", "1" * 30):
        reply = team.get(path, **{"Accept": "text/event-stream", "Last-Event-ID": nonsense})
        assert (reply.status_code, reply.json()["faults"][0]["field"]) == (422, "Last-Event-ID")
