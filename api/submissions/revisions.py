"""The reports a submission has had: the newest counts, the earlier ones stay readable."""

import sqlalchemy as sa
from msgspec import json

from api.context import Services
from api.database.operator_tables import superseded_reports
from api.database.schema import reports
from api.http.cursors import cursor_at, position_of
from api.http.links import link
from api.submissions.finding import SubmissionRow
from tetrad.contracts.reports import MetricValue
from tetrad.contracts.rescoring import Revision, RevisionList
from tetrad.server.clock import rfc3339
from tetrad.server.database import read_transaction
from tetrad.server.problems import refuse


def list_revisions(services: Services, row: SubmissionRow, cursor: str | None, limit: int) -> RevisionList:
    """Return a page of the submission's reports, oldest first; none before it is scored.

    Raises:
        ProblemError: 422, the cursor is none of this list's.
    """
    after = position_of("revisions", cursor, 0)
    old, new = superseded_reports.c, reports.c
    shared = ("revision", "scored_at", "digest", "headline")
    earlier = sa.select(*(old[name] for name in shared), old.superseded_at, old.reason)
    earlier = earlier.where(old.submission_id == row.id, old.revision > after).order_by(old.revision).limit(limit + 1)
    newest = sa.select(*(new[name] for name in shared), sa.null().label("superseded_at"), sa.null().label("reason"))
    newest = newest.where(new.submission_id == row.id, new.revision > after)
    with read_transaction(services.engine) as connection:
        found = [*connection.execute(earlier).mappings(), *connection.execute(newest).mappings()]
    revisions = [_revision(services, str(row.id), one) for one in found[:limit]]
    following = cursor_at("revisions", revisions[-1].revision) if len(found) > limit else None
    return RevisionList(revisions=revisions, next=following)


def report_object(services: Services, row: SubmissionRow, revision: int | None) -> str | None:
    """Return the name of the object that holds this revision of the report, of the newest if none is named.

    Raises:
        ProblemError: 404, the report has no such revision.
    """
    if revision is None or revision == row.revision:
        return None if row.report is None else str(row.report)
    old = superseded_reports.c
    query = sa.select(old.object).where(old.submission_id == row.id, old.revision == revision)
    with read_transaction(services.engine) as connection:
        found = connection.execute(query).scalar()
    if found is None:
        raise refuse(404, "revision", revision, "the report has no such revision", "see GET .../revisions")
    return str(found)


def _revision(services: Services, submission: str, row: sa.RowMapping) -> Revision:
    return Revision(
        revision=row["revision"],
        scored_at=rfc3339(row["scored_at"]),
        digest=row["digest"],
        headline=json.decode(row["headline"], type=MetricValue),
        superseded_at=None if row["superseded_at"] is None else rfc3339(row["superseded_at"]),
        reason=row["reason"],
        report=link(services.settings, "submissions", submission, "report", query={"revision": row["revision"]}),
    )
