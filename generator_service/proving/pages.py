"""Pages under docs that commands write: tables of verdicts, in which each row begins with what it is about.

A run over one benchmark replaces that benchmark's rows. `docs/digests.json` says what the rows were made of, so that
tests tell when a page is stale. Long tables are no pages: commands write them under `var/`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

DOCS = Path(__file__).parents[2] / "docs"
DIGESTS = "digests.json"

Row = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table of a page: its heading, a sentence or two, and the names of its columns."""

    heading: str
    text: str
    columns: Row


@dataclass(frozen=True, kw_only=True)
class Page:
    """A page of docs. `name` is its file's, and the key of its digests."""

    name: str
    title: str
    text: str
    tables: tuple[Table, ...]

    def put(self, rows: Sequence[Sequence[Row]], digests: Mapping[str, str], folder: Path = DOCS) -> None:
        """Write the rows of each table, in place of older ones about the same subjects, and what they are of."""
        parts = [f"# {self.title}\n\n{self.text}\n"]
        for table, old, new in zip(self.tables, self.rows(folder), rows, strict=True):
            subjects = {row[0] for row in new}
            body = sorted([*(row for row in old if row[0] not in subjects), *new], key=lambda row: row[0])
            lines = [table.columns, ("---",) * len(table.columns), *body]
            text = "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
            parts.append(f"## {table.heading}\n\n{table.text}\n\n{text}")
        (folder / f"{self.name}.md").write_text("\n".join(parts), "utf-8")
        put_digests(self.name, digests, folder)

    def mark(self, subject: str, verdict: str, folder: Path = DOCS) -> None:
        """Write a verdict in the last column of each row about a subject. Nothing is proved: digests stay."""
        self.put([[(*row[:-1], verdict) for row in rows] for rows in self.rows_about(subject, folder)], {}, folder)

    def rows(self, folder: Path = DOCS) -> list[list[Row]]:
        """Return the rows that are written, by table; each begins with its subject."""
        path = folder / f"{self.name}.md"
        sections = path.read_text("utf-8").split("\n## ")[1:] if path.exists() else [""] * len(self.tables)
        return [
            [tuple(line.strip("| ").split(" | ")) for line in section.splitlines() if line.startswith("| ")][2:]
            for section in sections
        ]

    def rows_about(self, subject: str, folder: Path = DOCS) -> list[list[Row]]:
        """Return the rows about one subject, by table."""
        return [[row for row in rows if row[0] == subject] for rows in self.rows(folder)]


def digests(kind: str, folder: Path = DOCS) -> Mapping[str, str]:
    """Return the digests of one kind by subject: of a page's rows, or of another thing that was done once."""
    return _all_digests(folder).get(kind, {})


def put_digests(kind: str, found: Mapping[str, str], folder: Path = DOCS) -> None:
    """Write digests of one kind, in place of older ones about the same subjects."""
    known = _all_digests(folder)
    known[kind] = {**known.get(kind, {}), **found}
    body = msgspec.json.encode(known, order="sorted")
    (folder / DIGESTS).write_bytes(msgspec.json.format(body, indent=1) + b"\n")


def _all_digests(folder: Path) -> dict[str, dict[str, str]]:
    path = folder / DIGESTS
    return msgspec.json.decode(path.read_bytes(), type=dict[str, dict[str, str]]) if path.exists() else {}
