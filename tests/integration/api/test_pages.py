"""Pages for people: what each shows, and that none is anything but HTML, styled and scripted from here alone."""

import csv
import io
import re
import xml.etree.ElementTree as ET  # what is read here was written here
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from urllib.robotparser import RobotFileParser

import pytest
import sqlalchemy as sa
from msgspec import json
from msgspec.structs import replace

from api.database.schema import reports, teams
from api.pages import manual
from api.settings import ApiSettings
from api.teams.sessions import open_session
from tests.integration.api.assembled import client_of
from tests.integration.api.conftest import Client
from tests.integration.api.operator import Operator
from tests.integration.api.scoring import Scoring, finished
from tests.integration.api.team import Team
from tests.page_routes import routes_of
from tetrad.contracts.rescoring import KeptFacet

DATA = ("/v1/", "/schema/", "/health/")
BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
HOSTILE = "<script>alert(1)<b>\u202eteam " + "w" * 24


class Page(HTMLParser):
    """A page read as a browser would: its links, its tags with attributes, and whether they close."""

    VOID = frozenset({"meta", "link", "img", "br", "hr", "input", "path", "line", "circle", "rect", "use"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def links(self) -> list[str]:
        return [attributes["href"] or "" for tag, attributes in self.tags if tag == "a" and "href" in attributes]

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.words))


def page_of(client: Client, path: str, **headers: str) -> Page:
    reply = client.get(path, headers={**BROWSER, **headers}, follow_redirects=True)
    assert reply.status_code == 200, (path, reply.status_code, reply.text[:300])
    assert reply.headers["content-type"].startswith("text/html"), path
    return Page(reply.text)


@pytest.fixture
def board_of_two(client: Client, team: Team, scoring: Scoring, engine: sa.Engine) -> Team:
    """Put two teams on the board of `trio`, one of them with a hostile name, and open a submission without a score."""
    other = Team.registered(client, "other-team")
    scoring.score(team, finished(team, size=40), total=30.0)
    scoring.score(other, finished(other, size=40), total=10.0)
    team.open()
    with engine.begin() as connection:  # no name of the API's is like this: pages must not rely on it
        connection.execute(sa.update(teams).where(teams.c.name == "other-team").values(name=HOSTILE))
    return other


def page_addresses(client: Client, team: Team) -> dict[str, str]:
    """Return an address of each page by its route."""
    report = team.get("/v1/submissions").json()["submissions"][0]["id"]
    item = client.get("/v1/benchmarks/trio/items?seed=3&limit=1").json()["items"][0]["id"]
    return {
        "/": "/",
        "/boards": "/boards",
        "/boards/{benchmark:str}": "/boards/trio",
        "/benchmarks": "/benchmarks",
        "/benchmarks/{benchmark:str}": "/benchmarks/trio",
        "/puzzles": "/puzzles",
        "/puzzles/{benchmark:str}": "/puzzles/trio?seed=3",
        "/puzzles/{benchmark:str}/{item:str}": f"/puzzles/trio/{item}",
        "/play/{benchmark:str}": "/play/trio?seed=3",
        "/submissions/{submission:str}": f"/submissions/{report}",
        "/docs": "/docs",
        "/docs/{name:str}": "/docs/protocol",
        "/reference": "/reference",
        "/reference/operators": "/reference/operators",
        "/log": "/log",
        "/status": "/status",
        "/about": "/about",
        "/models/{team:str}/{model:str}": "/models/team-one/model-one",
        "/compare": f"/compare?a={report}&b={report}",
        "/team": "/team",
        "/team/running": "/team/running",
        "/team/evaluate": "/team/evaluate",
    }


@pytest.fixture
def session(engine: sa.Engine, board_of_two: Team) -> dict[str, str]:
    """Return the cookie of somebody who has signed in."""
    return {"Cookie": f"tetrad-session={open_session(engine, board_of_two.key)}"}


@pytest.fixture
def pages(client: Client, board_of_two: Team, session: dict[str, str]) -> dict[str, Page]:
    """Return all pages as somebody sees them who has signed in, and the way in."""
    addresses = page_addresses(client, board_of_two)
    assert set(addresses) == routes_of(client.app), "each page of the router has an address here"
    found = {address: page_of(client, address, **session) for address in addresses.values()}
    return {**found, "/team?": page_of(client, "/team?")}


def test_a_page_is_html_that_takes_nothing_from_elsewhere_and_nothing_inline(pages: dict[str, Page]) -> None:
    for address, page in pages.items():
        assert page.open == [], address
        assert [tag for tag, attributes in page.tags if "style" in attributes or tag == "style"] == [], address
        assert [attributes for _, attributes in page.tags if any(name.startswith("on") for name in attributes)] == []
        for tag, attributes in page.tags:
            for source in (attributes.get("src"), attributes.get("action")):
                assert source is None or source.startswith("/"), (address, tag, source)
            if tag == "script":
                assert attributes.get("src"), f"{address} has a script of its own"


def test_all_links_of_all_pages_lead_to_pages_and_to_places_on_them(
    client: Client, pages: dict[str, Page], session: dict[str, str]
) -> None:
    places = {address: ids_of(page) for address, page in pages.items()}
    statuses: dict[str, int] = {}
    lost = []
    for address, page in pages.items():
        for link in page.links:
            if link.startswith(("https://", "mailto:")):
                continue
            assert link.startswith(("/", "#")), (address, link)
            path, _, place = link.partition("#")
            path = path or address
            if path not in places:
                reply = client.get(path, headers={**BROWSER, **session}, follow_redirects=True)
                statuses[path] = reply.status_code
                is_page = reply.headers["content-type"].startswith("text/html")
                is_file = path.partition("?")[0].endswith(("/csv", "/json", "/svg")) or path.startswith(DATA)
                assert is_file or is_page, (address, link)
                places[path] = ids_of(Page(reply.text)) if is_page else set()
            lost += [(address, link)] if place and place not in places[path] else []
    assert {path: status for path, status in statuses.items() if status != 200} == {}
    assert lost == []
    assert len(statuses) > 20


def test_each_column_of_figures_leads_to_what_it_means(pages: dict[str, Page]) -> None:
    found = [
        (address, head, follows)
        for address, page in pages.items()
        for (tag, head), (follows, _) in pairwise(page.tags)
        if tag == "th" and head.get("scope") == "col" and "n" in (head.get("class") or "").split()
    ]
    assert len(found) > 20
    assert [head for head in found if head[2] != "a"] == []


def ids_of(page: Page) -> set[str | None]:
    return {attributes["id"] for _, attributes in page.tags if "id" in attributes}


def test_a_name_of_strangers_is_text_and_never_a_tag(client: Client, board_of_two: Team) -> None:
    page = page_of(client, "/boards/trio")
    assert HOSTILE in page.text
    assert [attributes for tag, attributes in page.tags if tag == "script"] == []


def test_a_board_shows_the_figures_that_the_api_gives(client: Client, board_of_two: Team, operator: Operator) -> None:
    board = client.get("/v1/leaderboards/trio").json()
    page = page_of(client, "/boards/trio")
    assert len(board["rows"]) == 2
    for row in board["rows"]:
        figures = [100 * row["score"], 100 * row["interval"]["lower"], 100 * row["interval"]["upper"]]
        assert all(f"{figure:.1f}" in page.text for figure in figures)
    assert f"{board['rows'][0]['flips_to_swap']}" in {"16", "15"} or board["rows"][0]["flips_to_swap"] > 0
    rows = list(csv.DictReader(io.StringIO(client.get("/boards/trio/csv").text)))
    measured = [row for row in rows if row["kind"] == "measured"]
    assert [row["score"] for row in measured] == [str(row["score"]) for row in board["rows"]]
    assert client.get("/boards/trio/json").json()["rows"] == board["rows"]


def test_the_picture_of_a_board_is_a_drawing_in_which_names_are_text(client: Client, board_of_two: Team) -> None:
    reply = client.get("/boards/trio/svg?all=1")
    assert reply.headers["content-type"] == "image/svg+xml"
    drawn = ET.fromstring(reply.text)  # noqa: S314 - our own
    names = {element.tag.rpartition("}")[2] for element in drawn.iter()}
    assert names == {"svg", "title", "rect", "text", "line", "circle", "path"}
    texts = [element.text or "" for element in drawn.iter("{http://www.w3.org/2000/svg}text")]
    rows = client.get("/v1/leaderboards/trio").json()["rows"]
    assert [f"{100 * row['score']:.1f}" in texts for row in rows] == [True, True]
    assert any(HOSTILE[:20] in text for text in texts)
    assert "<script" not in reply.text


def test_a_board_shows_domains_beside_the_total(
    client: Client, team: Team, scoring: Scoring, engine: sa.Engine
) -> None:
    submission = finished(team, size=40)
    scoring.score(team, submission, total=30.0)
    kept = [
        KeptFacet(facet="domain", value=value, items=20, total=total) for value, total in (("red", 17.0), ("blue", 13))
    ]
    with engine.begin() as connection:
        its = sa.update(reports).where(reports.c.submission_id == submission)
        connection.execute(its.values(by_facet=json.encode(kept).decode()))
    (row,) = client.get("/v1/leaderboards/trio").json()["rows"]
    assert [(part["value"], part["score"], part["items"]) for part in row["by_facet"]] == [
        ("blue", 0.65, 20),
        ("red", 0.85, 20),
    ]
    assert re.search(r"75\.0 65 20 items 85 20 items", page_of(client, "/boards/trio").text)


def test_a_board_says_how_far_a_row_is_from_a_rank_and_what_the_operator_took_out(
    client: Client, board_of_two: Team, team: Team, scoring: Scoring, operator: Operator
) -> None:
    third = Team.registered(client, "third-team")
    few, spoiled = finished(third, size=8), finished(third, size=8)
    scoring.score(third, few)
    operator.post("rows/hide", team="team-one", model="model-one", benchmark="trio", reason="answers were leaked")
    operator.post(f"submissions/{spoiled}/void", reason="the bank was broken")
    text = page_of(client, "/boards/trio?all=1").text
    assert "ranks begin at 10 counted items" in text
    assert "2 more items give it a rank" in text
    assert re.search(r"model-one team-one withdrawn, .* answers were leaked", text)
    assert re.search(rf"third-team void: {spoiled} the bank was broken", text)


def test_html_in_a_document_is_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "odd.md").write_text("# Odd\n\n<script>alert(1)</script>\n\nOne <b>word</b>.")
    monkeypatch.setattr(manual, "FOLDER", tmp_path)
    page = Page(str(manual.write_html("odd", "")[1]))
    assert "<script>alert(1)</script>" in page.text
    assert {"script", "b"} & {tag for tag, _ in page.tags} == set()


def test_a_page_that_a_browser_has_is_not_sent_again(client: Client, board_of_two: Team) -> None:
    first = client.get("/boards/trio", headers=BROWSER)
    again = client.get("/boards/trio", headers={**BROWSER, "If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get("/boards/trio", headers=board_of_two.headers).headers["cache-control"] == "private, no-store"


def test_the_policy_lets_no_page_run_or_show_what_is_not_from_here(client: Client) -> None:
    policy = client.get("/boards/trio").headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert "frame-ancestors 'none'" in policy


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/boards/trioo", 404, "the board of Trio"),
        ("/boards/trio?track=nowhere", 422, "track"),
        ("/nowhere?a=1", 404, "Nothing is at the address /nowhere?a=1"),
        ("/puzzles/trio/itm_none", 404, "no practice item"),
    ],
)
def test_an_error_is_a_page_where_a_browser_asks(client: Client, path: str, status: int, words: str) -> None:
    client.get("/boards")  # the cards are known
    reply = client.get(path, headers=BROWSER)
    assert reply.status_code == status
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    assert words in Page(reply.text).text
    assert client.get(path).headers["content-type"] == "application/problem+json"


def test_the_api_answers_a_browser_with_json_all_the_same(client: Client) -> None:
    for path in ("/v1/nowhere", "/v1/leaderboards/nowhere", "/health/nowhere"):
        assert client.get(path, headers=BROWSER).headers["content-type"] == "application/problem+json"


def test_a_page_of_a_submission_is_shown_to_whom_the_api_shows_its_report(
    client: Client, team: Team, scoring: Scoring
) -> None:
    other = Team.registered(client, "other-team")
    public, private = finished(team), finished(team, visibility="private")
    for submission in (public, private):
        scoring.score(team, submission)
    callers: list[dict[str, str]] = [{}, team.headers, other.headers, {"Authorization": "Bearer tetrad_none"}]
    statuses = set()
    for submission in (public, private, team.open(), "sub_" + "0" * 32):
        for headers in callers:
            api = client.get(f"/v1/submissions/{submission}/report", headers=headers)
            page = client.get(f"/submissions/{submission}", headers={**BROWSER, **headers})
            assert page.status_code == api.status_code, (submission, headers)
            statuses.add(page.status_code)
            if api.status_code == 200:
                assert api.json()["seed"] in Page(page.text).text
                assert f"{100 * api.json()['headline']['value']:.1f}" in Page(page.text).text
            else:
                assert api.json()["detail"][1:] in Page(page.text).text
    assert statuses == {200, 401, 404, 409}


def test_a_models_page_lists_to_each_caller_what_the_api_lets_it_read(
    client: Client, team: Team, scoring: Scoring
) -> None:
    other = Team.registered(client, "other-team")
    public, private = finished(team), finished(team, visibility="private")
    for submission in (public, private):
        scoring.score(team, submission)
    unscored = team.open()
    address = "/models/team-one/model-one"
    for headers, seen in (({}, {public}), (other.headers, {public}), (team.headers, {public, private})):
        links = set(page_of(client, address, **headers).links)
        for submission in (public, private, unscored):
            api = client.get(f"/v1/submissions/{submission}/report", headers=headers).status_code == 200
            assert (f"/submissions/{submission}" in links) == api == (submission in seen)
    assert client.get("/models/team-one/nobody", headers=BROWSER).status_code == 404


def test_a_hostile_reply_is_text_beside_what_was_extracted(client: Client, team: Team, scoring: Scoring) -> None:
    submission = team.open(size=4)
    reply = '<script>alert(1)</script><img src="data:image/svg+xml,x" onerror="alert(2)">\x1b[31m A'
    answers = [{"item": item, "question": "what-0", "response": reply} for item in range(4)]
    assert len(team.questions(submission)) == 4
    assert team.seal(submission, *answers).status_code == 200
    team.post(f"/v1/submissions/{submission}/finish")
    scoring.score(team, submission, verdict="incorrect")
    page = page_of(client, f"/submissions/{submission}")
    assert page.text.count("<script>alert(1)</script><img src=") == 4
    assert [attributes["src"] for tag, attributes in page.tags if tag == "script"] == ["/files/enlarge.js"]


def turns(client: Client, address: str, *, right: bool) -> Iterator[Page]:
    """Answer an item question by question, by the buttons of its pages; yield each page that follows."""
    page = page_of(client, address)
    while buttons := [attributes for tag, attributes in page.tags if tag == "button" and "value" in attributes]:
        hidden = {
            str(attributes["name"]): str(attributes["value"] or "")
            for tag, attributes in page.tags
            if tag == "input" and attributes.get("type") == "hidden"
        }
        [action] = {attributes["action"] for tag, attributes in page.tags if tag == "form"}
        for button in buttons if right else buttons[:1]:
            params = {**hidden, str(button["name"]): str(button["value"])}
            followed = Page(client.get(action or "", params=params, headers=BROWSER).text)
            if not right or not re.search(r"Wrong\.|Not \(", followed.text):
                break
        page = followed
        yield page


def test_an_item_is_played_without_scripts_stage_by_stage(client: Client) -> None:
    *_, last = turns(client, "/play/trio?seed=3", right=True)
    assert "It follows from the seed." in last.text
    assert "1 of 1 right." in last.text
    [following] = [link for link in last.links if "offset=1" in link]
    assert "is right." in last.text
    assert page_of(client, following).text.count("It follows") == 0, "the next item tells nothing yet"


def test_the_explorer_s_chips_say_how_many_items_there_are_of_a_kind(client: Client) -> None:
    counted = client.get("/v1/benchmarks/trio/items?seed=3&limit=1").json()
    page = page_of(client, "/puzzles/trio?seed=3")
    for value, number in counted["counts"]["parity"].items():
        assert f"{value} ({number})" in page.text
    assert f"among each {counted['counted']} " in page.text


def test_an_items_page_tells_no_answer_before_it_is_given(client: Client) -> None:
    item = client.get("/v1/benchmarks/trio/items?seed=3&limit=1").json()["items"][0]
    solution = client.get(item["solution_url"]).json()
    page = page_of(client, f"/puzzles/trio/{item['id']}")
    assert solution["explanation"] not in page.text
    *_, last = turns(client, f"/puzzles/trio/{item['id']}", right=False)
    assert solution["explanation"] in last.text
    assert [f"item {number}" in last.text for number in range(1, 5)] == [True] * 4, "the next items of its seed follow"


def test_the_first_page_comes_while_the_generator_is_away(settings: ApiSettings) -> None:
    with client_of(replace(settings, generator_url="http://127.0.0.1:9")) as client:
        page = page_of(client, "/")
    assert "does not answer" in page.text


def test_the_client_is_installed_from_the_wheel_of_this_instance(client: Client) -> None:
    wheel = client.get("/v1/versions").json()["client"]
    for path in ("/", "/boards/trio"):
        assert f'pip install "tetrad @ {wheel["url"]}#sha256={wheel["sha256"]}"' in page_of(client, path).text


def test_crawlers_are_told_to_read_pages_and_boards_and_to_draw_no_items(client: Client) -> None:
    reply = client.get("/robots.txt")
    assert reply.headers["content-type"].startswith("text/plain")
    rules = RobotFileParser()
    rules.parse(reply.text.splitlines())
    reads = {path: rules.can_fetch("AnyBot", path) for path in ("/", "/docs", "/boards/trio", "/v1/leaderboards/trio")}
    draws = ("/v1/benchmarks/trio/items?limit=1", "/v1/items/x", "/v1/items/x/images/y", "/v1/submissions/z/items")
    drawn = any(rules.can_fetch("AnyBot", path) for path in (*draws, "/puzzles/trio?seed=4", "/play/trio"))
    assert (all(reads.values()), drawn) == (True, False)


@pytest.mark.parametrize(
    ("path", "document"), [("/reference", "openapi.json"), ("/reference/operators", "operators.json")]
)
def test_the_reference_has_each_operation_and_field_of_its_document_under_an_address(
    client: Client, path: str, document: str
) -> None:
    page, described = page_of(client, path), client.get(f"/schema/{document}").json()
    schemas = described["components"]["schemas"]
    operations = [operation for below in described["paths"].values() for operation in below.values()]
    addresses = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert {*schemas, *(operation["operationId"] for operation in operations)} <= set(addresses)
    assert len(set(addresses)) == len(addresses)
    text = plain(page.text)
    told = [below["description"] for schema in schemas.values() for below in schema.get("properties", {}).values()]
    told += [below["description"] for operation in operations for below in operation.get("parameters", ())]
    assert [about for about in told if plain(about) not in text] == []
    links = {
        link.removeprefix("#") for tag, attributes in page.tags if (link := attributes.get("href") or "")[:1] == "#"
    }
    assert links <= {*addresses}


def plain(text: str) -> str:
    """Return a text without marks of code and without space."""
    return re.sub(r"[`\s]+", "", text)


def test_the_stylesheet_is_small(client: Client) -> None:
    assert 10_000 < len(client.get("/files/tetrad.css").content) < 20_000


def test_no_other_file_is_served(client: Client) -> None:
    for name in ("redoc.js", "..%2fpages.py", "__init__.py"):
        assert client.get(f"/files/{name}").status_code == 404


def test_head_is_answered_as_get_without_the_body(client: Client, team: Team) -> None:
    for path in (
        "/",
        "/boards/trio",
        "/reference",
        "/v1/benchmarks",
        "/health/live",
        "/schema/openapi.json",
        "/v1/nowhere",
    ):
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
