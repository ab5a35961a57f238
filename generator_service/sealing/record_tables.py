"""The two tables of the generator's record, and bringing an older record's up to this version."""

import sqlalchemy as sa

MAKING_LOCK = 0x7265_636F_7264  # "record": an advisory lock is a number
metadata = sa.MetaData()

draws = sa.Table(
    "sealed_draws",
    metadata,
    sa.Column("submission", sa.String(64), primary_key=True),
    sa.Column("nonce", sa.String(128), nullable=False),
    sa.Column("identity", sa.Text, nullable=False),  # DrawIdentity as JSON
    sa.Column("size", sa.Integer, nullable=False),
    sa.Column("commitment", sa.String(64), nullable=False),
    sa.Column("sealed_at", sa.BigInteger, nullable=False),
    sa.Column("revealed_at", sa.BigInteger),
    sa.Column("answers", sa.String(64)),  # digest of all answers, once revealed
    sa.Column("secret", sa.String(16)),  # id of the secret that the seed is made with
    sa.Column("seed", sa.String(64)),  # once revealed: it is public then, and needs no secret any more
    sa.Column("ranges", sa.Text),  # AnswerRanges as JSON, once revealed by ranges
    sa.Column("closed_at", sa.BigInteger),  # from here on nobody can answer it
)

gated = sa.Table(
    "gated_answers",
    metadata,
    sa.Column("submission", sa.String(64), primary_key=True),
    sa.Column("item", sa.Integer, primary_key=True),
    sa.Column("question", sa.String(64), primary_key=True),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("reading", sa.Text),  # what was read of it then, "" if nothing; null in rows from before it was kept
)


def make_tables(connection: sa.Connection) -> None:
    """Make the tables, and the columns that a record of an older version lacks. Once, however many start together."""
    if connection.dialect.name == "postgresql":  # two that make the same table fail, whatever they check first
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(MAKING_LOCK)))
    metadata.create_all(connection)
    for table in (draws, gated):
        there = {column["name"] for column in sa.inspect(connection).get_columns(table.name)}
        for column in table.columns:
            if column.name not in there:
                kind = column.type.compile(connection.dialect)
                connection.execute(sa.text(f"ALTER TABLE {table.name} ADD COLUMN {column.name} {kind}"))
