"""A person's way through the pages, with scripts and without: from the front page to the end of an evaluation."""

import time

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import Site, watched

PATIENCE_SECONDS = 120
ITEMS = 6


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_person_plays_reads_compares_signs_in_and_sees_an_evaluation_end(
    browser: Browser, site: Site, *, scripts: bool
) -> None:
    with watched(browser, site, java_script_enabled=scripts) as page:
        page.goto(site.url)
        play_three(page)
        read_a_report(page)
        page.get_by_role("link", name="Your team").click()
        page.get_by_label("API key").fill(site.key)
        page.get_by_role("button", name="Sign in").click()
        assert page.locator("h1").inner_text() == "first-team"
        start_evaluation(page)
        see_it_end(page, scripts=scripts)
        page.get_by_role("button", name="leave").click()
        page.get_by_label("API key").wait_for()


def play_three(page: Page) -> None:
    page.get_by_role("link", name="Play on").click()
    for _ in range(3):
        page.locator("button.option").first.click()
        page.locator(".feedback").wait_for()
        page.get_by_role("link", name="Next puzzle").click()
        page.locator("button.option").first.wait_for()


def read_a_report(page: Page) -> None:
    """Go from a board to a report, its wrong answers, and a comparison."""
    page.get_by_role("link", name="Boards").click()
    page.get_by_role("link", name="Board", exact=True).first.click()
    page.goto(page.url.partition("/boards")[0] + "/boards/kiva")
    board = page.get_by_role("region", name="Board", exact=True)
    board.get_by_role("link", name="guesser", exact=True).click()
    page.get_by_role("table", name="Newest first").locator("tbody a").first.click()
    assert "on KiVA" in page.locator("h1").inner_text()
    page.locator("article.wrong, .wrong").first.wait_for()
    page.get_by_role("link", name="compare", exact=True).click()
    page.get_by_label("b", exact=True).select_option(index=1)
    page.get_by_role("button", name="Compare").click()
    page.get_by_text("Could it tell?").wait_for()


def start_evaluation(page: Page) -> None:
    page.get_by_role("link", name="Evaluate a model").click()
    page.get_by_label("Model").select_option("random")
    page.get_by_label("Board").select_option("kiva|kiva|full")
    page.get_by_label("Items").fill(str(ITEMS))
    page.get_by_role("button", name="See what it takes").click()
    takes = page.get_by_role("heading", name="What it takes").locator("..").inner_text()
    assert f"of {ITEMS} items will count: too few for a rank, which needs 200" in takes
    assert "nothing: calls of these models are not billed" in takes
    page.get_by_role("button", name="Start it").click()
    page.locator("#running").get_by_text("random@service").first.wait_for()


def see_it_end(page: Page, *, scripts: bool) -> None:
    """Wait for the end: a page with scripts shows it by itself, another one once it is loaded again."""
    end = time.monotonic() + PATIENCE_SECONDS
    none_going = page.locator("#live[data-going='0']")
    while not none_going.count():
        assert time.monotonic() < end, page.locator("#running").inner_text()
        page.wait_for_timeout(500)
        if not scripts:
            page.reload()
    page.get_by_role("link", name="complete: report").first.click()
    assert "random@service" in page.locator("h1").inner_text()
