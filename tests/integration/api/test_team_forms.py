"""The forms of a team's page: buttons start, pause, resume and end an evaluation, and register a model."""

import re
from collections.abc import Iterator
from html import unescape

import pytest
from msgspec.structs import replace

from api.settings import ApiSettings
from tests.integration.api.assembled import client_of
from tests.integration.api.conftest import Client
from tests.integration.api.team import Team
from tests.signed_in import PUBLIC, Person

WISH = {
    "model": "letter",
    "view": "trio|plain|full",
    "size": "9",
    "budget": "",
    "parameters": "",
    "visibility": "private",
}


@pytest.fixture
def settings(settings: ApiSettings, gateway_url: str) -> ApiSettings:
    return replace(settings, public_url=PUBLIC, gateway_url=gateway_url, gateway_token="a-token-that-lists")


@pytest.fixture
def client(settings: ApiSettings) -> Iterator[Client]:
    with client_of(settings) as client:
        yield client


@pytest.fixture
def person(client: Client, team: Team) -> Person:
    return Person.signed_in(client, team.key)


def see(person: Person, **change: str) -> str:
    """Return the text of the page that says what an evaluation takes."""
    query = "&".join(f"{name}={value}" for name, value in (WISH | change).items())
    reply = person.get(f"/team/evaluate?{query}")
    assert reply.status_code == 200, reply.text
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", reply.text)))


def test_what_an_evaluation_takes_is_said_before_it_is_started(person: Person, team: Team) -> None:
    """A rank on `trio` needs ten items, and of its practice all count."""
    assert "About 9 of 9 items will count: too few for a rank, which needs 10." in see(person)
    assert "About 10 of 10 items will count: enough for a rank, which needs 10." in see(person, size="10")
    shown = see(person, size="100", parameters="repeats=2")
    assert "at most 600 questions" in shown
    assert "Start it" in shown
    assert "Start it" not in see(person, size="0")
    assert "is not a whole number" in see(person, size="many")
    assert "is no amount of US dollars" in see(person, budget="-1")
    assert "is no parameter" in see(person, parameters="repeats")
    assert "a fixed corpus" in see(person, view="trio-published|plain|full")
    assert team.get("/v1/evaluations").json()["evaluations"] == []


def test_a_form_sent_twice_starts_one_evaluation_and_its_buttons_steer_it(person: Person, team: Team) -> None:
    fields = {**WISH, "budget": "0.50", "once": "o" * 30}
    for _ in range(2):
        assert person.post("/team/evaluations", fields).headers["location"] == "/team#running"
    (opened,) = team.get("/v1/evaluations").json()["evaluations"]
    assert (opened["size"], opened["request"]["budget"], opened["request"]["visibility"]) == (9, 500_000, "private")
    page = person.get("/team").text
    assert "0 of 9 items" in page
    assert "queued, 1 of 1" in page
    place = f"/team/evaluations/{opened['id']}"

    def shown() -> dict[str, object]:
        return dict(team.get(f"/v1/evaluations/{opened['id']}").json())

    assert f'action="{place}/pause"' in page
    for act, state in (("pause", "paused"), ("resume", "queued"), ("pause", "paused"), ("cancel", "scoring")):
        assert person.post(f"{place}/{act}").status_code == 303
        assert shown()["state"] == state
        page = person.get("/team/running").text
        assert (f'action="{place}/resume"' in page) == (state == "paused")
    assert "cancelled" in page
    assert f'action="{place}' not in page, "what has ended has no buttons"
    assert person.post(f"{place}/resume").status_code == 409


def test_what_is_anothers_is_steered_and_revoked_by_nobody_else(client: Client, person: Person, team: Team) -> None:
    other = Team.registered(client, "other-team")
    body = {"benchmark": "trio", "models": ["letter"], "size": 4}
    evaluation = other.post("/v1/evaluations", body).json()["id"]
    for path in (f"/team/evaluations/{evaluation}/cancel", f"/team/keys/{other.key_id}/revoke"):
        assert person.post(path).status_code == 404
    assert other.get(f"/v1/evaluations/{evaluation}").json()["state"] == "queued"


def test_a_model_is_registered_and_a_wrong_name_is_a_page_that_says_why(person: Person, team: Team) -> None:
    assert person.post("/team/models", {"name": "mine", "title": "Mine & more", "url": ""}).status_code == 303
    assert "Mine &amp; more" in person.get("/team").text
    refused = person.post("/team/models", {"name": "Not A Name"})
    assert (refused.status_code, "Not A Name" in refused.text) == (422, True)
    assert person.post("/team/models", {"name": "mine"}).status_code == 409
    assert person.post("/team/models", {"name": "more", "colour": "red"}).status_code == 422


def test_submissions_are_filtered_and_paged(person: Person, team: Team) -> None:
    opened = [team.open(size=2) for _ in range(21)]
    page = person.get("/team").text
    assert page.count('<span class="tag">open</span>') == 20
    (older,) = re.findall(r'href="([^"]*cursor=[^"]*)#submissions"', page)
    assert person.get(unescape(older)).text.count('<span class="tag">open</span>') == 1
    assert person.get("/team?state=scored").text.count('<span class="tag">') == 0
    assert person.get("/team?state=open&benchmark=trio").text.count('<span class="tag">open</span>') == 20
    assert person.get("/team?benchmark=other").text.count('<span class="tag">') == 0
    assert person.get("/team?cursor=nothing").status_code == 422
    assert len(opened) == 21
