"""Everything that is open once a submission is scored: its reports, and its items with keys, answers and replies.

Of the reports a submission has had, the newest counts; the earlier ones stay readable.
"""

from collections.abc import Sequence
from functools import lru_cache

import sqlalchemy as sa
from msgspec import json

from api.context import AppContext
from api.database.schema import answers, reports, submissions, superseded_reports
from api.errors import NotFoundError, NotScoredError, VoidSubmissionError
from api.paging import cursor_at, link, position_of
from api.practice.items import with_addresses
from api.settings import ApiSettings
from api.submissions.finding import SubmissionRow, identity_of
from api.teams.access import Caller
from api.teams.approvals import REVEALED, allowed_to, check_revealable
from tetrad.contracts.reports import MetricValue, QuestionResult, Report
from tetrad.contracts.rescoring import Revision, RevisionList
from tetrad.contracts.submissions import RevealedItem, RevealedPage, RevealedQuestion
from tetrad.internal.item_ids import item_id
from tetrad.internal.kept_answers import unpack_answers
from tetrad.internal.practice import ItemSolution, PracticeItemRequest
from tetrad.server.clock import rfc3339
from tetrad.server.damage import read_object
from tetrad.server.database import read_rows, read_transaction
from tetrad.server.objects import ObjectStore

RETRY_SECONDS = 2  # scoring takes some seconds


def list_revisions(
    engine: sa.Engine, settings: ApiSettings, row: SubmissionRow, cursor: str | None, limit: int
) -> RevisionList:
    """Return a page of the submission's reports, oldest first; none before it is scored.

    Raises:
        InvalidInputError: the cursor is none of this list's.
    """
    after = position_of("revisions", cursor, 0)
    old, new = superseded_reports.c, reports.c
    shared = ("revision", "scored_at", "digest", "headline")
    earlier = sa.select(*(old[name] for name in shared), old.superseded_at, old.reason)
    earlier = earlier.where(old.submission_id == row.id, old.revision > after).order_by(old.revision).limit(limit + 1)
    newest = sa.select(*(new[name] for name in shared), sa.null().label("superseded_at"), sa.null().label("reason"))
    newest = newest.where(new.submission_id == row.id, new.revision > after)
    with read_transaction(engine) as connection:
        found = [*connection.execute(earlier).mappings(), *connection.execute(newest).mappings()]
    revisions = [_revision(settings, str(row.id), revision) for revision in found[:limit]]
    following = cursor_at("revisions", revisions[-1].revision) if len(found) > limit else None
    return RevisionList(revisions=revisions, next=following)


def report_object(engine: sa.Engine, row: SubmissionRow, revision: int | None) -> tuple[str, str] | None:
    """Return name and digest of the object that holds this revision of the report, of the newest if none is named.

    Raises:
        NotFoundError: the report has no such revision.
    """
    if revision is None or revision == row.revision:
        return None if row.report is None else (str(row.report), str(row.report_digest))
    old = superseded_reports.c
    query = sa.select(old.object, old.digest).where(old.submission_id == row.id, old.revision == revision)
    found = read_rows(engine, query)
    if not found:
        raise NotFoundError.at("revision", revision, "the report has no such revision", "see GET .../revisions")
    return str(found[0].object), str(found[0].digest)


def _revision(settings: ApiSettings, submission: str, row: sa.RowMapping) -> Revision:
    return Revision(
        revision=row["revision"],
        scored_at=rfc3339(row["scored_at"]),
        digest=row["digest"],
        headline=json.decode(row["headline"], type=MetricValue),
        superseded_at=None if row["superseded_at"] is None else rfc3339(row["superseded_at"]),
        reason=row["reason"],
        report=link(settings, "submissions", submission, "report", query={"revision": row["revision"]}),
    )


def report_body(engine: sa.Engine, store: ObjectStore, row: SubmissionRow, revision: int | None = None) -> bytes:
    """Return the report's JSON as scoring wrote it, the newest or an earlier one.

    Raises:
        NotFoundError: there is no such revision.
        NotScoredError: it is not scored yet. If it is about to be, the error says when to ask again.
        VoidSubmissionError: it is void; says why.
        DamageError: the object is missing, or not what scoring wrote.
    """
    found = report_object(engine, row, revision)
    if found is None or row.state != "scored":
        if row.state == "void":
            raise VoidSubmissionError(f"the submission is void: {row.void_reason}; its report counts nowhere")
        waiting = RETRY_SECONDS if row.state in {"queued", "failed"} else None
        detail = f"the submission is {row.state}: its report is written once it is scored"
        raise NotScoredError(detail, retry_after=waiting)
    return read_object(engine, store, *found)


@lru_cache(maxsize=8)  # a report has megabytes, and a client reads page after page of it
def parse_report(body: bytes) -> Report:
    return json.decode(body, type=Report)


def revealed_page(
    context: AppContext, caller: Caller | None, row: SubmissionRow, cursor: int, limit: int
) -> RevealedPage:
    """Return items cursor..cursor+limit-1 of a submission that the caller may read: questions, answers, answer keys.

    Raises:
        NotScoredError, VoidSubmissionError: there is no report to read.
        WithheldItemsError: the items are a fixed corpus's.
    """
    report = parse_report(report_body(context.engine, context.store, row))
    end = min(cursor + limit, row.size)
    return RevealedPage(
        items=revealed_items(context, caller, row, report, range(cursor, end)),
        seed=row.seed,
        next=cursor_at("revealed", end) if end < row.size else None,
    )


def revealed_items(
    context: AppContext, caller: Caller | None, row: SubmissionRow, report: Report, indexes: Sequence[int]
) -> list[RevealedItem]:
    """Return items of a submission that the caller may read, in this order: questions, answers, answer keys.

    Raises:
        WithheldItemsError: the items are a fixed corpus's.
    """
    check_revealable(report)
    results: dict[int, list[QuestionResult]] = {item: [] for item in indexes}
    for result in report.questions:
        if result.item in results:
            results[result.item].append(result)
    replies = _replies(context, row.id, indexes)
    with read_transaction(context.engine) as connection:
        allowed = [REVEALED, *([] if caller is None else allowed_to(connection, caller.team_id))]
    return [
        _item(context, row, item, results=found, replies=replies, allowed=allowed) for item, found in results.items()
    ]


def _replies(context: AppContext, submission: str, indexes: Sequence[int]) -> dict[tuple[int, str], str | None]:
    """Return the replies to these items, from their rows or from the object that took their place.

    Raises:
        DamageError: the object is missing, or not what was kept.
    """
    a, s = answers.c, submissions.c
    wanted = a.item.between(indexes[0], indexes[-1]) if isinstance(indexes, range) and indexes else a.item.in_(indexes)
    query = sa.select(a.item, a.question, a.response).where(a.submission_id == submission, wanted)
    with read_transaction(context.engine) as connection:  # one moment: rows are deleted after the object is named
        kept = connection.execute(sa.select(s.answers_object, s.answers_digest).where(s.id == submission)).one()
        if kept.answers_object is None:
            return {(row.item, row.question): row.response for row in connection.execute(query)}
    body = read_object(context.engine, context.store, kept.answers_object, kept.answers_digest)
    span = range(min(indexes), max(indexes) + 1) if indexes else range(0)
    return {(answer.item, answer.question): answer.response for answer in unpack_answers(body, span)}


def _item(
    context: AppContext,
    row: SubmissionRow,
    item: int,
    *,
    results: list[QuestionResult],
    replies: dict[tuple[int, str], str | None],
    allowed: list[str],
) -> RevealedItem:
    identity = identity_of(row)
    name = item_id(identity, row.seed, item)
    asked = PracticeItemRequest(identity=identity, seed=row.seed, index=item, allowed=allowed)
    solution = context.generator.solution(asked)
    address = link(context.settings, "items", name)
    return RevealedItem(
        item=item,
        practice_id=name,
        questions=[_question(solution, result, address, replies.get((item, result.question))) for result in results],
    )


def _question(solution: ItemSolution, result: QuestionResult, address: str, reply: str | None) -> RevealedQuestion:
    asked = {question.id: question for question in solution.questions}
    return RevealedQuestion(
        question=with_addresses(asked[result.question], address),
        key=solution.keys[result.question],
        facets=result.facets,
        verdict=result.verdict,
        answer=result.answer,
        response=reply,
    )
