"""Tables that a phone shows row by row, as blocks: before each value stands the word of its column's head.

A style can show that word once a cell carries it. It stands apart from the templates, for documents have tables, too.
"""

import re

from markupsafe import Markup

TAG = re.compile(r"<(/?)(table|thead|tbody|tr|th|td)\b([^>]*)>")
ANY_TAG = re.compile(r"<[^>]*>")
SPAN = re.compile(r'colspan="(\d+)"')
CLASS = re.compile(r'class="([^"]*)"')
DRAWN = frozenset({"plot", "wide", "bar-cell"})
"""Classes of cells that hold a drawing: it needs no word."""
ROLES = {"thead": "rowgroup", "tbody": "rowgroup", "tr": "row", "th": "columnheader"}


def stack_tables(html: str) -> Markup:
    """Return HTML of ours whose tables are of the class `stack`, each cell with the word of its head.

    Roles stand at all parts, for what is shown as a block is no table to a screen reader otherwise.
    """
    heads: list[str] = []
    is_head, column, done, head_begins = False, 0, 0, 0
    parts = []
    for tag in TAG.finditer(html):
        closes, name, attributes = tag.groups()
        parts.append(html[done : tag.start()])
        done = tag.end()
        if name == "thead":
            is_head = not closes
            heads = heads if closes else []
        elif name == "tr":
            column = 0
        elif name == "th" and is_head and closes:
            heads.append(ANY_TAG.sub("", html[head_begins : tag.start()]).strip())
        if closes:
            parts.append(tag.group())
            continue
        head_begins = tag.end()
        if name in {"td", "th"} and not is_head:
            parts.append(_cell(name, attributes, heads[column : column + 1]))
            spanned = SPAN.search(attributes)
            column += 1 if spanned is None else int(spanned[1])
        elif name == "table":
            parts.append(f'<table{_with_class(attributes)} role="table">')
        else:
            parts.append(f'<{name}{attributes} role="{ROLES[name]}">')
    return Markup("".join([*parts, html[done:]]))  # noqa: S704 - its texts were escaped before


def _cell(name: str, attributes: str, head: list[str]) -> str:
    found = CLASS.search(attributes)
    classes = set() if found is None else set(found[1].split())
    is_plain = "colspan" not in attributes and not classes & DRAWN and (name == "td" or "n" in classes)
    word = f' data-h="{head[0].replace(chr(34), "&quot;")}"' if head and is_plain else ""
    return f'<{name}{attributes}{word} role="{"cell" if name == "td" else "rowheader"}">'


def _with_class(attributes: str) -> str:
    found = CLASS.search(attributes)
    if found is None:
        return f'{attributes} class="stack"'
    return f"{attributes[: found.start(1)]}stack {attributes[found.start(1) :]}"
