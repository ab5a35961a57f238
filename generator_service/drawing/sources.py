"""What code does, as text: comments, docstrings and layout don't count, so that mending them makes nothing stale."""

import ast
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from tetrad.canonical import hexdigest


@lru_cache(maxsize=256)  # one process asks for the same modules again with every bank it opens
def meaning_of(code: str) -> str:
    """Return a module's code without comments, docstrings and layout."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.dump(tree)


def source_digest(modules: Iterable[Path]) -> str:
    """Hash what the code in these files does, names included: 64 hex digits."""
    return hexdigest([[path.name, meaning_of(path.read_text("utf-8"))] for path in modules])
