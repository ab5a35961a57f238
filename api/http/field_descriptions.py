"""Descriptions of the fields of wire types: the text that stands under each field, in the code.

Python forgets such a text, so it is read from the source. It stands alone because nothing else of the document looks at
source: what a field is, msgspec knows.
"""

import ast
import inspect
import sys
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from types import ModuleType

import msgspec


def describe_fields(kind: type[msgspec.Struct]) -> dict[str, str]:
    """Return the description of each field of a wire type by its name on the wire; those without one are left out.

    An inherited field has the text of the class that declares it.
    """
    texts: dict[str, str] = {}
    for declaring in reversed(kind.__mro__):
        module = sys.modules[declaring.__module__]
        if issubclass(declaring, msgspec.Struct) and hasattr(module, "__file__"):
            texts |= _texts_of(module).get(declaring.__name__, {})
    described = {field.encode_name: texts[field.name] for field in msgspec.structs.fields(kind) if field.name in texts}
    config = kind.__struct_config__
    if config.tag_field is not None:
        described[config.tag_field] = f"Tells the kinds of this value apart: always {config.tag} here."
    return described


@lru_cache(maxsize=64)
def _texts_of(module: ModuleType) -> dict[str, dict[str, str]]:
    """Return the texts under the fields of a module's classes, by class and field."""
    tree = ast.parse(inspect.getsource(module))
    return {node.name: dict(_pair_texts(node)) for node in tree.body if isinstance(node, ast.ClassDef)}


def _pair_texts(class_body: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for pair in pairwise(class_body.body):
        match pair:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, " ".join(inspect.cleandoc(text).split())
