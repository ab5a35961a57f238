"""On an instance with data every link of every page leads to something, to a page where one is promised, and every
picture of every page has its width and its height.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import unescape

import httpx
import pytest

from tests.answering import open_questions, register, wait_scored
from tests.instance import Instance
from tests.page_addresses import every_address, split_address
from tests.signed_in import BROWSER, Person
from tetrad.client import Client
from tetrad.contracts.answers import Answer
from tetrad.contracts.submissions import SubmissionRequest

DATA = ("/v1/", "/schema/", "/health/", "/files/", "/client/")
FILES = ("/csv", "/json", "/svg")
LINK = re.compile(r'href="(/[^"#]*)')
PICTURE = re.compile(r"<img\b[^>]*>")
SIZE = re.compile(r' (?:width|height)="[1-9]\d*"')
LEAST_PICTURES = 50  # of all pages


@dataclass(frozen=True)
class Site:
    submission: str
    hostile: str
    item: str


@pytest.fixture(scope="module")
def keys(instance: Instance) -> dict[str, str]:
    with instance.client() as anyone:
        return {who: anyone.register_team(f"{who}-team").key for who in ("first", "other", "empty")}


@pytest.fixture(scope="module")
def site(instance: Instance, keys: dict[str, str]) -> Site:
    with instance.client(keys["first"]) as first, instance.client(keys["other"]) as other:
        submission, hostile = answer(first, "guesser"), answer(other, "hostile")
        page = first.practice("kiva", setting="extrapolation-only", seed="3", limit=1)
    return Site(submission, hostile, page.items[0].id)


def answer(team: Client, model: str) -> str:
    """Open a small submission, answer whatever opens with its first option, and wait for its report."""
    register(team, model)
    opened = team.open_submission(SubmissionRequest(benchmark="kiva", model=model, size=6))
    state = "open"
    while state == "open" and (waiting := list(open_questions(team, opened.id))):
        chosen = [(asked, asked.question.options[0].label) for asked in waiting]
        answers = [Answer(item=asked.item, question=asked.question.id, answer=label) for asked, label in chosen]
        state = team.seal(opened.id, answers).state
    wait_scored(team, opened.id)
    return opened.id


def faults_of_links(client: httpx.Client, links: dict[str, str], headers: dict[str, str]) -> list[tuple[str, str]]:
    """Return the links that lead nowhere, and those that give data where a page is promised, with what they gave."""
    faults = []
    for link, address in links.items():
        reply = client.get(link, headers=headers)
        is_unmade = reply.status_code == 503 and "track=" in link  # a track whose pictures this instance lacks
        is_data = link.startswith(DATA) or link.partition("?")[0].endswith(FILES)
        kind = reply.headers.get("content-type", "")
        if (reply.status_code != 200 and not is_unmade) or not (is_data or kind.startswith("text/html")):
            faults.append((f"{address} -> {link}", f"{reply.status_code} {kind}"))
    return faults


@pytest.fixture(scope="module")
def people(instance: Instance, keys: dict[str, str]) -> dict[str, dict[str, str]]:
    """Return the headers of who has signed in."""
    with httpx.Client(base_url=instance.url, headers=BROWSER, timeout=60) as client:
        return {who: Person.signed_in(client, keys[who], instance.url).headers for who in ("first", "empty")}


@pytest.fixture(scope="module")
def pages(instance: Instance, site: Site, people: dict[str, dict[str, str]]) -> Mapping[str, str]:
    """Return the text of every page by its address."""
    found = {}
    with httpx.Client(base_url=instance.url, headers=BROWSER, timeout=60, follow_redirects=True) as client:
        for address in every_address(site):
            who, path = split_address(address)
            client.cookies.clear()
            found[address] = client.get(path, headers=people.get(who, {})).text
    return found


def test_every_link_of_every_page_leads_to_a_page(
    instance: Instance, pages: Mapping[str, str], people: dict[str, dict[str, str]]
) -> None:
    links: dict[str, str] = {}
    for address, text in pages.items():
        for link in LINK.findall(text):
            links.setdefault(unescape(link), address)
    assert len(links) > 150
    with httpx.Client(base_url=instance.url, headers=BROWSER, timeout=60, follow_redirects=True) as client:
        assert faults_of_links(client, links, people["first"]) == []


def test_every_picture_of_every_page_has_its_width_and_its_height(pages: Mapping[str, str]) -> None:
    pictures = [(address, picture) for address, text in pages.items() for picture in PICTURE.findall(text)]
    assert len(pictures) >= LEAST_PICTURES
    assert [found for found in pictures if len(SIZE.findall(found[1])) != 2] == []


def test_a_link_that_leads_nowhere_or_to_data_is_found(instance: Instance) -> None:
    planted = {"/boards/nowhere": "a page", "/robots.txt": "a page", "/boards": "a page"}
    with httpx.Client(base_url=instance.url, headers=BROWSER, timeout=60) as client:
        found = [words for words, _ in faults_of_links(client, planted, {})]
    assert found == ["a page -> /boards/nowhere", "a page -> /robots.txt"]
