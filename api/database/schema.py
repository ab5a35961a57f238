"""The api's tables. Times are milliseconds since the epoch, documents are JSON text.

Those that scoring touches, too, stand in `tetrad/server/scoring_tables.py`, those of bulk workers beside it, in
`dataset_tables.py`. The tables behind `tetrad admin` stand at the end.
"""

import sqlalchemy as sa

from tetrad.server.dataset_tables import dataset_events, dataset_orders, dataset_shards, datasets
from tetrad.server.scoring_tables import (
    SERIAL,
    answers,
    damages,
    events,
    index_where,
    items,
    metadata,
    questions,
    reports,
    request_columns,
    rescorings,
    scoring_slices,
    scoring_turns,
    scrubs,
    submissions,
    superseded_reports,
    verification_bytes,
    verifications,
)

__all__ = (
    "answers",
    "damages",
    "dataset_events",
    "dataset_orders",
    "dataset_shards",
    "datasets",
    "events",
    "items",
    "metadata",
    "questions",
    "reports",
    "rescorings",
    "scoring_slices",
    "scoring_turns",
    "scrubs",
    "submissions",
    "superseded_reports",
    "verification_bytes",
    "verifications",
)

teams = sa.Table(
    "teams",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("name", sa.String(64), nullable=False, unique=True),
    sa.Column("title", sa.String(200), nullable=False),
    sa.Column("contact", sa.String(200)),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("state", sa.String(16), nullable=False, server_default="active"),  # pending, active, suspended, deleted
    sa.Column("state_reason", sa.Text),  # shown to the team; of a deleted one, to everybody
    sa.Column("open_submissions_cap", sa.Integer),  # this and the next two: none means the instance's default
    sa.Column("items_a_day_cap", sa.Integer),
    sa.Column("models_cap", sa.Integer),
    sa.Column("model_budget", sa.BigInteger),  # micro-dollars in all, at the gateway; none is no bound
    sa.Column("established_at", sa.BigInteger),  # when an operator approved it; others become established in time
)

usage_by_hour = sa.Table(  # what the caps in all and by address count
    "usage_by_hour",
    metadata,
    sa.Column("subject", sa.String(64), primary_key=True),  # items, teams; or one of them and the digest of an address
    sa.Column("hour", sa.Integer, primary_key=True, autoincrement=False, index=True),  # since the epoch
    sa.Column("amount", sa.BigInteger, nullable=False),
)

invites = sa.Table(
    "invites",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("hash", sa.String(64), nullable=False, unique=True),  # SHA-256 of the code
    sa.Column("note", sa.Text, nullable=False),
    sa.Column("teams_left", sa.Integer, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("expires_at", sa.BigInteger, nullable=False),
    sa.Column("revoked_at", sa.BigInteger),
)

keys = sa.Table(
    "keys",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("team_id", sa.ForeignKey("teams.id"), nullable=False, index=True),
    sa.Column("name", sa.String(64), nullable=False),
    sa.Column("prefix", sa.String(16), nullable=False),
    sa.Column("hash", sa.String(64), nullable=False, unique=True),  # SHA-256: the key has 256 random bits
    sa.Column("scopes", sa.String(64), nullable=False),  # names joined by spaces
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("revoked_at", sa.BigInteger),
)

sessions = sa.Table(  # of people in a browser
    "sessions",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),  # SHA-256 of the token in the cookie: it has 256 random bits
    sa.Column("key_id", sa.ForeignKey("keys.id"), nullable=False, index=True),  # whose scopes it has
    sa.Column("team_id", sa.ForeignKey("teams.id"), nullable=False, index=True),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("expires_at", sa.BigInteger, nullable=False, index=True),
)

models = sa.Table(
    "models",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("team_id", sa.ForeignKey("teams.id"), nullable=False),
    sa.Column("name", sa.String(64), nullable=False),
    sa.Column("title", sa.String(200), nullable=False),
    sa.Column("url", sa.String(500)),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("origin", sa.String(16), nullable=False, server_default="team"),  # service: evaluations; baseline: listed
    sa.UniqueConstraint("team_id", "name"),
)

commitments = sa.Table(
    "commitments",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("submission_id", sa.String(64), nullable=False, unique=True),
    sa.Column("commitment", sa.String(64), nullable=False),
    sa.Column("at", sa.String(32), nullable=False),
    sa.Column("previous", sa.String(64), nullable=False),
    sa.Column("entry", sa.String(64), nullable=False),
)

idempotency_records = sa.Table(
    "idempotency_records",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),  # SHA-256 of who asked for what under which Idempotency-Key
    sa.Column("fingerprint", sa.String(64), nullable=False),  # HMAC of the request, under what the client sent
    sa.Column("lease", sa.String(32), nullable=False),  # the one request that is making it
    sa.Column("leased_until", sa.BigInteger, nullable=False),  # if the request dies, the key is free from then on
    sa.Column("created_at", sa.BigInteger, nullable=False, index=True),
    sa.Column("reply", sa.LargeBinary),  # MessagePack; never one that holds an API key
    sa.Column("api_key_id", sa.String(64)),  # for a reply that held one: the API key that a repeat revokes
)


evaluations = sa.Table(
    "evaluations",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("team_id", sa.ForeignKey("teams.id"), nullable=False),
    sa.Column("request", sa.Text, nullable=False),  # EvaluationRequest as JSON
    sa.Column("expected", sa.Text, nullable=False),  # Expected as JSON
    sa.Column("prices", sa.Text, nullable=False),  # ModelPrice as JSON by model, null where nothing is billed
    sa.Column("draw", sa.String(16), nullable=False),  # fresh, shared, revealed
    sa.Column("identity", sa.Text, nullable=False),  # DrawIdentity as JSON: its submissions may lapse
    sa.Column("size", sa.Integer, nullable=False),
    sa.Column("commitment", sa.String(64), nullable=False),
    sa.Column("deadline_at", sa.BigInteger, nullable=False),
    sa.Column("token_id", sa.String(64), nullable=False),  # of its calls at the gateway
    sa.Column("unranked", sa.Text),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("ended_at", sa.BigInteger),
    sa.Column("outcome", sa.String(16)),
    sa.Column("paused_until", sa.BigInteger, index=True),
    sa.Column("pause_reason", sa.Text),
    sa.Index("ix_evaluations_of_team", "team_id", "id"),
)

evaluation_runs = sa.Table(  # an outbox like `submissions`: one model's answers, which are a submission of its own
    "evaluation_runs",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),  # the submission's; its row may lapse
    sa.Column("evaluation_id", sa.ForeignKey("evaluations.id"), nullable=False, index=True),
    sa.Column("team_id", sa.ForeignKey("teams.id"), nullable=False),
    sa.Column("model", sa.String(64), nullable=False),  # the gateway's id
    sa.Column("row", sa.String(64), nullable=False),  # its name on the board
    sa.Column("repeat", sa.Integer, nullable=False),
    sa.Column("state", sa.String(16), nullable=False),  # queued, paused, done
    sa.Column("attempt", sa.Integer, nullable=False, server_default="0"),
    sa.Column("lease_until", sa.BigInteger),
    sa.Column("failure", sa.Text),
    sa.Column("queued_at", sa.BigInteger, nullable=False),
    sa.Column("begun_at", sa.BigInteger),
    sa.Column("ended_at", sa.BigInteger),
    sa.Column("outcome", sa.String(16)),
    sa.Column("retries", sa.Integer, nullable=False, server_default="0"),
    *request_columns(),
    index_where("ix_evaluation_runs_queued", "queued_at", state="queued"),
)

evaluation_calls = sa.Table(  # what each reply of a model took
    "evaluation_calls",
    metadata,
    sa.Column("submission_id", sa.String(64), primary_key=True),
    sa.Column("item", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("question", sa.String(64), primary_key=True),
    sa.Column("step", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("asked_at", sa.BigInteger, nullable=False),
    sa.Column("seconds", sa.Float, nullable=False),
    sa.Column("waited", sa.Float),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("upstream_attempts", sa.Integer),
    sa.Column("prompt_tokens", sa.Integer),
    sa.Column("completion_tokens", sa.Integer),
    sa.Column("cached_tokens", sa.Integer),
    sa.Column("reasoning_tokens", sa.Integer),
    sa.Column("cost", sa.BigInteger),  # nanodollars by usage
    sa.Column("stop", sa.String(24)),
    sa.Column("served_by", sa.String(200), nullable=False),
    sa.Column("kept", sa.Boolean, nullable=False),
    sa.Column("reply", sa.Text),  # of steps before the last
    sa.Column("thought", sa.Text),  # of a reply without text
)

operator_acts = sa.Table(  # append-only: triggers of migration 0001 refuse to change or delete a row
    "operator_acts",
    metadata,
    sa.Column("id", SERIAL, primary_key=True, autoincrement=True),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("operator", sa.String(64), nullable=False),  # the name of the token
    sa.Column("act", sa.String(64), nullable=False),
    sa.Column("subject", sa.String(200), nullable=False, index=True),  # an id, because a name may have to be deleted
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

board_versions = sa.Table(  # written by triggers of migration 0001 alone; board '' stands for names of teams and models
    "board_versions",
    metadata,
    sa.Column("board", sa.String(64), primary_key=True),
    sa.Column("version", sa.BigInteger, nullable=False),  # the number of the board's newest change
)

board_changes = sa.Table(  # written by the same triggers
    "board_changes",
    metadata,
    sa.Column("board", sa.String(64), primary_key=True),
    sa.Column("subject", sa.String(64), primary_key=True),  # the model of a row; on the board '', a team
    sa.Column("version", sa.BigInteger, nullable=False),  # that of the board at the subject's newest change
    sa.Index("ix_board_changes_newest", "board", "version"),
)

kept_pools = sa.Table(  # of boards with many submissions: a copy, for processes that look at one for the first time
    "kept_pools",
    metadata,
    sa.Column("board", sa.String(64), primary_key=True),
    sa.Column("version", sa.BigInteger, nullable=False),  # the number of the newest change that they hold
    sa.Column("made_by", sa.String(64), nullable=False),  # release, level of the intervals, least number of items
    sa.Column("body", sa.LargeBinary, nullable=False),
)

settlements = sa.Table(  # one for each attempt at a model that costs money
    "settlements",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("at", sa.BigInteger, nullable=False, index=True),
    sa.Column("epoch", sa.BigInteger, nullable=False),  # of the ledger in which it was booked
    sa.Column("cost", sa.BigInteger, nullable=False),  # nanodollars
    sa.Column("estimated", sa.Boolean, nullable=False),  # the reservation: the upstream reported no usage
    sa.Column("changed_in", sa.BigInteger, nullable=False),  # the database's epoch when the cost was last changed
    sa.Column("cost_before", sa.BigInteger, nullable=False),  # what the sums at the beginning of that epoch held of it
    sa.Column("team", sa.String(128), nullable=False),
    sa.Column("account", sa.String(200), nullable=False),
    sa.Column("model", sa.String(200), nullable=False),
    sa.Column("budgets", sa.Text, nullable=False),  # SCOPE|ID, one a line
)

spending = sa.Table(  # the sum of the settlements of a budget
    "spending",
    metadata,
    sa.Column("budget", sa.String(140), primary_key=True),
    sa.Column("spent", sa.BigInteger, nullable=False),
    sa.Column("estimated", sa.BigInteger, nullable=False, server_default="0"),  # what of it nobody has measured
)

ledger_epoch = sa.Table(  # one row; one more each time that the gateway opens its ledger
    "ledger_epoch",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("epoch", sa.BigInteger, nullable=False),
)

gateway_tokens = sa.Table(  # records of signed tokens; the tokens themselves are kept nowhere
    "gateway_tokens",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("team_id", sa.ForeignKey("teams.id"), nullable=False, index=True),
    sa.Column("purpose", sa.String(16), nullable=False),  # practice, sealed, judge
    sa.Column("models", sa.Text, nullable=False),  # JSON, a list of ids; an empty one is all
    sa.Column("budget", sa.BigInteger),  # micro-dollars over its life
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("expires_at", sa.BigInteger, nullable=False),
    sa.Column("revoked_at", sa.BigInteger, index=True),
)
