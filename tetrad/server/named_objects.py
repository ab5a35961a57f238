"""The objects that rows of the api's database name, each with the digest of what was written.

They are listed by plain SQL of both databases, so that a backup can list those of a snapshot without SQLAlchemy. The
name of an object that our services write holds its digest, too: a copy of the store can be checked without a database.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

IN_NAME = re.compile(r"[-/]([0-9a-f]{64})\.[a-z]+$")
AT_ONCE = 100

Rows: TypeAlias = Callable[[str, Mapping[str, object]], Sequence[Any]]
"""Runs SQL with named parameters (`:name`), and returns the rows."""

# Each query gives the row's key, the object's name, and its digest; of a proposal, JSON that holds both.
_QUERIES: Mapping[str, tuple[str, str]] = {
    "reports": ("submission_id", "SELECT submission_id, object, digest FROM reports WHERE {where}"),
    "superseded_reports": (
        "submission_id",
        """SELECT submission_id, object, digest FROM superseded_reports WHERE submission_id IN
        (SELECT submission_id FROM superseded_reports WHERE {where} GROUP BY submission_id {some})""",
    ),
    "submissions": (
        "id",
        "SELECT id, answers_object, answers_digest FROM submissions WHERE answers_object IS NOT NULL AND {where}",
    ),
    "verifications": ("id", "SELECT id, object, NULL FROM verifications WHERE {where}"),
    "rescorings": ("id", "SELECT id, report, NULL FROM rescorings WHERE state = 'proposed' AND {where}"),
}
TABLES = tuple(_QUERIES)


class NamedObject(NamedTuple):
    """An object, its digest ("" if nothing tells it), and the place of the row that names it: table and key."""

    table: str
    key: str
    name: str
    digest: str


def objects_after(rows: Rows, table: str, key: str) -> list[NamedObject]:
    """Return the objects of the next rows of this table behind `key`, in the order of keys; none at its end."""
    return _list_objects(rows, table, ">", key)


def objects_at(rows: Rows, table: str, key: str) -> list[NamedObject]:
    """Return the objects that the rows of this key name."""
    return _list_objects(rows, table, "=", key)


def is_named(rows: Rows, name: str) -> bool:
    """Return whether a row names this object. The keys of rows that may are parts of its name."""
    _, *folders, last = name.split("/")
    keys = [*folders, last.partition("-")[0]]
    return any(found.name == name for table in TABLES for key in keys for found in objects_at(rows, table, key))


def every_object(rows: Rows) -> Iterator[NamedObject]:
    """Yield the objects of all tables."""
    for table in TABLES:
        key = ""
        while found := objects_after(rows, table, key):
            yield from found
            key = found[-1].key


def digest_in(name: str) -> str:
    """Return the digest in an object's name, "" where it has none."""
    found = IN_NAME.search(name)
    return found[1] if found else ""


def find_problem(body: bytes | None, digest: str) -> str | None:
    """Return what is wrong with an object of this digest, None if nothing is."""
    if body is None:
        return "it is not in the object store"
    if digest and hashlib.sha256(body).hexdigest() != digest:
        return "it is not what was written: its digest differs"
    return None


def _list_objects(rows: Rows, table: str, sign: str, key: str) -> list[NamedObject]:
    column, query = _QUERIES[table]
    some = f"ORDER BY {column} LIMIT {AT_ONCE}"
    text = query.format(where=f"{column} {sign} :key", some=some)
    text += f" ORDER BY {column}" if "{some}" in query else f" {some}"
    return [_object_of(table, *row) for row in rows(text, {"key": key})]


def _object_of(table: str, key: str, name: str, digest: str | None) -> NamedObject:
    if table == "rescorings":
        proposal = json.loads(name)
        name, digest = proposal["object"], proposal["digest"]
    return NamedObject(table, key, name, digest or digest_in(name))
