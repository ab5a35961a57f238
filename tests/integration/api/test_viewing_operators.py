"""An operator who may view: every route of operators that reads, and none that changes."""

import re
from collections.abc import Iterator

import httpx
import pytest
from msgspec.structs import replace

from api.settings import ApiSettings
from tests.integration.api.conftest import Client
from tests.integration.api.operator import OPERATOR_TOKEN, Operator

VIEW_TOKEN = "viewing-token-of-the-tests-00000000000"
CONTACT = "ada@canary.example.org"
PREFIX = "/v1/admin/"
PLACES = {"{team:str}": "north", "{corpus:str}": "imsitu", "{submission:str}": "sub_1", "{batch:str}": "rsb_1"}
PLACES |= {"{token:str}": "gwt_1", "{invite:str}": "inv_1"}


@pytest.fixture
def settings(settings: ApiSettings) -> ApiSettings:
    return replace(settings, operator_token=f"ada={OPERATOR_TOKEN},eve:view={VIEW_TOKEN}")


@pytest.fixture
def viewer(client: Client) -> Operator:
    return Operator(client, VIEW_TOKEN)


def routes(client: Client) -> Iterator[tuple[str, str]]:
    """Yield every route of operators, as the app itself lists them: method, and path with some id in each place."""
    for route in client.app.routes:
        if route.path.startswith(PREFIX):
            path = route.path.removeprefix(PREFIX)
            for place, name in PLACES.items():
                path = path.replace(place, name)
            assert "{" not in path, "an id for this place is missing above"
            yield from ((method, path) for method in sorted(route.methods) if method != "OPTIONS")


def without(reply: httpx.Response) -> str:
    """Return what a reply says but for contacts and the id of its request."""
    return re.sub(r'"(contact|request_id)":("[^"]*"|null),?', "", reply.text)


@pytest.fixture
def secrets(client: Client, operator: Operator) -> list[str]:
    """Make what a viewer may not see: a contact, a code, and a token."""
    made = client.post("/v1/teams", json={"name": "north", "contact": CONTACT})
    code = operator.call("POST", "invites", {"note": "for north"}).json()["code"]
    return [CONTACT, code, made.json()["key"], OPERATOR_TOKEN]


def test_every_route_that_reads_is_open_and_shows_no_contact_code_or_token(
    client: Client, operator: Operator, viewer: Operator, secrets: list[str]
) -> None:
    reading = [path for method, path in routes(client) if method == "GET"]
    assert len(reading) >= 7
    for path in reading:
        whole, seen = operator.call("GET", path), viewer.call("GET", path)
        assert seen.status_code == whole.status_code in {200, 404}, path
        assert [secret for secret in secrets if secret in seen.text] == [], path
        assert without(seen) == without(whole), path
    assert CONTACT in operator.call("GET", "teams").text


def test_every_route_that_changes_is_closed_before_its_body_is_read(
    client: Client, operator: Operator, viewer: Operator, secrets: list[str]
) -> None:
    changing = [(method, path) for method, path in routes(client) if method not in {"GET", "HEAD"}]
    assert len(changing) >= 19
    before = operator.call("GET", "acts").text
    for method, path in changing:
        refused = viewer.call(method, path, {"nobody": "reads this"})
        assert (refused.status_code, refused.json()["detail"][:17]) == (403, "operator eve may "), path
    assert operator.call("GET", "acts").text == before
