"""Approvals of teams for fixed corpora, with a cap: fixed items can't be drawn again, so each submission counts."""

import sqlalchemy as sa

from api.database.schema import reports, submissions, team_approvals
from api.errors import InvalidInputError, NotApprovedError, WithheldItemsError
from tetrad.contracts.accounts import Approval
from tetrad.contracts.benchmarks import CorpusNotice
from tetrad.contracts.reports import Report
from tetrad.server.clock import rfc3339

ASK = "ask this instance's operator"


def approval_of(connection: sa.Connection, team_id: str, corpus: str) -> Approval | None:
    """Return the team's approval for this corpus, or None where it has none.

    Submissions are counted in the transaction that opens one, after the team's row is locked
    (`api.teams.caps.locked_team`), so that of two concurrent ones the second counts the first.
    """
    a = team_approvals.c
    query = sa.select(team_approvals).where(a.team_id == team_id, a.corpus == corpus)
    row = connection.execute(query).one_or_none()
    return None if row is None else _approval(row)


def approvals_of(connection: sa.Connection, team_id: str) -> list[Approval]:
    query = sa.select(team_approvals).where(team_approvals.c.team_id == team_id).order_by(team_approvals.c.corpus)
    return [_approval(row) for row in connection.execute(query)]


def approve(connection: sa.Connection, team_id: str, corpus: str, submissions_cap: int, now: int) -> None:
    """Let the team open up to `submissions_cap` submissions on the corpus. A second approval replaces the number."""
    disapprove(connection, team_id, corpus)
    row = {"team_id": team_id, "corpus": corpus, "submissions_cap": submissions_cap, "approved_at": now}
    connection.execute(sa.insert(team_approvals).values(row))


def disapprove(connection: sa.Connection, team_id: str, corpus: str) -> bool:
    """Take the approval back; False where there was none."""
    a = team_approvals.c
    gone = sa.delete(team_approvals).where(a.team_id == team_id, a.corpus == corpus)
    return connection.execute(gone).rowcount == 1


def _approval(row: sa.Row[tuple[object, ...]]) -> Approval:
    return Approval(corpus=row.corpus, submissions_cap=row.submissions_cap, approved_at=rfc3339(row.approved_at))


def check_size(corpus: CorpusNotice, size: int) -> None:
    """Check that a draw is large enough that its aggregates reveal nothing about single items.

    Raises:
        InvalidInputError: it is too small.
    """
    if size < corpus.least_draw:
        remedy = f"use {corpus.least_draw} to {corpus.items}"
        raise InvalidInputError.at("size", size, "is too few items of a fixed corpus to report on", remedy)


def check_approval(connection: sa.Connection, team_id: str, corpus: str) -> None:
    """Check that a team is approved for the corpus and has not used up its submissions.

    Every submission counts that has not lapsed unseen, because fixed items can be new to a team only once.

    Raises:
        NotApprovedError: it is not approved, or has none left.
    """
    approval = approval_of(connection, team_id, corpus)
    if approval is None:
        detail = f"{corpus} is a fixed corpus, for approved teams only, and yours is not: {ASK}"
        raise NotApprovedError(detail)
    s = submissions.c
    query = sa.select(sa.func.count()).select_from(submissions).where(s.team_id == team_id, s.benchmark == corpus)
    opened = connection.execute(query).scalar_one()
    if opened >= approval.submissions_cap:
        detail = f"your team has opened {opened} of its {approval.submissions_cap} submissions on {corpus}: {ASK}"
        raise NotApprovedError(detail)


def check_revealable(report: Report) -> None:
    """Check that the report's items may be shown.

    Raises:
        WithheldItemsError: it is of a fixed corpus.
    """
    if report.aggregates_only:
        name = report.identity.benchmark
        raise WithheldItemsError(
            f"{name} is a fixed corpus: its items are used again, so none is shown with its answer key"
        )


TEAMS = "teams"
"""What stands for every source that is for teams."""
REVEALED = "revealed"
"""What stands for items of a draw whose seed is public: they may be of pictures that practice does not show."""


def allowed_to(connection: sa.Connection, team_id: str) -> list[str]:
    """Return what a team may draw from beside public sources: what is for teams, and what it is approved for."""
    return [TEAMS, *(approval.corpus for approval in approvals_of(connection, team_id) if ":" in approval.corpus)]


def is_revealed(connection: sa.Connection, seed: str) -> bool:
    """Tell whether a seed is that of a scored submission."""
    return connection.execute(sa.select(reports.c.seed).where(reports.c.seed == seed).limit(1)).first() is not None
