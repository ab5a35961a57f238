"""All pages for all callers: a page shows to each what the API shows to the same one, by a key or by a session."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from api.settings import ApiSettings
from api.teams.sessions import open_session
from tests.integration.api.assembled import client_of
from tests.integration.api.conftest import Client
from tests.integration.api.scoring import Scoring, finished
from tests.integration.api.team import NONCE, Team
from tests.integration.real_generator import seed_of
from tests.page_routes import NOT_HTML, routes_of
from tests.signed_in import BROWSER

NOT_SHOWN = re.compile(r'<time.*?</time>|<input[^>]*>|seed=\d+(?=">A random one<)', re.DOTALL)
MAIN = re.compile(r"<main.*?</main>", re.DOTALL)


@pytest.fixture
def client(settings: ApiSettings, gateway_url: str) -> Iterator[Client]:
    with client_of(replace(settings, gateway_url=gateway_url, gateway_token="a-token-that-lists")) as client:
        yield client


@dataclass(frozen=True)
class Secret:
    """A text that stands on a page only for whom this address of the API shows it, too; "" is for nobody."""

    text: str
    address: str


@dataclass(frozen=True)
class Teams:
    owner: Team
    stranger: Team
    public: str
    private: str
    unscored: str
    evaluation: str
    run: str

    def secrets(self) -> dict[str, Secret]:
        (key,) = self.owner.get("/v1/keys").json()["keys"]
        seed = self.owner.get(f"/v1/submissions/{self.private}/report").json()["seed"]
        return {
            "the seed of a private report": Secret(seed, f"/v1/submissions/{self.private}/report"),
            "the seed of an open draw": Secret(seed_of(self.unscored, NONCE), ""),
            "the seed of an evaluation's draw": Secret(seed_of(self.run, NONCE), ""),
            "a model that is private so far": Secret("secret-model", f"/v1/submissions/{self.private}"),
            "a private attempt": Secret(
                f'href="/submissions/{self.private}"', f"/v1/submissions/{self.private}/report"
            ),
            "an evaluation": Secret(self.evaluation, f"/v1/evaluations/{self.evaluation}"),
            "a key's beginning": Secret(key["prefix"], "/v1/keys"),
        }


@pytest.fixture
def teams(client: Client, team: Team, scoring: Scoring) -> Teams:
    stranger = Team.registered(client, "stranger")
    assert team.post("/v1/models", {"name": "secret-model"}).status_code == 201
    public, private = finished(team), finished(team, visibility="private", model="secret-model")
    scoring.score(stranger, finished(stranger))
    for submission in (public, private):
        scoring.score(team, submission)
    body = {"benchmark": "trio", "models": ["letter"], "size": 4, "nonce": NONCE, "visibility": "private"}
    evaluation = team.post("/v1/evaluations", body).json()
    run = evaluation["runs"][0]["submission"]
    return Teams(team, stranger, public, private, team.open(), evaluation["id"], run)


def addresses(client: Client, teams: Teams) -> dict[str, list[str]]:
    """Return addresses of each page by its route: whatever of the owner's has one."""
    item = client.get("/v1/benchmarks/trio/items?seed=3&limit=1").json()["items"][0]["id"]
    every = (teams.public, teams.private, teams.unscored, teams.run)
    return {
        "/": ["/"],
        "/boards": ["/boards"],
        "/boards/{benchmark:str}": ["/boards/trio?all=1"],
        "/benchmarks": ["/benchmarks"],
        "/benchmarks/{benchmark:str}": ["/benchmarks/trio"],
        "/puzzles": ["/puzzles"],
        "/puzzles/{benchmark:str}": ["/puzzles/trio?seed=3"],
        "/puzzles/{benchmark:str}/{item:str}": [f"/puzzles/trio/{item}"],
        "/play/{benchmark:str}": ["/play/trio?seed=3"],
        "/submissions/{submission:str}": [f"/submissions/{submission}" for submission in every],
        "/docs": ["/docs"],
        "/docs/{name:str}": ["/docs/protocol"],
        "/log": ["/log", *(f"/log?submission={submission}" for submission in every)],
        "/status": ["/status"],
        "/about": ["/about"],
        "/reference": ["/reference"],
        "/reference/operators": ["/reference/operators"],
        "/models/{team:str}/{model:str}": [
            f"/models/team-one/{name}" for name in ("model-one", "secret-model", "letter@service")
        ],
        "/compare": [
            f"/compare?a={teams.public}",
            *(f"/compare?a={teams.public}&b={submission}" for submission in every),
        ],
        "/team": ["/team", "/team?state=open", "/team?state=scored&benchmark=trio"],
        "/team/running": ["/team/running"],
        "/team/evaluate": ["/team/evaluate", "/team/evaluate?model=letter&view=trio|plain|full&size=12"],
    }


def callers(engine: sa.Engine, teams: Teams) -> Mapping[str, tuple[dict[str, str], dict[str, str]]]:
    """Return for each caller the headers of a page, and those under which the API knows the same one."""
    found: dict[str, tuple[dict[str, str], dict[str, str]]]
    found = {"nobody": ({}, {}), "a session that is none": ({"Cookie": "tetrad-session=session_none"}, {})}
    for name, team in (("the owner", teams.owner), ("a stranger", teams.stranger)):
        session = {"Cookie": f"tetrad-session={open_session(engine, team.key)}"}
        found |= {f"{name} by session": (session, team.headers), f"{name} by key": (team.headers, team.headers)}
    return found


def test_a_page_shows_to_each_caller_what_the_api_shows_to_the_same_one(
    client: Client, engine: sa.Engine, teams: Teams
) -> None:
    listed, known, secrets = addresses(client, teams), callers(engine, teams), teams.secrets()
    assert set(listed) == routes_of(client.app), "each page of the router has an address here"
    told: dict[str, set[str]] = {name: set() for name in secrets}
    for address in (address for of_route in listed.values() for address in of_route):
        replies = {name: client.get(address, headers=BROWSER | headers) for name, (headers, _) in known.items()}
        for caller, reply in replies.items():
            assert reply.status_code in {200, 401, 404, 409, 422}, (address, caller, reply.text)
            for what, secret in secrets.items():
                if secret.text in reply.text and secret.text not in address:
                    told[what].add(caller)
                    shown = secret.address and client.get(secret.address, headers=known[caller][1]).status_code == 200
                    assert shown, (address, caller, what)
        for name in ("the owner", "a stranger"):
            by_session, by_key = replies[f"{name} by session"], replies[f"{name} by key"]
            assert "no-store" in by_session.headers["cache-control"]
            if not address.startswith("/team"):
                assert by_session.status_code == by_key.status_code, address
                assert main_of(by_session.text) == main_of(by_key.text), address
        assert main_of(replies["nobody"].text) == main_of(replies["a session that is none"].text), address
    owner = {"the owner by session", "the owner by key"}
    assert {what for what, seen in told.items() if seen == owner} == {
        what for what, secret in secrets.items() if secret.address
    }


def main_of(page: str) -> str:
    """Return the main part of a page, without times, random seeds and the fields of forms."""
    return NOT_SHOWN.sub("", "".join(MAIN.findall(page)))


def test_nothing_that_a_session_is_shown_is_kept_by_a_cache(client: Client, engine: sa.Engine, teams: Teams) -> None:
    session = BROWSER | {"Cookie": f"tetrad-session={open_session(engine, teams.owner.key)}"}
    files = [path.replace("{benchmark:str}", "trio") for path in NOT_HTML]
    for address in [*files, *(of_route[0] for of_route in addresses(client, teams).values())]:
        anybody = client.get(address, headers=BROWSER)
        known = {**session, "If-None-Match": anybody.headers.get("etag", '"x"')}
        reply = client.get(address, headers=known)
        assert (reply.status_code, reply.headers["cache-control"]) == (200, "private, no-store"), address
        assert "etag" not in reply.headers
        assert "team-one" in reply.text or address in files, "the page names who has signed in"
        again = client.get(address, headers=BROWSER)
        assert "Cookie" in again.headers.get("vary", "") or address in files
        if not address.startswith("/team"):
            assert main_of(again.text) == main_of(anybody.text)
            assert 'action="/team/sign-out"' not in again.text, "what was made for a session is no other's"
