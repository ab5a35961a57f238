"""The api's tables. Times are milliseconds since the epoch, documents are JSON text.

A submission's row is the outbox of its scoring: `state`, `attempt` and `lease_until` say what is due, and Redis only
notifies. `scoring_service/jobs/ledger.py` names the few columns that scoring may touch; a contract test compares the
two. The tables behind `tetrad admin` stand at the end.
"""

import sqlalchemy as sa

metadata = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_name)s",
    }
)


def index_where(name: str, *columns: str, state: str) -> sa.Index:
    """Return an index of the rows in this state, for queries that name it as a literal (`is_state`)."""
    only = sa.text(f"state = '{state}'")
    return sa.Index(name, *columns, postgresql_where=only, sqlite_where=only)


UNPRUNED = sa.text("pruned_at IS NULL AND scored_at IS NOT NULL")


def report_columns() -> list[sa.Column[object]]:
    """Return new columns, because each belongs to one table."""
    return [
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("object", sa.String(200), nullable=False),  # name of the report's JSON in the object store
        sa.Column("digest", sa.String(64), nullable=False),  # SHA-256 of that JSON
        sa.Column("seed", sa.String(64), nullable=False),
        sa.Column("metric", sa.String(64), nullable=False),
        sa.Column("headline", sa.Text, nullable=False),  # the headline MetricValue as JSON
        sa.Column("total", sa.Float, nullable=False),  # sum of per-item means, for pooling
        sa.Column("items", sa.Integer, nullable=False),
        sa.Column("asked", sa.Integer, nullable=False),
        sa.Column("unread", sa.Integer, nullable=False),
        sa.Column("missing", sa.Integer, nullable=False),
        sa.Column("scored_at", sa.BigInteger, nullable=False),
        sa.Column("differences", sa.Text, nullable=False),  # KeptDifferences as JSON
    ]


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

submissions = sa.Table(
    "submissions",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("team_id", sa.ForeignKey("teams.id"), nullable=False),
    sa.Column("model_id", sa.ForeignKey("models.id"), nullable=False),
    sa.Column("benchmark", sa.String(64), nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("bank", sa.String(64), nullable=False),
    sa.Column("track", sa.String(64), nullable=False),
    sa.Column("setting", sa.String(64), nullable=False),
    sa.Column("parameters", sa.Text, nullable=False),  # JSON, names sorted, every parameter present
    sa.Column("board", sa.String(64), nullable=False),  # digest of everything that makes the board
    sa.Column("conversation", sa.String(16), nullable=False, server_default="fresh"),  # or joined
    sa.Column("size", sa.Integer, nullable=False),
    sa.Column("visibility", sa.String(16), nullable=False),
    sa.Column("nonce", sa.String(128), nullable=False),
    sa.Column("commitment", sa.String(64), nullable=False),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("opened_at", sa.BigInteger, nullable=False),
    sa.Column("deadline_at", sa.BigInteger, nullable=False),
    sa.Column("paused_for", sa.String(128)),  # ITEM or ITEM/PICTURE that can't be shown: see submissions/pausing.py
    sa.Column("paused_at", sa.BigInteger),
    sa.Column("paused_ms", sa.BigInteger, nullable=False, server_default="0"),  # of all pauses that are over
    sa.Column("fetched_at", sa.BigInteger),  # first questions or pictures asked for: from here on it counts
    sa.Column("finished_at", sa.BigInteger),
    sa.Column("finish_reason", sa.String(16)),  # request, complete, deadline
    sa.Column("scored_at", sa.BigInteger),
    sa.Column("attempt", sa.Integer, nullable=False, server_default="0"),
    sa.Column("lease_until", sa.BigInteger),
    sa.Column("failure", sa.Text),
    sa.Column("void_reason", sa.Text),
    sa.Column("opened_count", sa.Integer, nullable=False, server_default="0"),
    sa.Column("answered_count", sa.Integer, nullable=False, server_default="0"),
    sa.Column("finished_items", sa.Integer, nullable=False, server_default="0"),
    sa.Column("reply_bytes", sa.BigInteger, nullable=False, server_default="0"),  # of all its replies, as JSON
    sa.Column("answers_object", sa.String(200)),  # all its answers, in the object store: from here on read there
    sa.Column("answers_digest", sa.String(64)),  # SHA-256 of that object
    sa.Column("pruned_at", sa.BigInteger),  # the rows of its questions, items and answers are gone
    sa.Column("weight", sa.Integer, nullable=False, server_default="1"),  # of its team when scoring divides its time
    sa.Column("evaluation_id", sa.String(64)),  # the service answers it, not its team
    sa.Column("draw_id", sa.String(64), index=True),  # equal for submissions that share one sealed draw
    sa.Column("unranked", sa.Text),  # why it counts on no board; public
    sa.Index("ix_submissions_row", "board", "model_id"),
    sa.Index("ix_submissions_of_team", "team_id", "id"),
    sa.Index("ix_submissions_of_team_by_time", "team_id", "opened_at"),
    index_where("ix_submissions_queued", "id", state="queued"),
    index_where("ix_submissions_open", "deadline_at", state="open"),
    index_where("ix_submissions_open_of_team", "team_id", "deadline_at", state="open"),
    index_where("ix_submissions_void", "board", "id", state="void"),
    sa.Index("ix_submissions_unpruned", "scored_at", postgresql_where=UNPRUNED, sqlite_where=UNPRUNED),
)

questions = sa.Table(
    "questions",
    metadata,
    sa.Column("submission_id", sa.ForeignKey("submissions.id"), primary_key=True),
    sa.Column("item", sa.Integer, primary_key=True),
    sa.Column("question", sa.String(64), primary_key=True),
    sa.Column("shape", sa.Text, nullable=False),  # the answer shape as JSON
    sa.Column("pictures", sa.Text, nullable=False),  # names joined by spaces
    sa.Column("opened_at", sa.BigInteger, nullable=False),
)

items = sa.Table(
    "items",
    metadata,
    sa.Column("submission_id", sa.ForeignKey("submissions.id"), primary_key=True),
    sa.Column("item", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("closing", sa.Boolean, nullable=False),  # whatever is unanswered is final: nothing more can open
    sa.Column("finished", sa.Boolean, nullable=False),  # closing, and everything asked is answered
)

answers = sa.Table(
    "answers",
    metadata,
    sa.Column("submission_id", sa.ForeignKey("submissions.id"), primary_key=True),
    sa.Column("item", sa.Integer, primary_key=True),
    sa.Column("question", sa.String(64), primary_key=True),
    sa.Column("answer", sa.String(64)),
    sa.Column("response", sa.Text),
    sa.Column("stop", sa.String(24)),  # the reason why the response ended, if the team sent it
    sa.Column("sealed_at", sa.BigInteger, nullable=False),
)

reports = sa.Table(
    "reports",
    metadata,
    sa.Column("submission_id", sa.ForeignKey("submissions.id"), primary_key=True),
    *report_columns(),
    sa.Column("revision", sa.Integer, nullable=False, server_default="1"),  # incremented by every rescoring
)

events = sa.Table(
    "events",
    metadata,
    sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
    sa.Column("submission_id", sa.ForeignKey("submissions.id"), nullable=False),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("kind", sa.String(32), nullable=False),
    sa.Column("data", sa.Text, nullable=False),
    sa.Index("ix_events_of_submission", "submission_id", "id"),
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

verifications = sa.Table(
    "verifications",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("object", sa.String(200), nullable=False),  # the claimed report, in the object store
    sa.Column("state", sa.String(16), nullable=False),  # queued, done, failed
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("finished_at", sa.BigInteger),
    sa.Column("attempt", sa.Integer, nullable=False, server_default="0"),
    sa.Column("lease_until", sa.BigInteger),
    sa.Column("result", sa.Text),  # findings as JSON
    sa.Column("failure", sa.Text),
    sa.Column("asker", sa.String(64), nullable=False),  # a team's id, or the digest of an address
    sa.Column("bytes", sa.BigInteger, nullable=False, server_default="0"),  # of the object
    sa.Index("ix_verifications_of_asker", "asker", "state"),
    sa.Index("ix_verifications_ended", "finished_at"),
    index_where("ix_verifications_queued", "id", state="queued"),
)

verification_bytes = sa.Table(  # sums over `verifications`, so that nobody has to read all of it to know them
    "verification_bytes",
    metadata,
    sa.Column("asker", sa.String(64), primary_key=True),  # "" is everybody together
    sa.Column("bytes", sa.BigInteger, nullable=False),
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
)

SERIAL = sa.BigInteger().with_variant(sa.Integer, "sqlite")

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

superseded_reports = sa.Table(  # the row of `reports` before a rescoring, column for column
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
    index_where("ix_rescorings_queued", "id", state="queued"),
)

scoring_slices = sa.Table(  # the progress of a long job, in rows that only scoring can read; deleted when the job ends
    "scoring_slices",
    metadata,
    sa.Column("job_id", sa.String(64), primary_key=True),  # of a submission, a rescoring or a verification
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),  # row 0 describes the job
    sa.Column("submission_id", sa.ForeignKey("submissions.id"), index=True),  # null for a verification
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("made_by", sa.String(64), nullable=False),  # versions of the release, the scorer and the extractor
    sa.Column("body", sa.LargeBinary, nullable=False),
)

scoring_turns = sa.Table(  # the scoring time that each team has had lately
    "scoring_turns",
    metadata,
    sa.Column("team_id", sa.String(64), primary_key=True),  # '' stands for everybody
    sa.Column("used", sa.BigInteger, nullable=False),  # milliseconds by weight
)

settlements = sa.Table(  # one for each attempt at a model that costs money
    "settlements",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("at", sa.BigInteger, nullable=False, index=True),
    sa.Column("epoch", sa.BigInteger, nullable=False),  # of the ledger in which it was booked
    sa.Column("cost", sa.BigInteger, nullable=False),  # nanodollars
    sa.Column("estimated", sa.Boolean, nullable=False),  # the reservation: the upstream reported no usage
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
