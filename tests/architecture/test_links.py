"""Every link of a document leads to a file, and to a heading where it names one; docs/README.md leads to all pages."""

import re
from pathlib import Path

import pytest

from tests.architecture.test_named_places import DOCUMENTS, ROOT, named

LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)(?:#([^)]+))?\)|\]\(#([^)]+)\)")
PAGES = sorted({*DOCUMENTS, *ROOT.glob("*.md"), *ROOT.glob("deploy/**/*.md")})


def anchors(document: Path) -> set[str]:
    """Return the anchors of the headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def dead_links(document: Path, text: str) -> list[str]:
    dead = []
    for target, anchor, own in LINK.findall(text):
        leads_to = document.parent / target if target else document
        named_anchor = anchor or own
        if not leads_to.exists() or (named_anchor and named_anchor not in anchors(leads_to)):
            dead.append(f"{target}#{named_anchor}" if named_anchor else target)
    return dead


@pytest.mark.parametrize("document", PAGES, ids=named)
def test_every_link_leads_somewhere(document: Path) -> None:
    assert dead_links(document, document.read_text()) == []


@pytest.mark.parametrize("text", ["[a](nowhere.md)", "[a](run.md#nowhere)", "[a](#nowhere)", "[a](../nowhere/)"])
def test_a_link_that_leads_nowhere_is_found(text: str) -> None:
    assert len(dead_links(ROOT / "docs" / "api.md", text)) == 1


def test_the_first_page_of_the_documents_leads_to_every_page() -> None:
    first = ROOT / "docs" / "README.md"
    reached = {(first.parent / target).resolve() for target, *_ in LINK.findall(first.read_text()) if target}
    from_pages = {
        (page.parent / target).resolve()
        for page in reached
        if page.suffix == ".md"
        for target, *_ in LINK.findall(page.read_text())
        if target
    }
    assert {page for page in (ROOT / "docs").glob("*.md") if page != first} - reached - from_pages == set()
