"""The columns of a row, read from `tetrad.contracts.rows`: their types, and the words that describe them."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import msgspec
from msgspec import inspect

from tetrad.contracts.rows import Row

ColumnKind: TypeAlias = Literal["text", "number", "image", "record"]
IMAGE = "image"
"""The name of the one field that is a picture."""


@dataclass(frozen=True)
class Column:
    """A column, or a field of one. `fields` are those of a record; `many`: a list of these."""

    name: str
    kind: ColumnKind
    many: bool
    description: str
    fields: tuple["Column", ...] = ()

    @property
    def type_words(self) -> str:
        """Say what it holds, for a table."""
        words = {"text": "text", "number": "whole number", "image": "PNG", "record": "record"}[self.kind]
        return f"list of {words}s" if self.many else words


def columns_of(kind: type[msgspec.Struct]) -> tuple[Column, ...]:
    """Return the columns of a struct, in its order."""
    found = inspect.type_info(kind)
    if not isinstance(found, inspect.StructType):
        raise TypeError(f"{kind.__name__} is no struct")
    return tuple(_column(field) for field in found.fields)


def _column(field: inspect.Field) -> Column:
    description = ""
    kind = field.type
    if isinstance(kind, inspect.Metadata):
        description = str((kind.extra_json_schema or {}).get("description", ""))
        kind = kind.type
    many = isinstance(kind, inspect.VarTupleType)
    if isinstance(kind, inspect.VarTupleType):
        kind = kind.item_type
    if isinstance(kind, inspect.UnionType):
        kind = next(member for member in kind.types if not isinstance(member, inspect.NoneType))
    if isinstance(kind, inspect.StructType):
        return Column(field.name, "record", many, description, columns_of(kind.cls))
    if isinstance(kind, inspect.IntType):
        return Column(field.name, "number", many, description)
    return Column(field.name, "image" if field.name == IMAGE else "text", many, description)


COLUMNS = columns_of(Row)


def column_table() -> str:
    """Return a table of all columns in Markdown."""
    lines = ["| column | type | what |", "| --- | --- | --- |"]
    for column in COLUMNS:
        lines.append(f"| `{column.name}` | {column.type_words} | {_cell(column.description)} |")
        lines += [
            f"| `{column.name}.{below.name}` | {below.type_words} | {_cell(below.description)} |"
            for below in column.fields
        ]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
