"""An instance with data on its boards, and a real Chromium that looks at it. `make browser` runs these tests alone."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.answering import open_questions, register, wait_scored
from tests.instance import Instance, running
from tests.signed_in import Person
from tetrad.client import Client
from tetrad.contracts.accounts import ModelRequest
from tetrad.contracts.answers import Answer
from tetrad.contracts.submissions import OpenQuestion, SubmissionRequest

SOURCES = Path(__file__).parents[2] / "var" / "sources"
NAMES = ("chromium", "google-chrome", "chromium-browser")
TAGS = '<script>alert(1)</script><svg onload="alert(2)"><img src=x onerror="alert(3)">'
HOSTILE = f"{TAGS} data:text/html,<b> \x1b[31m \u202e {'w' * 200} The answer is ({{}})."
HOSTILE_TITLE = f"{TAGS} javascript:alert(4) ".ljust(200, "w")


def chromium() -> str | None:
    """Return the path of the system's Chromium."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def cookies_of(site: "Site", key: str) -> list[Any]:
    """Sign in with an API key; return the cookies, as Playwright takes them."""
    with httpx.Client(base_url=site.url, timeout=20) as client:
        name, _, value = Person.signed_in(client, key, site.url).cookie.partition("=")
    return [{"name": name, "value": value, "url": site.url, "httpOnly": True, "sameSite": "Strict"}]


@dataclass(frozen=True)
class Site:
    """An instance with scored submissions: of a model with many items, and of one whose replies are hostile.

    `key` is one of the team that has the first, `empty` one of a team that has nothing. `evil` is one of a team with
    a hostile title, which has a model of such a title, too.
    """

    instance: Instance
    submission: str
    hostile: str
    item: str
    key: str
    empty: str
    evil: str

    @property
    def url(self) -> str:
        return self.instance.url


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with running(tmp_path_factory.mktemp("browser") / "home", SOURCES) as instance:
        with instance.client() as anyone:
            key = anyone.register_team("first-team").key
        with instance.client(key) as team, instance.team("other-team") as other:
            rng = Random(1)
            submission = _submit(team, "guesser", 230, lambda asked: _reply(asked, rng))
            _submit(other, "another-guesser-" + "w" * 40, 230, lambda asked: _reply(asked, rng))
            hostile = _submit(other, "hostile", 6, lambda asked: HOSTILE.format(_label(asked, rng)))
        with instance.client() as anyone:
            page = anyone.practice("kiva", setting="extrapolation-only", seed="3", limit=1)
            empty = anyone.register_team("empty-team").key
            evil = anyone.register_team("evil-team", title=HOSTILE_TITLE).key
        with instance.client(evil) as team:
            team.register_model(ModelRequest(name="evil", title=HOSTILE_TITLE))
        yield Site(instance, submission, hostile, page.items[0].id, key, empty, evil)


def _submit(team: Client, model: str, size: int, reply: Callable[[OpenQuestion], str]) -> str:
    """Open a submission, answer whatever opens, and wait for its report."""
    register(team, model)
    opened = team.open_submission(SubmissionRequest(benchmark="kiva", model=model, size=size))
    state = "open"
    while state == "open" and (waiting := list(open_questions(team, opened.id))):
        answers = [Answer(item=asked.item, question=asked.question.id, response=reply(asked)) for asked in waiting]
        state = team.seal(opened.id, answers).state
    wait_scored(team, opened.id)
    return opened.id


def _label(asked: OpenQuestion, rng: Random) -> str:
    return rng.choice([option.label for option in asked.question.options])


def _reply(asked: OpenQuestion, rng: Random) -> str:
    return f"The answer is ({_label(asked, rng)})."


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = chromium()
    assert path is not None, "`make browser` looks for Chromium first"
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=arguments)
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Browser, site: Site) -> Iterator[Page]:
    """A tab at 1280 pixels that fails a test where a page asks another host, alerts, or breaks its own policy."""
    with watched(browser, site) as tab:
        yield tab


class Watched:
    """A tab, and what it did that no page may do."""

    def __init__(
        self, browser: Browser, site: Site, *, is_error: bool = False, cookies: Sequence[Any] = (), **options: Any
    ) -> None:
        self._context = browser.new_context(viewport={"width": 1280, "height": 900}, **options)
        self._context.add_cookies(cookies)
        self._site = site
        self.is_error = is_error
        self.faults: list[str] = []

    def __enter__(self) -> Page:
        page = self._context.new_page()
        page.on("dialog", lambda dialog: self._fault(f"a dialog: {dialog.message}"))
        page.on("request", lambda request: self._look(request.url))
        page.on("console", lambda message: self._fault(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self._fault(str(error)))
        return page

    def __exit__(self, *_: object) -> None:
        self._context.close()
        assert self.faults == []

    def _look(self, url: str) -> None:
        if not url.startswith((self._site.url, "data:", "blob:", "file:")):
            self._fault(f"asks {url}")

    def _fault(self, words: str) -> None:
        excused = ("ERR_FAILED", "ERR_INTERNET", *(("status of 4",) if self.is_error else ()))
        if not any(known in words for known in excused):  # of a test that breaks the connection, or of an error
            self.faults.append(words)


def watched(browser: Browser, site: Site, **options: Any) -> Watched:
    """Return a tab that is watched; `is_error` where the page itself is one, `cookies` of whoever has signed in."""
    return Watched(browser, site, **options)
