"""Opening: what the generator refuses, the public log, and nothing kept by halves."""

import io
import math
import tarfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any
from unittest.mock import patch

import pytest
import sqlalchemy as sa
from litestar.testing import TestClient
from msgspec import convert, json
from msgspec.structs import replace

from api.app import create_app
from api.database.schema import commitments, events, submissions
from api.settings import ApiSettings
from api.submissions import opening
from api.upstream.gateway import Gateway
from tests.integration.api.assembled import client_of
from tests.integration.api.conftest import BOTH_DATABASES, Client
from tests.integration.api.team import NONCE, Team, answer_to
from tests.integration.api.trio import picture_of
from tests.integration.real_generator import seed_of
from tests.misbehaving import misbehaving
from tests.png_contents import contents_of
from tests.ports import free_port
from tetrad.commitments import GENESIS, commitment_of, first_broken
from tetrad.contracts.accounts import Model
from tetrad.contracts.items import DrawIdentity
from tetrad.contracts.log import LogEntry
from tetrad.rows.png_content import png_content

BODY = {"benchmark": "trio", "track": "plain", "model": "model-one", "size": 5, "nonce": NONCE}


def log_of(client: Client, page: int = 100) -> list[LogEntry]:
    entries: list[LogEntry] = []
    query = "after=0"
    while True:
        reply = client.get(f"/v1/commitments?{query}&limit={page}").json()
        entries += convert(reply["entries"], list[LogEntry])
        if reply["next"] is None:
            assert reply["head"] == (entries[-1].entry if entries else GENESIS)
            return entries
        query = f"cursor={reply['next']}"


def test_the_log_begins_at_genesis(client: Client) -> None:
    assert log_of(client) == []


@BOTH_DATABASES
def test_20_submissions_opened_at_once_make_one_whole_chain(client: Client, team: Team) -> None:
    with ThreadPoolExecutor(20) as pool:
        ids = list(pool.map(lambda _: team.open(size=1), range(20)))
    entries = log_of(client, page=7)
    assert first_broken(entries) is None
    assert [entry.number for entry in entries] == list(range(1, 21))
    assert {entry.submission for entry in entries} == set(ids)
    assert first_broken(entries[:5] + entries[6:]) is not None


def test_a_commitment_in_the_log_is_the_one_to_seed_identity_and_size(client: Client, team: Team) -> None:
    submission = team.open(size=3)
    opened = team.get(f"/v1/submissions/{submission}").json()
    (entry,) = log_of(client)
    identity = convert(opened["identity"], DrawIdentity)
    assert entry.commitment == opened["commitment"] == commitment_of(identity, seed_of(submission, NONCE), 3)
    assert entry.at == opened["opened_at"]


def test_the_deadline_is_24_hours_or_what_was_asked_for(team: Team) -> None:
    for fields, hours in (({}, 24.0), ({"deadline_hours": 168}, 168.0), ({"deadline_hours": 0.5}, 0.5)):
        opened = team.get(f"/v1/submissions/{team.open(**fields)}").json()
        times = [datetime.fromisoformat(opened[name]) for name in ("opened_at", "deadline_at")]
        assert math.isclose((times[1] - times[0]).total_seconds(), hours * 3600)


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ({}, ("plain", "full")),
        ({"setting": "which-only"}, ("plain", "which-only")),
        ({"track": "other"}, ("other", "full")),
        ({"track": None, "setting": None}, ("plain", "full")),
    ],
)
def test_what_is_not_named_is_the_card_s_first(
    team: Team, place: dict[str, str | None], expected: tuple[str, str]
) -> None:
    body = {name: value for name, value in BODY.items() if name != "track"} | place
    identity = team.post("/v1/submissions", body).json()["identity"]
    assert (identity["track"], identity["setting"]) == expected


@pytest.mark.parametrize(
    ("changed", "status", "field"),
    [
        ({"benchmark": "none"}, 404, "benchmark"),
        ({"track": "none"}, 422, "track"),
        ({"track": "none", "setting": "which-only"}, 422, "track"),
        ({"parameters": {"colour": 1}}, 422, "parameters.colour"),
        ({"size": 5001}, 422, "size"),
        ({"model": "unknown"}, 422, "model"),
        ({"model": "a\0"}, 422, "model"),
        ({"nonce": "a\0"}, 422, "nonce"),
        ({"size": 0}, 422, "size"),
        ({"deadline_hours": 169}, 422, "deadline_hours"),
        ({"deadline_hours": 1e-9}, 422, "deadline_hours"),
        ({"deadline_hours": "2"}, 422, "deadline_hours"),
        ({"size": "5"}, 422, "size"),
        ({"colour": "red"}, 422, "colour"),
        ({"visibility": "hidden"}, 422, "visibility"),
    ],
)
def test_what_cannot_be_opened_is_refused_by_field(
    team: Team, changed: dict[str, Any], status: int, field: str | None
) -> None:
    reply = team.post("/v1/submissions", {**BODY, **changed})
    assert reply.status_code == status
    assert reply.headers["Content-Type"] == "application/problem+json"
    if field is not None:
        assert [fault["field"] for fault in reply.json()["faults"]] == [field]
    assert team.get("/v1/submissions").json()["submissions"] == []


def test_anothers_model_is_none_of_ones_own(client: Client, team: Team) -> None:
    other = Team.registered(client, "other")
    other.post("/v1/models", {"name": "theirs"})
    assert team.post("/v1/submissions", {**BODY, "model": "theirs"}).status_code == 422


def test_a_model_that_the_service_runs_is_none_of_ones_own_and_the_refusal_says_so(team: Team) -> None:
    of_service = Model(
        id="constant", name="constant", title="", team="service", kind="service", url=None, created_at=None
    )
    with patch.object(Gateway, "models", return_value=[of_service]):
        [fault] = team.post("/v1/submissions", {**BODY, "model": "constant"}).json()["faults"]
        [unknown] = team.post("/v1/submissions", {**BODY, "model": "unknown"}).json()["faults"]
    assert fault["problem"].endswith("constant is a model that this service runs")
    assert fault["remedy"].startswith("register your own model with POST /v1/models under another name")
    assert unknown["remedy"] == "register it with POST /v1/models, or name one that GET /v1/models lists with kind team"


@pytest.mark.parametrize(("status", "retry_after", "told", "wait"), [(500, "", 502, "5"), (503, "7", 503, "7")])
def test_a_generator_that_fails_is_told_with_when_to_try_again(
    settings: ApiSettings, status: int, retry_after: str, told: int, wait: str
) -> None:
    with misbehaving(settings.generator_url) as proxy, client_of(replace(settings, generator_url=proxy.url)) as client:
        team = Team.registered(client, "team-one")
        proxy.behave(status=status, retry_after=retry_after)
        reply = team.post("/v1/submissions", BODY)
    assert (reply.status_code, reply.headers["Retry-After"]) == (told, wait)


def test_a_generator_that_is_away_is_503_everywhere(settings: ApiSettings) -> None:
    away = f"http://127.0.0.1:{free_port()}"
    with TestClient(create_app(settings)) as client:
        team = Team.registered(client, "team-one")
        submission = team.open()
        team.questions(submission)
        item = client.get("/v1/benchmarks/trio/items?limit=1").json()["items"][0]
    with TestClient(create_app(replace(settings, generator_url=away))) as client:
        stays = Team(client, team.key, team.key_id)
        for reply in (
            client.get("/v1/benchmarks"),
            client.get(item["url"]),
            client.get(item["questions"][0]["pictures"][0]["url"]),
            stays.post("/v1/submissions", BODY),
            stays.get(f"/v1/submissions/{submission}/questions"),
            stays.get(f"/v1/submissions/{submission}/items/0/images/what-0-1.png"),
        ):
            assert (reply.status_code, reply.headers["Retry-After"]) == (503, "5")
        assert stays.get(f"/v1/submissions/{submission}").status_code == 200


@BOTH_DATABASES
def test_submission_and_log_entry_are_kept_together_or_not_at_all(team: Team, engine: sa.Engine) -> None:
    with patch.object(opening, "add_event", side_effect=RuntimeError("killed before the commit")):
        assert team.post("/v1/submissions", BODY).status_code == 500
    with engine.connect() as connection:
        counts = [
            connection.execute(sa.select(sa.func.count()).select_from(table)).scalar()
            for table in (submissions, commitments, events)
        ]
    assert counts == [0, 0, 0]
    team.open()
    assert [entry.number for entry in log_of(team.client)] == [1]


def test_pictures_are_private_and_only_of_questions_that_opened(team: Team) -> None:
    submission = team.open(size=2)
    before = team.get(f"/v1/submissions/{submission}/items/0/images/what-0-1.png")
    assert before.status_code == 404
    asked = team.questions(submission)[0]
    address = asked["question"]["pictures"][0]["url"]
    assert address == f"/v1/submissions/{submission}/items/0/images/what-0-1.png"
    shown = team.get(address)
    assert png_content(shown.content) == picture_of(seed_of(submission, NONCE), 0, "what-0-1.png")
    assert shown.headers["Cache-Control"] == "private, no-store"
    assert team.client.get(address).status_code == 401
    for wrong in ("items/0/images/which-0-1.png", "items/0/images/%00", "items/2/images/what-0-1.png"):
        assert team.get(f"/v1/submissions/{submission}/{wrong}").status_code == 404
    assert team.get(f"/v1/submissions/{submission}/items/{2**70}/images/what-0-1.png").status_code == 404
    assert team.get(f"/v1/items/{submission}/images/what-0-1.png").status_code == 404


def test_several_pictures_come_in_one_archive_and_only_of_questions_that_opened(team: Team) -> None:
    submission = team.open(size=3)
    pictures = f"/v1/submissions/{submission}/images"
    assert team.get(f"{pictures}?pictures=0/what-0-1.png").status_code == 404, "not opened yet"
    shown = [
        (asked["item"], picture["name"])
        for asked in team.questions(submission)
        for picture in asked["question"]["pictures"]
    ]
    wanted = "pictures=" + ",".join(f"{item}/{name}" for item, name in shown)
    reply = team.get(f"{pictures}?{wanted},0/what-0-1.png")
    assert reply.headers["Content-Type"] == "application/x-tar"
    assert reply.headers["Cache-Control"] == "private, no-store"
    with tarfile.open(fileobj=io.BytesIO(reply.content)) as archive:
        found = {entry.name: archive.extractfile(entry).read() for entry in archive}  # type: ignore[union-attr]
    seed = seed_of(submission, NONCE)
    assert contents_of(found) == {f"{item}/{name}": picture_of(seed, item, name) for item, name in shown}
    with zipfile.ZipFile(io.BytesIO(team.get(f"{pictures}?{wanted}&format=zip").content)) as archive:
        zipped = {name: archive.read(name) for name in archive.namelist()}
    assert contents_of(zipped) == contents_of(found)
    assert team.client.get(f"{pictures}?{wanted}").status_code == 401
    other = Team.registered(team.client, "other")
    assert other.get(f"{pictures}?{wanted}").status_code == 404, "of another team"
    for hidden in ("0/which-0-1.png", "3/what-0-1.png", f"{2**32}/what-0-1.png"):
        assert team.get(f"{pictures}?{wanted},{hidden}").status_code == 404, "one that is hidden refuses all"
    for wrong in ("what-0-1.png", "0/", "/x", "-1/what-0-1.png", "1" * 11 + "/x"):
        fault = team.get(f"{pictures}?pictures={wrong}").json()["faults"][0]
        assert (fault["field"], fault["value"]) == ("pictures", wrong)
    many = ",".join(f"0/{number}" for number in range(33))
    assert team.get(f"{pictures}?pictures={many}").json()["faults"][0]["remedy"] == "name up to 32 in a request"


@pytest.mark.parametrize("name", ["x", "sub_", "sub_" + "g" * 32, "sub_%00", "sub_" + "0" * 32, "key_" + "0" * 32])
@BOTH_DATABASES
def test_guessed_submissions_are_not_found(team: Team, name: str) -> None:
    for path in ("", "/questions", "/events", "/report", "/items", "/items/0/images/1"):
        assert team.get(f"/v1/submissions/{name}{path}").status_code == 404


def test_named_items_alone_are_asked_and_open_what_their_answers_lead_to(team: Team) -> None:
    submission = team.open(size=9)
    first = team.questions(submission)
    places = [(one["item"], one["question"]["id"]) for one in first]
    answers = [
        {"item": item, "question": question, "answer": answer_to(submission, item, question, right=True)}
        for item, question in places
    ]
    assert team.seal(submission, *answers).status_code == 200
    for listed, items in (("7", {7}), ("8,1,1", {1, 8}), ("1,7", {1, 7})):
        page = team.get(f"/v1/submissions/{submission}/questions?items={listed}").json()
        assert {one["item"] for one in page["questions"]} == items
        assert not {(one["item"], one["question"]["id"]) for one in page["questions"]} & set(places)
        assert page["next"] is None
    assert team.get(f"/v1/submissions/{submission}").json()["progress"]["questions_opened"] == len(first) + 3
    lines = team.get(f"/v1/submissions/{submission}/questions?items=2,5&format=ndjson").text.splitlines()
    assert {json.decode(line)["item"] for line in lines} == {2, 5}


def test_pages_of_named_items_go_on_and_finished_ones_are_left_out(team: Team) -> None:
    submission = team.open(size=6)
    every = team.questions(submission)
    assert every
    address = f"/v1/submissions/{submission}/questions?items=5,0,3&limit=2"
    page = team.get(address).json()
    assert {one["item"] for one in page["questions"]} == {0, 3}
    rest = team.get(f"{address}&cursor={page['next']}").json()
    assert ({one["item"] for one in rest["questions"]}, rest["next"]) == ({5}, None)
    while asked := team.get(f"/v1/submissions/{submission}/questions?items=3").json()["questions"]:
        places = [(one["item"], one["question"]["id"]) for one in asked]
        wrong = [
            {"item": item, "question": question, "answer": answer_to(submission, item, question, right=False)}
            for item, question in places
        ]
        assert team.seal(submission, *wrong).status_code == 200
    left = team.get(f"/v1/submissions/{submission}/questions?items=3,4").json()["questions"]
    assert {one["item"] for one in left} == {4}


@pytest.mark.parametrize(
    ("listed", "problem"),
    [
        ("3;4", "is no list of item numbers"),
        ("", "is no list of item numbers"),
        ("-1", "is no list of item numbers"),
        ("99999999999", "is no list of item numbers"),
        ("5", "is not an item of this submission"),
        (",".join(["1"] * 101), "names 101 items"),
    ],
)
def test_a_list_of_items_that_is_none_is_refused_with_what_to_give(team: Team, listed: str, problem: str) -> None:
    reply = team.get(f"/v1/submissions/{team.open(size=5)}/questions?items={listed}")
    assert reply.status_code == 422
    (fault,) = reply.json()["faults"]
    assert (fault["field"], fault["problem"]) == ("items", problem)
    assert fault["remedy"]
