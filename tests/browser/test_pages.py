"""All pages in Chromium: nothing that axe finds, no page wider than its window, each of use without scripts."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route

from tests.browser.conftest import HOSTILE_TITLE, TAGS, Site, cookies_of, watched
from tests.page_addresses import addresses, every_address, split_address
from tests.unit.tetrad.ci.test_gates_of_ci import result, three, wrong_answer
from tetrad.ci.page import html_page
from tetrad.cli.team.report_files import write_report_file

NARROW, WIDE = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
WIDTHS = (320, 390, 768, 1280, 1920)
TARGET = 44  # pixels of what a finger meets in play
LATE_SECONDS = 0.04  # of each picture, one after the other
LEAST_SHIFT = 0.005  # of the layout: less is seen by nobody (the web's vitals call 0.1 good)
SHIFTS = """window.shifted = 0; new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.shifted += entry.hadRecentInput ? 0 : entry.value;
}).observe({ type: "layout-shift", buffered: true });"""


def cookies_by_name(site: Site) -> dict[str, list[Any]]:
    return {"": [], "first": cookies_of(site, site.key), "empty": cookies_of(site, site.empty)}


@contextmanager
def tabs(browser: Browser, site: Site, **options: Any) -> Iterator[Callable[[str], Page]]:
    """Yield a function that opens an address in the tab of whom it names."""
    contexts = {who: browser.new_context(**options) for who in ("", "first", "empty")}
    for who, cookies in cookies_by_name(site).items():
        contexts[who].add_cookies(cookies)
    pages = {who: context.new_page() for who, context in contexts.items()}

    def open_page(address: str) -> Page:
        who, path = split_address(address)
        pages[who].goto(site.url + path)
        return pages[who]

    yield open_page
    for context in contexts.values():
        context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("window", [WIDE, NARROW], ids=["wide", "narrow"])
def test_axe_finds_nothing_of_any_impact(browser: Browser, site: Site, window: Any, scheme: Any) -> None:
    found = {}
    axe = Axe()
    with tabs(browser, site, viewport=window, color_scheme=scheme) as open_page:
        for address in every_address(site):
            violations = axe.run(open_page(address)).response["violations"]
            if violations:
                found[address] = [
                    (violation["id"], violation["impact"], [node["html"][:160] for node in violation["nodes"]][:3])
                    for violation in violations
                ]
    assert found == {}


def test_no_page_is_wider_than_its_window_and_none_breaks_its_policy(browser: Browser, site: Site) -> None:
    too_wide, cookies = [], cookies_by_name(site)
    for address in every_address(site):
        is_error = address in addresses(site)["errors"]
        who, path = split_address(address)
        with watched(browser, site, is_error=is_error, cookies=cookies[who]) as page:
            page.goto(site.url + path)
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 800})
                over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                too_wide += [(address, width, over)] if over > 0 else []
    assert too_wide == []


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/puzzles/marvel?seed=3",
        "/benchmarks/marvel",
        "/play/kiva?seed=3",
        "/play/marvel?seed=3",
        "/play/carv?seed=3",
        "/play/visanalog?seed=3&setting=oracle",
    ],
)
def test_nothing_moves_when_pictures_come_late(browser: Browser, site: Site, path: str) -> None:
    def come_late(route: Route) -> None:
        time.sleep(LATE_SECONDS)
        route.continue_()

    context = browser.new_context(viewport={"width": 390, "height": 844})
    context.add_init_script(SHIFTS)
    page = context.new_page()
    page.route("**/images/**", come_late)
    page.goto(site.url + path)
    page.wait_for_load_state("networkidle")
    assert page.evaluate("[...document.images].filter(image => image.naturalWidth).length") > 0
    assert page.evaluate("window.shifted") < LEAST_SHIFT
    context.close()


def test_each_page_says_what_it_is_without_scripts(browser: Browser, site: Site) -> None:
    with tabs(browser, site, java_script_enabled=False) as open_page:
        for address in every_address(site):
            page = open_page(address)
            assert page.locator("h1").count() == 1, address
            assert page.locator("main").inner_text().strip(), address
            assert page.title().endswith(("Tetrad", "benchmarks")), address


def test_an_item_is_solved_from_the_front_page_by_keyboard_alone(page: Page, site: Site) -> None:
    page.goto(site.url)
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('option')"):
            break
    page.keyboard.press("Enter")
    page.wait_for_selector(".feedback")
    assert page.evaluate("document.activeElement.id") == "next"
    page.keyboard.press("Enter")
    page.wait_for_selector("button.option")


def test_play_goes_on_by_keys_and_counts_what_was_right(page: Page, site: Site) -> None:
    page.goto(f"{site.url}/play/kiva?setting=extrapolation-only&seed=3")
    for turn in (1, 2, 3):
        page.wait_for_selector("button.option")
        page.keyboard.press("b")
        page.wait_for_selector(".feedback")
        assert f"of {turn} right" in page.locator("main").inner_text()
        page.keyboard.press("Enter")
        page.wait_for_url(f"**offset={turn}**")
    page.wait_for_selector("button.option")
    page.go_back()
    page.wait_for_selector(".feedback")
    assert "of 3 right" in page.locator("main").inner_text()


def test_play_is_solved_by_touch_and_its_targets_are_large_enough(browser: Browser, site: Site) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(f"{site.url}/play/kiva?setting=extrapolation-only&seed=3")
    boxes = [option.bounding_box() for option in page.locator("button.option").all()]
    assert len(boxes) > 1
    assert all(box and min(box["width"], box["height"]) >= TARGET for box in boxes), boxes
    page.locator("button.option").nth(1).tap()
    page.wait_for_selector(".feedback")
    page.locator("#next").tap()
    page.wait_for_url("**offset=1**")
    context.close()


def test_a_broken_connection_loses_no_answer(page: Page, site: Site) -> None:
    page.goto(f"{site.url}/play/kiva?setting=extrapolation-only&seed=3")
    page.context.set_offline(True)
    page.keyboard.press("a")
    page.get_by_text("could not be reached").wait_for()
    page.context.set_offline(False)
    page.keyboard.press("a")
    page.wait_for_selector(".feedback")


def test_a_person_gets_from_the_board_to_a_picture_of_a_wrong_answer(page: Page, site: Site) -> None:
    page.goto(site.url)
    page.get_by_role("link", name="Board", exact=True).nth(1).click()
    assert page.locator("h1").inner_text().startswith("KiVA")
    page.goto(f"{site.url}/submissions/{site.submission}?stage=which")
    page.locator(".wrong a[data-enlarge]").first.click()
    assert page.locator("dialog img").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("dialog").is_visible()


def test_a_hostile_reply_is_seen_and_does_nothing(page: Page, site: Site) -> None:
    page.goto(f"{site.url}/submissions/{site.hostile}")
    replies = page.locator("pre.reply")
    said = replies.first.text_content() or ""
    assert all(part in said for part in (TAGS, "data:text/html", "\u202e", "w" * 200))
    assert page.locator("pre.reply").locator("script, img, svg, a").count() == 0


def test_a_hostile_title_of_a_team_and_of_a_model_is_seen_and_does_nothing(browser: Browser, site: Site) -> None:
    with watched(browser, site, cookies=cookies_of(site, site.evil)) as page:
        page.set_viewport_size({"width": 320, "height": 800})
        page.goto(f"{site.url}/team")
        assert page.locator("h1").text_content() == HOSTILE_TITLE
        assert page.locator("#models td").first.text_content() == HOSTILE_TITLE
        assert page.locator("h1, #models td").locator("script, img, svg, a").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_a_whole_play_works_without_scripts(browser: Browser, site: Site) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site.url}/play/kiva?seed=3")
    for _ in range(3):
        if page.locator(".feedback").count():
            break
        page.locator("button.option").first.click()
    assert page.locator(".feedback").count() == 1
    page.get_by_role("link", name="Next puzzle").click()
    assert page.locator("button.option").count() > 1
    context.close()


def test_a_report_and_the_page_of_a_gate_as_one_file_enlarge_pictures_and_ask_nothing(
    browser: Browser, site: Site, tmp_path: Path
) -> None:
    with site.instance.client() as client:
        texts = [
            write_report_file(client, site.submission, client.report(site.submission)),
            html_page(result(three()), [wrong_answer()]),
        ]
    for text in texts:
        file = tmp_path / "report.html"
        file.write_text(text, "utf-8")
        with watched(browser, site) as page:
            page.goto(file.as_uri())
            page.locator("[data-enlarge]").first.click()
            assert page.locator("dialog img").is_visible()
            page.keyboard.press("Escape")
            assert Axe().run(page).response["violations"] == []
