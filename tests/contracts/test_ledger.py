"""Scoring's tables are the api's: same names, same types, nothing it would have to fill in."""

import pytest
import sqlalchemy as sa

from api.database import schema
from scoring_service.jobs import ledger

COLUMNS = [
    pytest.param(column, id=f"{table.name}.{column.name}")
    for table in ledger.metadata.sorted_tables
    for column in table.columns
]
WRITTEN = [ledger.reports, ledger.events]


@pytest.mark.parametrize("column", COLUMNS)
def test_every_column_of_the_ledger_is_the_apis(column: sa.Column[object]) -> None:
    theirs = schema.metadata.tables[column.table.name].columns[column.name]
    assert repr(column.type) == repr(theirs.type)
    assert (column.nullable, column.primary_key) == (theirs.nullable, theirs.primary_key)


@pytest.mark.parametrize("table", WRITTEN, ids=lambda table: str(table.name))
def test_tables_that_scoring_adds_rows_to_are_known_completely(table: sa.Table) -> None:
    assert set(table.columns.keys()) == set(schema.metadata.tables[table.name].columns.keys())


def test_no_other_table_refers_to_a_submission() -> None:
    """`drop_lapsed` deletes a submission and what refers to it; a further table must be added there."""
    referring = {
        table.name
        for table in schema.metadata.sorted_tables
        for key in table.foreign_keys
        if key.column.table.name == "submissions"
    }
    only_once_scored = {"superseded_reports", "rescorings", "scoring_slices"}
    assert referring - only_once_scored == {"questions", "items", "answers", "reports", "events"}
