"""All pages in Chromium: nothing that axe finds, no page wider than its window, each of use without scripts."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
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
WIDTHS = (320, 390, 768, 1920, 1280)
TARGET = 44  # pixels of what a finger meets in play
LATE_SECONDS = 0.04  # of each picture, one after the other
LEAST_SHIFT = 0.005  # of the layout: less is seen by nobody (the web's vitals call 0.1 good)
PAPER: Any = {"width": 688, "height": 1017}  # A4 at 96 pixels an inch, less the margins of the stylesheet
RULES_OF_COLOURS = ("color-contrast", "link-in-text-block")
EVERY_RULE = {"resultTypes": ["violations"]}
BUT_OF_COLOURS = EVERY_RULE | {"rules": {rule: {"enabled": False} for rule in RULES_OF_COLOURS}}
OF_COLOURS = EVERY_RULE | {"runOnly": list(RULES_OF_COLOURS)}
LOOKS: tuple[tuple[Any, Any, str | None, dict[str, Any]], ...] = (
    (WIDE, "light", None, EVERY_RULE),
    (WIDE, "dark", "[data-look]", OF_COLOURS),
    (NARROW, "light", None, BUT_OF_COLOURS),
    (NARROW, "light", "[data-look]", OF_COLOURS),
    (NARROW, "dark", "[data-look]", OF_COLOURS),
)
AXE = Axe().axe_script
RUN_AXE = "([context, options]) => axe.run(context ?? document, options).then((found) => found.violations)"
LOOKS_OF_LONG: Any = (
    (WIDE, "light", None, BUT_OF_COLOURS),
    (WIDE, "light", "[data-look]", OF_COLOURS),
    *LOOKS[1:],
)
LONG, LONGEST = 5000, "/reference"  # elements of a page; the page that has most
MARK_LOOKS = (Path(__file__).parent / "mark_looks.js").read_text()
PAPER_FAULTS = (Path(__file__).parent / "paper_faults.js").read_text()
SHIFTS = """window.shifted = 0; new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.shifted += entry.hadRecentInput ? 0 : entry.value;
}).observe({ type: "layout-shift", buffered: true });"""
# A picture that is loaded lazily is asked for once it is near the window: each is brought there, one after the other.
EVERY_PICTURE = """async () => {
  for (const image of document.images) {
    image.scrollIntoView({ behavior: "instant" });
    if (!image.complete) await new Promise((resolve) => { image.onload = image.onerror = resolve; });
  }
  for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame);
  return [...document.images].map((image) => image.naturalWidth);
}"""


def cookies_by_name(site: Site) -> dict[str, list[Any]]:
    return {"": [], "first": cookies_of(site, site.key), "empty": cookies_of(site, site.empty)}


@dataclass(frozen=True)
class Seen:
    """What a page does that none may, where it is too wide, what axe finds, and what is amiss on paper."""

    faults: list[str]
    too_wide: list[tuple[int, int]]
    violations: list[tuple[str, str, str, list[str]]]
    unfit_for_paper: list[str]


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(False, id="all but the longest"),
        pytest.param(True, id="the longest", marks=pytest.mark.xdist_group("browser site")),  # beside: it takes long
    ],
)
def seen(request: pytest.FixtureRequest, browser: Browser, site: Site) -> dict[str, Seen]:
    """Load each page once, and look at it at all widths, in both schemes and as it is printed."""
    errors, found = addresses(site)["errors"], {}
    tabs = {who: watched(browser, site, cookies=cookies) for who, cookies in cookies_by_name(site).items()}
    with ExitStack() as stack:
        pages = {who: stack.enter_context(tab) for who, tab in tabs.items()}
        for address in every_address(site):
            who, path = split_address(address)
            if (path == LONGEST) is not request.param:
                continue
            tab, page = tabs[who], pages[who]
            tab.is_error = address in errors
            page.emulate_media(media="screen", color_scheme="light")
            page.goto(site.url + path)
            too_wide = [(width, over) for width in WIDTHS if (over := pixels_beyond(page, width)) > 0]
            found[address] = Seen(tab.faults, too_wide, find_violations(page), find_unfit_for_paper(page))
            tab.faults = []
    assert found, f"no page is at {LONGEST}"
    return found


def pixels_beyond(page: Page, width: int) -> int:
    page.set_viewport_size({"width": width, "height": 900})
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def find_violations(page: Page) -> list[tuple[str, str, str, list[str]]]:
    """Return what axe finds at both widths in both schemes.

    A scheme changes colours alone, and their rules take most of the time. So but for the first look they are asked
    about one of the texts that differ in nothing that they read. On the longest page, the reference, they are asked
    so in the first look, too: the operators' reference is the same page with fewer routes.
    """
    found = []
    page.evaluate(AXE)
    for window, scheme, context, options in LOOKS_OF_LONG if page.locator("*").count() > LONG else LOOKS:
        page.set_viewport_size(window)
        page.emulate_media(color_scheme=scheme)
        page.evaluate(MARK_LOOKS)
        for fault in page.evaluate(RUN_AXE, [context, options]):
            places = [node["html"][:160] for node in fault["nodes"]]
            found.append((f"{window['width']} {scheme}", fault["id"], fault["impact"], places[:3]))
    return found


def find_unfit_for_paper(page: Page) -> list[str]:
    """Return what is wrong with a page as it is printed by somebody who likes the dark, on A4."""
    page.set_viewport_size(PAPER)
    page.emulate_media(media="print", color_scheme="dark")
    return [str(fault) for fault in page.evaluate(PAPER_FAULTS)]


def test_axe_finds_nothing_of_any_impact(seen: dict[str, Seen]) -> None:
    assert {address: page.violations for address, page in seen.items() if page.violations} == {}


def test_no_page_is_wider_than_its_window_and_none_breaks_its_policy(seen: dict[str, Seen]) -> None:
    assert {address: page.too_wide for address, page in seen.items() if page.too_wide} == {}
    assert {address: page.faults for address, page in seen.items() if page.faults} == {}


def test_paper_is_white_and_has_all_but_navigation_and_buttons(seen: dict[str, Seen]) -> None:
    assert {address: page.unfit_for_paper for address, page in seen.items() if page.unfit_for_paper} == {}


def test_a_board_on_paper_tells_where_it_is(page: Page, site: Site) -> None:
    page.goto(f"{site.url}/boards/kiva?conversation=fresh")
    page.emulate_media(media="print")
    link = page.get_by_role("link", name="an address of its own")
    written = link.evaluate("link => getComputedStyle(link, '::after').content")
    assert f"({site.url}/boards/kiva?conversation=fresh)" in written.replace('" "', "")


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
        "/submissions/{submission}?stage=which#wrong",
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
    page.goto(site.url + path.format(submission=site.submission))
    widths = page.evaluate(EVERY_PICTURE)
    assert widths
    assert 0 not in widths, f"{widths.count(0)} of {len(widths)} pictures did not load"
    assert page.evaluate("window.shifted") < LEAST_SHIFT
    context.close()


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
    assert page.evaluate("[document.cookie, localStorage.length, sessionStorage.length]") == ["", 0, 0]
    assert page.context.cookies() == [], "play keeps nothing"


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
    assert page.locator("dialog img[width][height]").is_visible()
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
        page.wait_for_load_state()
    assert page.locator(".feedback").count() == 1
    page.get_by_role("link", name="Next puzzle").click()
    page.wait_for_load_state()
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
            assert page.locator("img:not(dialog img):not([width][height])").count() == 0
            page.locator("[data-enlarge]").first.click()
            assert page.locator("dialog img[width][height]").is_visible()
            page.keyboard.press("Escape")
            assert Axe().run(page).response["violations"] == []
