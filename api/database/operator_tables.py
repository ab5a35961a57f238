"""The tables behind `tetrad admin`: what operators did, allowed, hid and scored again."""

import sqlalchemy as sa

from api.database.metadata import metadata
from api.database.report_columns import report_columns

SERIAL = sa.BigInteger().with_variant(sa.Integer, "sqlite")

operator_acts = sa.Table(  # append-only: triggers of migration 0003 refuse to change or delete a row
    "operator_acts",
    metadata,
    sa.Column("id", SERIAL, primary_key=True, autoincrement=True),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("operator", sa.String(64), nullable=False),  # the name of the token
    sa.Column("act", sa.String(64), nullable=False),
    sa.Column("subject", sa.String(200), nullable=False, index=True),  # an id: no name that may have to go
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("details", sa.Text, nullable=False),  # JSON
)

team_approvals = sa.Table(
    "team_approvals",
    metadata,
    sa.Column("team_id", sa.ForeignKey("teams.id"), primary_key=True),
    sa.Column("corpus", sa.String(64), primary_key=True),
    sa.Column("submissions_cap", sa.Integer, nullable=False),
    sa.Column("approved_at", sa.BigInteger, nullable=False),
)

hidden_rows = sa.Table(
    "hidden_rows",
    metadata,
    sa.Column("board", sa.String(64), primary_key=True),
    sa.Column("model_id", sa.ForeignKey("models.id"), primary_key=True),
    sa.Column("reason", sa.Text, nullable=False),  # public
    sa.Column("hidden_at", sa.BigInteger, nullable=False),
)

superseded_reports = sa.Table(  # what `reports` said before a rescoring, column for column
    "superseded_reports",
    metadata,
    sa.Column("submission_id", sa.ForeignKey("submissions.id"), primary_key=True),
    sa.Column("revision", sa.Integer, primary_key=True, autoincrement=False),
    *report_columns(),
    sa.Column("superseded_at", sa.BigInteger, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),  # public: why it was scored again
)

rescorings = sa.Table(  # an outbox like `submissions`: scoring fills in what a new report would say
    "rescorings",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("batch", sa.String(64), nullable=False, index=True),
    sa.Column("submission_id", sa.ForeignKey("submissions.id"), nullable=False, index=True),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("state", sa.String(16), nullable=False),  # queued, proposed, unchanged, failed, applied, dropped
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("finished_at", sa.BigInteger),
    sa.Column("attempt", sa.Integer, nullable=False, server_default="0"),
    sa.Column("lease_until", sa.BigInteger),
    sa.Column("failure", sa.Text),
    sa.Column("revision", sa.Integer),  # the new report's; it replaces the one numbered one less
    sa.Column("difference", sa.Text),  # ReportDifference as JSON
    sa.Column("report", sa.Text),  # the new row of `reports` as JSON
    sa.Index("ix_rescorings_due", "state", "lease_until"),
)
