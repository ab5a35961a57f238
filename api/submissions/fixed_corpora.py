"""Fixed corpora in the public api: who may open a submission on one, and what there is not to be had of them."""

import sqlalchemy as sa

from api.database.schema import submissions
from api.teams.approvals import approval_of
from tetrad.contracts.benchmarks import CorpusNotice
from tetrad.contracts.reports import Report
from tetrad.server.problems import ProblemError, refuse

ASK = "ask this instance's operator"


def check_size(corpus: CorpusNotice, size: int) -> None:
    """Let a draw pass that is large enough for its aggregates to tell nothing of single items.

    Raises:
        ProblemError: 422.
    """
    if size < corpus.least_draw:
        remedy = f"use {corpus.least_draw} to {corpus.items}"
        raise refuse(422, "size", size, "is too few items of a fixed corpus to report on", remedy)


def check_approval(connection: sa.Connection, team_id: str, corpus: str) -> None:
    """Let a team pass that is approved for the corpus and has not used up its submissions.

    Every submission counts that has not lapsed unseen: fixed items can't be shown a first time twice. Where one is
    opened, this is asked in the same transaction with the team's row locked: of two, one counts the other.

    Raises:
        ProblemError: 403, it is not approved, or has none left.
    """
    approval = approval_of(connection, team_id, corpus)
    if approval is None:
        detail = f"{corpus} is a fixed corpus, for approved teams only, and yours is not: {ASK}"
        raise ProblemError(403, detail)
    s = submissions.c
    query = sa.select(sa.func.count()).select_from(submissions).where(s.team_id == team_id, s.benchmark == corpus)
    opened = connection.execute(query).scalar_one()
    if opened >= approval.submissions_cap:
        detail = (
            f"your team has opened {opened} of the {approval.submissions_cap} submissions it may on {corpus}: {ASK}"
        )
        raise ProblemError(403, detail)


def check_revealable(report: Report) -> None:
    """Let a report pass whose items may be shown.

    Raises:
        ProblemError: 403, it is of a fixed corpus.
    """
    if report.aggregates_only:
        name = report.identity.benchmark
        raise ProblemError(403, f"{name} is a fixed corpus: its items are asked again, and none is shown with its key")
