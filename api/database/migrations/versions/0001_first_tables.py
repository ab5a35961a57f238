"""The first tables, as they are in 0.1.0. Nothing here may change: later changes are later migrations."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")  # SQLite counts up plain integers alone


def make_board_changes() -> None:
    op.create_table(
        "board_changes",
        sa.Column("board", sa.String(64), nullable=False),
        sa.Column("subject", sa.String(64), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("board", "subject", name="pk_board_changes"),
    )
    op.create_index("ix_board_changes_newest", "board_changes", ["board", "version"])


def make_board_versions() -> None:
    op.create_table(
        "board_versions",
        sa.Column("board", sa.String(64), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("board", name="pk_board_versions"),
    )


def make_commitments() -> None:
    op.create_table(
        "commitments",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("submission_id", sa.String(64), nullable=False),
        sa.Column("commitment", sa.String(64), nullable=False),
        sa.Column("at", sa.String(32), nullable=False),
        sa.Column("previous", sa.String(64), nullable=False),
        sa.Column("entry", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_commitments"),
        sa.UniqueConstraint("submission_id", name="uq_commitments_submission_id"),
    )


def make_damages() -> None:
    op.create_table(
        "damages",
        sa.Column("subject", sa.String(200), nullable=False),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.Column("found_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("subject", name="pk_damages"),
    )


def make_datasets() -> None:
    op.create_table(
        "datasets",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("plan", sa.Text(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("reason", sa.Text()),
        sa.Column("shards", sa.Integer(), nullable=False),
        sa.Column("shards_done", sa.Integer(), server_default="0", nullable=False),
        sa.Column("items_done", sa.Integer(), server_default="0", nullable=False),
        sa.Column("bytes", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("bytes_estimated", sa.BigInteger(), nullable=False),
        sa.Column("core_ms_estimated", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("begun_at", sa.BigInteger()),
        sa.Column("finished_at", sa.BigInteger()),
        sa.Column("unreferenced_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name="pk_datasets"),
    )
    op.create_index("ix_datasets_state", "datasets", ["state"])
    op.create_index("ix_datasets_unreferenced_at", "datasets", ["unreferenced_at"])


def make_evaluation_calls() -> None:
    op.create_table(
        "evaluation_calls",
        sa.Column("submission_id", sa.String(64), nullable=False),
        sa.Column("item", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("question", sa.String(64), nullable=False),
        sa.Column("step", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("asked_at", sa.BigInteger(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("waited", sa.Float()),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("upstream_attempts", sa.Integer()),
        sa.Column("prompt_tokens", sa.Integer()),
        sa.Column("completion_tokens", sa.Integer()),
        sa.Column("cached_tokens", sa.Integer()),
        sa.Column("reasoning_tokens", sa.Integer()),
        sa.Column("cost", sa.BigInteger()),
        sa.Column("stop", sa.String(24)),
        sa.Column("served_by", sa.String(200), nullable=False),
        sa.Column("kept", sa.Boolean(), nullable=False),
        sa.Column("reply", sa.Text()),
        sa.Column("thought", sa.Text()),
        sa.PrimaryKeyConstraint("submission_id", "item", "question", "step", name="pk_evaluation_calls"),
    )


def make_idempotency_records() -> None:
    op.create_table(
        "idempotency_records",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("lease", sa.String(32), nullable=False),
        sa.Column("leased_until", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("reply", sa.LargeBinary()),
        sa.Column("api_key_id", sa.String(64)),
        sa.PrimaryKeyConstraint("id", name="pk_idempotency_records"),
    )
    op.create_index("ix_idempotency_records_created_at", "idempotency_records", ["created_at"])


def make_invites() -> None:
    op.create_table(
        "invites",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("teams_left", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name="pk_invites"),
        sa.UniqueConstraint("hash", name="uq_invites_hash"),
    )


def make_kept_pools() -> None:
    op.create_table(
        "kept_pools",
        sa.Column("board", sa.String(64), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("made_by", sa.String(64), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("board", name="pk_kept_pools"),
    )


def make_ledger_epoch() -> None:
    op.create_table(
        "ledger_epoch",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("epoch", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_ledger_epoch"),
    )


def make_operator_acts() -> None:
    op.create_table(
        "operator_acts",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("operator", sa.String(64), nullable=False),
        sa.Column("act", sa.String(64), nullable=False),
        sa.Column("subject", sa.String(200), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("details", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_operator_acts"),
    )
    op.create_index("ix_operator_acts_subject", "operator_acts", ["subject"])


def make_scoring_turns() -> None:
    op.create_table(
        "scoring_turns",
        sa.Column("team_id", sa.String(64), nullable=False),
        sa.Column("used", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("team_id", name="pk_scoring_turns"),
    )


def make_scrubs() -> None:
    op.create_table(
        "scrubs",
        sa.Column("subject", sa.String(64), nullable=False),
        sa.Column("begun_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger()),
        sa.Column("place", sa.String(200), nullable=False),
        sa.Column("lease_until", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("subject", name="pk_scrubs"),
    )


def make_settlements() -> None:
    op.create_table(
        "settlements",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("epoch", sa.BigInteger(), nullable=False),
        sa.Column("cost", sa.BigInteger(), nullable=False),
        sa.Column("estimated", sa.Boolean(), nullable=False),
        sa.Column("changed_in", sa.BigInteger(), nullable=False),
        sa.Column("cost_before", sa.BigInteger(), nullable=False),
        sa.Column("team", sa.String(128), nullable=False),
        sa.Column("account", sa.String(200), nullable=False),
        sa.Column("model", sa.String(200), nullable=False),
        sa.Column("budgets", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_settlements"),
    )
    op.create_index("ix_settlements_at", "settlements", ["at"])


def make_spending() -> None:
    op.create_table(
        "spending",
        sa.Column("budget", sa.String(140), nullable=False),
        sa.Column("spent", sa.BigInteger(), nullable=False),
        sa.Column("estimated", sa.BigInteger(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("budget", name="pk_spending"),
    )


def make_teams() -> None:
    op.create_table(
        "teams",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("title", sa.String(200), nullable=False),
        sa.Column("contact", sa.String(200)),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(16), server_default="active", nullable=False),
        sa.Column("state_reason", sa.Text()),
        sa.Column("open_submissions_cap", sa.Integer()),
        sa.Column("items_a_day_cap", sa.Integer()),
        sa.Column("models_cap", sa.Integer()),
        sa.Column("model_budget", sa.BigInteger()),
        sa.Column("established_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name="pk_teams"),
        sa.UniqueConstraint("name", name="uq_teams_name"),
    )


def make_usage_by_hour() -> None:
    op.create_table(
        "usage_by_hour",
        sa.Column("subject", sa.String(64), nullable=False),
        sa.Column("hour", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("subject", "hour", name="pk_usage_by_hour"),
    )
    op.create_index("ix_usage_by_hour_hour", "usage_by_hour", ["hour"])


def make_verification_bytes() -> None:
    op.create_table(
        "verification_bytes",
        sa.Column("asker", sa.String(64), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("asker", name="pk_verification_bytes"),
    )


def make_verifications() -> None:
    op.create_table(
        "verifications",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("object", sa.String(200), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger()),
        sa.Column("attempt", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_until", sa.BigInteger()),
        sa.Column("result", sa.Text()),
        sa.Column("failure", sa.Text()),
        sa.Column("asker", sa.String(64), nullable=False),
        sa.Column("bytes", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("request_id", sa.String(64)),
        sa.Column("traceparent", sa.String(55)),
        sa.PrimaryKeyConstraint("id", name="pk_verifications"),
    )
    op.create_index("ix_verifications_ended", "verifications", ["finished_at"])
    op.create_index("ix_verifications_of_asker", "verifications", ["asker", "state"])
    op.create_index("ix_verifications_queued", "verifications", ["id"], **where("state = 'queued'"))


def make_dataset_events() -> None:
    op.create_table(
        "dataset_events",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("dataset_id", sa.String(64), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["dataset_id"], ["datasets.id"], name="fk_dataset_events_dataset_id"),
        sa.PrimaryKeyConstraint("id", name="pk_dataset_events"),
    )
    op.create_index("ix_dataset_events_of_dataset", "dataset_events", ["dataset_id", "id"])


def make_dataset_orders() -> None:
    op.create_table(
        "dataset_orders",
        sa.Column("dataset_id", sa.String(64), nullable=False),
        sa.Column("team_id", sa.String(64), nullable=False),
        sa.Column("ordered_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["dataset_id"], ["datasets.id"], name="fk_dataset_orders_dataset_id"),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name="fk_dataset_orders_team_id"),
        sa.PrimaryKeyConstraint("dataset_id", "team_id", name="pk_dataset_orders"),
    )
    op.create_index("ix_dataset_orders_of_team", "dataset_orders", ["team_id", "ordered_at"])


def make_dataset_shards() -> None:
    op.create_table(
        "dataset_shards",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("dataset_id", sa.String(64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("attempt", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_until", sa.BigInteger()),
        sa.Column("failure", sa.Text()),
        sa.Column("body", sa.Text()),
        sa.Column("items", sa.Integer()),
        sa.Column("made_at", sa.BigInteger()),
        sa.ForeignKeyConstraint(["dataset_id"], ["datasets.id"], name="fk_dataset_shards_dataset_id"),
        sa.PrimaryKeyConstraint("id", name="pk_dataset_shards"),
    )
    op.create_index("ix_dataset_shards_made", "dataset_shards", ["dataset_id", "made_at"])
    op.create_index("ix_dataset_shards_of_dataset", "dataset_shards", ["dataset_id", "number"], unique=True)
    op.create_index("ix_dataset_shards_queued", "dataset_shards", ["number"], **where("state = 'queued'"))


def make_evaluations() -> None:
    op.create_table(
        "evaluations",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("team_id", sa.String(64), nullable=False),
        sa.Column("request", sa.Text(), nullable=False),
        sa.Column("expected", sa.Text(), nullable=False),
        sa.Column("prices", sa.Text(), nullable=False),
        sa.Column("draw", sa.String(16), nullable=False),
        sa.Column("identity", sa.Text(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("commitment", sa.String(64), nullable=False),
        sa.Column("deadline_at", sa.BigInteger(), nullable=False),
        sa.Column("token_id", sa.String(64), nullable=False),
        sa.Column("unranked", sa.Text()),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger()),
        sa.Column("outcome", sa.String(16)),
        sa.Column("paused_until", sa.BigInteger()),
        sa.Column("pause_reason", sa.Text()),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name="fk_evaluations_team_id"),
        sa.PrimaryKeyConstraint("id", name="pk_evaluations"),
    )
    op.create_index("ix_evaluations_of_team", "evaluations", ["team_id", "id"])
    op.create_index("ix_evaluations_paused_until", "evaluations", ["paused_until"])


def make_gateway_tokens() -> None:
    op.create_table(
        "gateway_tokens",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("team_id", sa.String(64), nullable=False),
        sa.Column("purpose", sa.String(16), nullable=False),
        sa.Column("models", sa.Text(), nullable=False),
        sa.Column("budget", sa.BigInteger()),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger()),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name="fk_gateway_tokens_team_id"),
        sa.PrimaryKeyConstraint("id", name="pk_gateway_tokens"),
    )
    op.create_index("ix_gateway_tokens_revoked_at", "gateway_tokens", ["revoked_at"])
    op.create_index("ix_gateway_tokens_team_id", "gateway_tokens", ["team_id"])


def make_keys() -> None:
    op.create_table(
        "keys",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("team_id", sa.String(64), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("prefix", sa.String(16), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("scopes", sa.String(64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger()),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name="fk_keys_team_id"),
        sa.PrimaryKeyConstraint("id", name="pk_keys"),
        sa.UniqueConstraint("hash", name="uq_keys_hash"),
    )
    op.create_index("ix_keys_team_id", "keys", ["team_id"])


def make_models() -> None:
    op.create_table(
        "models",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("team_id", sa.String(64), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("title", sa.String(200), nullable=False),
        sa.Column("url", sa.String(500)),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("origin", sa.String(16), server_default="team", nullable=False),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name="fk_models_team_id"),
        sa.PrimaryKeyConstraint("id", name="pk_models"),
        sa.UniqueConstraint("team_id", "name", name="uq_models_team_id"),
    )


def make_team_approvals() -> None:
    op.create_table(
        "team_approvals",
        sa.Column("team_id", sa.String(64), nullable=False),
        sa.Column("corpus", sa.String(64), nullable=False),
        sa.Column("submissions_cap", sa.Integer(), nullable=False),
        sa.Column("approved_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name="fk_team_approvals_team_id"),
        sa.PrimaryKeyConstraint("team_id", "corpus", name="pk_team_approvals"),
    )


def make_evaluation_runs() -> None:
    op.create_table(
        "evaluation_runs",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("evaluation_id", sa.String(64), nullable=False),
        sa.Column("team_id", sa.String(64), nullable=False),
        sa.Column("model", sa.String(64), nullable=False),
        sa.Column("row", sa.String(64), nullable=False),
        sa.Column("repeat", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("attempt", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_until", sa.BigInteger()),
        sa.Column("failure", sa.Text()),
        sa.Column("queued_at", sa.BigInteger(), nullable=False),
        sa.Column("begun_at", sa.BigInteger()),
        sa.Column("ended_at", sa.BigInteger()),
        sa.Column("outcome", sa.String(16)),
        sa.Column("retries", sa.Integer(), server_default="0", nullable=False),
        sa.Column("request_id", sa.String(64)),
        sa.Column("traceparent", sa.String(55)),
        sa.ForeignKeyConstraint(["evaluation_id"], ["evaluations.id"], name="fk_evaluation_runs_evaluation_id"),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name="fk_evaluation_runs_team_id"),
        sa.PrimaryKeyConstraint("id", name="pk_evaluation_runs"),
    )
    op.create_index("ix_evaluation_runs_evaluation_id", "evaluation_runs", ["evaluation_id"])
    op.create_index("ix_evaluation_runs_queued", "evaluation_runs", ["queued_at"], **where("state = 'queued'"))


def make_hidden_rows() -> None:
    op.create_table(
        "hidden_rows",
        sa.Column("board", sa.String(64), nullable=False),
        sa.Column("model_id", sa.String(64), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("hidden_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["model_id"], ["models.id"], name="fk_hidden_rows_model_id"),
        sa.PrimaryKeyConstraint("board", "model_id", name="pk_hidden_rows"),
    )


def make_sessions() -> None:
    op.create_table(
        "sessions",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("key_id", sa.String(64), nullable=False),
        sa.Column("team_id", sa.String(64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["key_id"], ["keys.id"], name="fk_sessions_key_id"),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name="fk_sessions_team_id"),
        sa.PrimaryKeyConstraint("id", name="pk_sessions"),
    )
    op.create_index("ix_sessions_expires_at", "sessions", ["expires_at"])
    op.create_index("ix_sessions_key_id", "sessions", ["key_id"])
    op.create_index("ix_sessions_team_id", "sessions", ["team_id"])


def make_submissions() -> None:
    op.create_table(
        "submissions",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("team_id", sa.String(64), nullable=False),
        sa.Column("model_id", sa.String(64), nullable=False),
        sa.Column("benchmark", sa.String(64), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("bank", sa.String(64), nullable=False),
        sa.Column("track", sa.String(64), nullable=False),
        sa.Column("setting", sa.String(64), nullable=False),
        sa.Column("parameters", sa.Text(), nullable=False),
        sa.Column("board", sa.String(64), nullable=False),
        sa.Column("conversation", sa.String(16), server_default="fresh", nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("visibility", sa.String(16), nullable=False),
        sa.Column("nonce", sa.String(128), nullable=False),
        sa.Column("commitment", sa.String(64), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("opened_at", sa.BigInteger(), nullable=False),
        sa.Column("deadline_at", sa.BigInteger(), nullable=False),
        sa.Column("paused_for", sa.String(128)),
        sa.Column("paused_at", sa.BigInteger()),
        sa.Column("paused_ms", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("fetched_at", sa.BigInteger()),
        sa.Column("finished_at", sa.BigInteger()),
        sa.Column("finish_reason", sa.String(16)),
        sa.Column("scored_at", sa.BigInteger()),
        sa.Column("attempt", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_until", sa.BigInteger()),
        sa.Column("failure", sa.Text()),
        sa.Column("void_reason", sa.Text()),
        sa.Column("opened_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("answered_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("finished_items", sa.Integer(), server_default="0", nullable=False),
        sa.Column("reply_bytes", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("answers_object", sa.String(200)),
        sa.Column("answers_digest", sa.String(64)),
        sa.Column("pruned_at", sa.BigInteger()),
        sa.Column("weight", sa.Integer(), server_default="1", nullable=False),
        sa.Column("evaluation_id", sa.String(64)),
        sa.Column("draw_id", sa.String(64)),
        sa.Column("unranked", sa.Text()),
        sa.Column("request_id", sa.String(64)),
        sa.Column("traceparent", sa.String(55)),
        sa.ForeignKeyConstraint(["model_id"], ["models.id"], name="fk_submissions_model_id"),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name="fk_submissions_team_id"),
        sa.PrimaryKeyConstraint("id", name="pk_submissions"),
    )
    op.create_index("ix_submissions_draw_id", "submissions", ["draw_id"])
    op.create_index("ix_submissions_of_team", "submissions", ["team_id", "id"])
    op.create_index("ix_submissions_of_team_by_time", "submissions", ["team_id", "opened_at"])
    op.create_index("ix_submissions_open", "submissions", ["deadline_at"], **where("state = 'open'"))
    op.create_index("ix_submissions_open_of_team", "submissions", ["team_id", "deadline_at"], **where("state = 'open'"))
    op.create_index("ix_submissions_queued", "submissions", ["id"], **where("state = 'queued'"))
    op.create_index("ix_submissions_row", "submissions", ["board", "model_id"])
    op.create_index(
        "ix_submissions_scored", "submissions", ["board", "id"], **where("state = 'scored' AND visibility = 'public'")
    )
    op.create_index(
        "ix_submissions_unpruned", "submissions", ["scored_at"], **where("pruned_at IS NULL AND scored_at IS NOT NULL")
    )
    op.create_index("ix_submissions_void", "submissions", ["board", "id"], **where("state = 'void'"))


def make_answers() -> None:
    op.create_table(
        "answers",
        sa.Column("submission_id", sa.String(64), nullable=False),
        sa.Column("item", sa.Integer(), nullable=False),
        sa.Column("question", sa.String(64), nullable=False),
        sa.Column("answer", sa.String(64)),
        sa.Column("response", sa.Text()),
        sa.Column("stop", sa.String(24)),
        sa.Column("sealed_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name="fk_answers_submission_id"),
        sa.PrimaryKeyConstraint("submission_id", "item", "question", name="pk_answers"),
    )


def make_events() -> None:
    op.create_table(
        "events",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("submission_id", sa.String(64), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name="fk_events_submission_id"),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
    )
    op.create_index("ix_events_of_submission", "events", ["submission_id", "id"])


def make_items() -> None:
    op.create_table(
        "items",
        sa.Column("submission_id", sa.String(64), nullable=False),
        sa.Column("item", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("closing", sa.Boolean(), nullable=False),
        sa.Column("finished", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name="fk_items_submission_id"),
        sa.PrimaryKeyConstraint("submission_id", "item", name="pk_items"),
    )


def make_questions() -> None:
    op.create_table(
        "questions",
        sa.Column("submission_id", sa.String(64), nullable=False),
        sa.Column("item", sa.Integer(), nullable=False),
        sa.Column("question", sa.String(64), nullable=False),
        sa.Column("shape", sa.Text(), nullable=False),
        sa.Column("pictures", sa.Text(), nullable=False),
        sa.Column("opened_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name="fk_questions_submission_id"),
        sa.PrimaryKeyConstraint("submission_id", "item", "question", name="pk_questions"),
    )


def make_reports() -> None:
    op.create_table(
        "reports",
        sa.Column("submission_id", sa.String(64), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("object", sa.String(200), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("seed", sa.String(64), nullable=False),
        sa.Column("metric", sa.String(64), nullable=False),
        sa.Column("headline", sa.Text(), nullable=False),
        sa.Column("total", sa.Float(), nullable=False),
        sa.Column("items", sa.Integer(), nullable=False),
        sa.Column("asked", sa.Integer(), nullable=False),
        sa.Column("unread", sa.Integer(), nullable=False),
        sa.Column("missing", sa.Integer(), nullable=False),
        sa.Column("scored_at", sa.BigInteger(), nullable=False),
        sa.Column("differences", sa.Text(), nullable=False),
        sa.Column("by_facet", sa.Text(), server_default="[]", nullable=False),
        sa.Column("revision", sa.Integer(), server_default="1", nullable=False),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name="fk_reports_submission_id"),
        sa.PrimaryKeyConstraint("submission_id", name="pk_reports"),
    )


def make_rescorings() -> None:
    op.create_table(
        "rescorings",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("batch", sa.String(64), nullable=False),
        sa.Column("submission_id", sa.String(64), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger()),
        sa.Column("attempt", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_until", sa.BigInteger()),
        sa.Column("failure", sa.Text()),
        sa.Column("revision", sa.Integer()),
        sa.Column("difference", sa.Text()),
        sa.Column("report", sa.Text()),
        sa.Column("request_id", sa.String(64)),
        sa.Column("traceparent", sa.String(55)),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name="fk_rescorings_submission_id"),
        sa.PrimaryKeyConstraint("id", name="pk_rescorings"),
    )
    op.create_index("ix_rescorings_batch", "rescorings", ["batch"])
    op.create_index("ix_rescorings_queued", "rescorings", ["id"], **where("state = 'queued'"))
    op.create_index("ix_rescorings_submission_id", "rescorings", ["submission_id"])


def make_scoring_slices() -> None:
    op.create_table(
        "scoring_slices",
        sa.Column("job_id", sa.String(64), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("submission_id", sa.String(64)),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("made_by", sa.String(64), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name="fk_scoring_slices_submission_id"),
        sa.PrimaryKeyConstraint("job_id", "number", name="pk_scoring_slices"),
    )
    op.create_index("ix_scoring_slices_submission_id", "scoring_slices", ["submission_id"])


def make_superseded_reports() -> None:
    op.create_table(
        "superseded_reports",
        sa.Column("submission_id", sa.String(64), nullable=False),
        sa.Column("revision", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("object", sa.String(200), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("seed", sa.String(64), nullable=False),
        sa.Column("metric", sa.String(64), nullable=False),
        sa.Column("headline", sa.Text(), nullable=False),
        sa.Column("total", sa.Float(), nullable=False),
        sa.Column("items", sa.Integer(), nullable=False),
        sa.Column("asked", sa.Integer(), nullable=False),
        sa.Column("unread", sa.Integer(), nullable=False),
        sa.Column("missing", sa.Integer(), nullable=False),
        sa.Column("scored_at", sa.BigInteger(), nullable=False),
        sa.Column("differences", sa.Text(), nullable=False),
        sa.Column("by_facet", sa.Text(), server_default="[]", nullable=False),
        sa.Column("superseded_at", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name="fk_superseded_reports_submission_id"),
        sa.PrimaryKeyConstraint("submission_id", "revision", name="pk_superseded_reports"),
    )


def where(condition: str) -> dict[str, Any]:
    """Return what makes an index hold only the rows of a condition, on both databases."""
    return {"postgresql_where": sa.text(condition), "sqlite_where": sa.text(condition)}


TABLES = (
    make_board_changes,
    make_board_versions,
    make_commitments,
    make_damages,
    make_datasets,
    make_evaluation_calls,
    make_idempotency_records,
    make_invites,
    make_kept_pools,
    make_ledger_epoch,
    make_operator_acts,
    make_scoring_turns,
    make_scrubs,
    make_settlements,
    make_spending,
    make_teams,
    make_usage_by_hour,
    make_verification_bytes,
    make_verifications,
    make_dataset_events,
    make_dataset_orders,
    make_dataset_shards,
    make_evaluations,
    make_gateway_tokens,
    make_keys,
    make_models,
    make_team_approvals,
    make_evaluation_runs,
    make_hidden_rows,
    make_sessions,
    make_submissions,
    make_answers,
    make_events,
    make_items,
    make_questions,
    make_reports,
    make_rescorings,
    make_scoring_slices,
    make_superseded_reports,
)
"""In an order in which each stands after those that it refers to."""


def upgrade() -> None:
    for make_table in TABLES:
        make_table()
    op.execute("INSERT INTO ledger_epoch (id, epoch) VALUES (1, 0)")
    op.execute("INSERT INTO verification_bytes (asker, bytes) VALUES ('', 0)")
