"""The scores of a board by the first facet of its metric: one column a value, beside the total.

It stands alone because it is a table of its own, which boards without such a facet lack.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tetrad.contracts.benchmarks import Card
from tetrad.contracts.leaderboards import BoardRow, FacetScore
from tetrad.reporting.pages.words import UNKNOWN, group_digits, in_percent

MOST_ROWS = 20
FEW_ITEMS = 100  # below them a share has no decimals


@dataclass(frozen=True, kw_only=True)
class FacetRow:
    """A model: its total, and of each value its score and the items that it counts."""

    model: str
    team: str
    address: str
    total: str
    cells: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class FacetTable:
    facet: str
    values: tuple[str, ...]
    rows: tuple[FacetRow, ...]
    left_out: int


def facets_of(card: Card, rows: Sequence[BoardRow], addresses: Sequence[str]) -> FacetTable | None:
    """Return the scores of the first of these rows by facet; None where none has any. Each row has its address."""
    split = [(row, address) for row, address in zip(rows, addresses, strict=True) if row.by_facet]
    if not split:
        return None
    shown = split[:MOST_ROWS]
    values = list(dict.fromkeys(score.value for row, _ in shown for score in row.by_facet))
    values.sort(key=lambda value: place_of(card, value))
    return FacetTable(
        facet=shown[0][0].by_facet[0].facet,
        values=tuple(card.value_words.get(value, value) for value in values),
        rows=tuple(
            FacetRow(
                model=row.model,
                team=row.team,
                address=address,
                total=in_percent(row.score),
                cells=tuple(cell({score.value: score for score in row.by_facet}.get(value)) for value in values),
            )
            for row, address in shown
        ),
        left_out=len(split) - len(shown),
    )


def cell(score: FacetScore | None) -> tuple[str, str]:
    if score is None:
        return UNKNOWN, ""
    return in_percent(score.score, 0 if score.items < FEW_ITEMS else 1), group_digits(score.items)


def place_of(card: Card, value: str) -> tuple[int, str]:
    """Return where a value stands among those that the card lists; others come after them."""
    listed = [known for values in card.filters.values() for known in values]
    return (listed.index(value) if value in listed else len(listed)), value
