"""Our own documents as pages: Markdown of the folder `docs`, rendered without raw HTML."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from litestar import Request, Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from api.context import AppContext
from api.errors import not_found
from api.pages.frame import PAGE, Frame, at, page_response, render
from tetrad.reporting.pages.stacking import stack_tables
from tetrad.versions import ROOT

FOLDER = ROOT / "docs"
INDEX = "README"
LEFT_OUT = frozenset({"gallery"})  # a page of pictures that the image lacks
NOT_IN_ANCHORS = re.compile(r"[^\w\- ]")
REGION = '<div class="region" role="group" aria-label="Table" tabindex="0"><table>\n'


@dataclass(frozen=True, kw_only=True)
class DocumentView:
    title: str
    body: Markup
    names: tuple[tuple[str, str], ...]
    name: str


@get("/docs", include_in_schema=False, opt=PAGE, sync_to_thread=True)
def docs_page(context: NamedDependency[AppContext], request: Request[Any, Any, Any]) -> Response[Any]:
    return show_document(context, request, INDEX)


@get("/docs/{name:str}", include_in_schema=False, opt=PAGE, sync_to_thread=True)
def document_page(
    context: NamedDependency[AppContext], request: Request[Any, Any, Any], name: FromPath[str]
) -> Response[Any]:
    """Show one document.

    Raises:
        NotFoundError: there is none of this name.
    """
    return show_document(context, request, name)


def show_document(context: AppContext, request: Request[Any, Any, Any], name: str) -> Response[Any]:
    if name not in documents():
        raise not_found("document", name)
    root = context.settings.root
    title, body = write_html(name, root)
    names = tuple((known, title_of(known)) for known in documents() if known != INDEX)
    view = DocumentView(title=title, body=body, names=names, name=name)
    frame = Frame(root=root, title=f"{title} · Tetrad", tab="docs")
    return page_response(request, render(request, "document.html", frame, view))


@lru_cache(maxsize=1)
def documents() -> tuple[str, ...]:
    """Return the names of the documents that are served."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.md") if path.stem not in LEFT_OUT))


@lru_cache(maxsize=64)
def title_of(name: str) -> str:
    """Return a document's first heading."""
    first = (FOLDER / f"{name}.md").read_text("utf-8").lstrip().partition("\n")[0]
    return first.lstrip("# ").replace("`", "")


@lru_cache(maxsize=64)
def write_html(name: str, root: str) -> tuple[str, Markup]:
    """Return a document's title, and its HTML. Links lead to other documents here, or nowhere."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.add_render_rule("table_open", lambda *_: REGION)
    parser.add_render_rule("table_close", lambda *_: "</table></div>\n")
    parser.add_render_rule("image", lambda *given: str(Markup.escape(given[1][given[2]].content)))
    tokens = parser.parse((FOLDER / f"{name}.md").read_text("utf-8"))
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrSet("id", anchor_of(tokens[place + 1].content))
        if token.type == "inline" and token.children:
            lead_links(token.children, root)
    html = parser.renderer.render(tokens, parser.options, {}).replace("<pre>", '<pre tabindex="0">')
    return title_of(name), stack_tables(html)  # raw HTML is off


def anchor_of(heading: str) -> str:
    """Return a heading's anchor as links in the documents write it."""
    return NOT_IN_ANCHORS.sub("", heading.lower()).strip().replace(" ", "-")


def lead_links(tokens: Sequence[Token], root: str) -> None:
    """Turn links to documents into addresses here; what leads to a file of the repository is text alone."""
    is_open = True
    for token in tokens:
        if token.type == "link_open":
            href = address_of(str(token.attrGet("href") or ""), root)
            is_open = href is not None
            if href is None:
                token.tag, token.attrs = "span", {}
            else:
                token.attrSet("href", href)
        elif token.type == "link_close" and not is_open:
            token.tag = "span"


def address_of(href: str, root: str) -> str | None:
    path, mark, anchor = href.partition("#")
    if href.startswith(("https://", "#")):
        return href
    name = Path(path).stem
    if "/" in path or not path.endswith(".md") or name not in documents():
        return None
    address = at(root, "docs") if name == INDEX else at(root, "docs", name)
    return f"{address}{mark}{anchor}"


HANDLERS = [docs_page, document_page]
