"""Pages for people, and HEAD wherever there is a GET."""

import re
from urllib.robotparser import RobotFileParser

import pytest
from msgspec.structs import replace

from api.settings import ApiSettings
from tests.integration.api.assembled import client_of
from tests.integration.api.conftest import Client
from tests.integration.api.team import Team

OUTSIDE = re.compile(r"""(?:src|href|url)\s*[=:(]\s*["']?(?:https?:)?//""")


def test_the_first_page_names_what_there_is_and_every_link_of_it_leads_somewhere(client: Client) -> None:
    page = client.get("/")
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    assert "trio" in page.text
    links = re.findall(r'href="(/[^"]*)"', page.text)
    assert {"/docs", "/v1/benchmarks/trio", "/v1/leaderboards/trio", "/schema/openapi.json"} <= set(links)
    for link in links:
        assert client.get(link).status_code == 200, link


@pytest.mark.parametrize(("path", "document"), [("/docs", "openapi.json"), ("/docs/operators", "operators.json")])
def test_the_reference_and_all_that_it_needs_are_served_here(client: Client, path: str, document: str) -> None:
    page = client.get(path)
    assert page.status_code == 200
    assert f'data-document="/schema/{document}"' in page.text
    assert not OUTSIDE.search(page.text)
    files = re.findall(r'(?:src|href)="(/docs/files/[^"]*)"', page.text)
    assert [client.get(file).status_code for file in files] == [200, 200, 200]
    kinds = {client.get(file).headers["content-type"].partition(";")[0] for file in files}
    assert kinds == {"text/css", "text/javascript"}
    assert "SwaggerUIBundle" in client.get("/docs/files/swagger-ui.js").text
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "http" not in policy, "a browser asks no other address, whatever a script says"


def test_crawlers_are_told_to_read_pages_and_boards_and_to_draw_no_items(client: Client) -> None:
    reply = client.get("/robots.txt")
    assert reply.headers["content-type"].startswith("text/plain")
    rules = RobotFileParser()
    rules.parse(reply.text.splitlines())
    reads = {path: rules.can_fetch("AnyBot", path) for path in ("/", "/docs", "/v1/leaderboards/trio")}
    draws = ("/v1/benchmarks/trio/items?limit=1", "/v1/items/x", "/v1/items/x/images/y", "/v1/submissions/z/items")
    assert (all(reads.values()), any(rules.can_fetch("AnyBot", path) for path in draws)) == (True, False)


def test_no_other_file_is_served(client: Client) -> None:
    for name in ("redoc.js", "..%2fpages.py", "__init__.py"):
        assert client.get(f"/docs/files/{name}").status_code == 404


def test_the_first_page_comes_while_the_generator_is_away(settings: ApiSettings) -> None:
    with client_of(replace(settings, generator_url="http://127.0.0.1:9")) as client:
        page = client.get("/")
    assert page.status_code == 200
    assert "does not answer" in page.text


def test_head_is_answered_as_get_without_the_body(client: Client, team: Team) -> None:
    for path in ("/", "/docs", "/v1/benchmarks", "/health/live", "/schema/openapi.json", "/v1/nowhere"):
        got, head = client.get(path), client.head(path)
        assert (head.status_code, head.content) == (got.status_code, b"")
        assert head.headers["content-type"] == got.headers["content-type"]
        assert head.headers["content-length"] == got.headers["content-length"]
    refused = client.head("/v1/teams/me")
    assert refused.status_code == 401
    assert client.head("/v1/verifications").status_code == 405


def test_head_of_a_stream_ends(client: Client, team: Team) -> None:
    submission = team.open()
    headers = {**team.headers, "Accept": "text/event-stream"}
    head = client.head(f"/v1/submissions/{submission}/events", headers=headers)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-type"].startswith("text/event-stream")


def test_a_method_that_is_not_taken_is_told_that_head_is(client: Client) -> None:
    refused = client.post("/v1/benchmarks")
    assert refused.status_code == 405
    assert "HEAD" in refused.headers["allow"].split(", ")
