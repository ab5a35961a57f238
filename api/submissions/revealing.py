"""What is open once a submission is scored: its report, and its items with keys, answers and replies."""

from functools import lru_cache

import sqlalchemy as sa
from msgspec import json

from api.context import Services
from api.database.schema import answers
from api.http.cursors import cursor_at
from api.http.links import link
from api.practice.item_ids import item_id
from api.practice.items import with_addresses
from api.submissions.finding import SubmissionRow, identity_of, readable
from api.submissions.fixed_corpora import check_revealable
from api.submissions.revisions import report_object
from api.teams.access import Caller
from tetrad.contracts.reports import QuestionResult, Report
from tetrad.contracts.submissions import RevealedItem, RevealedPage, RevealedQuestion
from tetrad.internal.practice import ItemSolution, PracticeItemRequest
from tetrad.server.database import read_transaction
from tetrad.server.problems import ProblemError

RETRY_SECONDS = "2"  # a report follows its finish within seconds


def report_body(services: Services, row: SubmissionRow, revision: int | None = None) -> bytes:
    """Return the report's JSON as scoring wrote it, the newest or an earlier one.

    Raises:
        ProblemError: 404, no such revision; 409, not scored yet (with Retry-After) or void (with the reason); 503,
            the object is out of reach.
    """
    name = report_object(services, row, revision)
    if name is None or row.state != "scored":
        if row.state == "void":
            raise ProblemError(409, f"the submission is void: {row.void_reason}; its report counts nowhere")
        waiting = {"Retry-After": RETRY_SECONDS} if row.state in {"queued", "failed"} else {}
        detail = f"the submission is {row.state}: its report is written once it is scored"
        raise ProblemError(409, detail, headers=waiting)
    body = services.store.get(name)
    if body is None:
        raise ProblemError(503, "the report is not in the object store now", headers={"Retry-After": "30"})
    return body


@lru_cache(maxsize=8)  # pages of one submission follow each other; a report of 10,000 items has some megabytes
def parsed(body: bytes) -> Report:
    return json.decode(body, type=Report)


def revealed_page(services: Services, caller: Caller | None, submission: str, cursor: int, limit: int) -> RevealedPage:
    """Return items cursor..cursor+limit-1 with what was asked, answered and right.

    Raises:
        ProblemError: 404 or 409, there is no report to read; 403, the items are a fixed corpus's.
    """
    row = readable(services, caller, submission)
    report = parsed(report_body(services, row))
    check_revealable(report)
    end = min(cursor + limit, row.size)
    results: dict[int, list[QuestionResult]] = {item: [] for item in range(cursor, end)}
    for result in report.questions:
        if result.item in results:
            results[result.item].append(result)
    replies = _replies(services.engine, submission, cursor, end)
    return RevealedPage(
        items=[_item(services, row, item, found, replies) for item, found in results.items()],
        seed=row.seed,
        next=cursor_at("revealed", end) if end < row.size else None,
    )


def _replies(engine: sa.Engine, submission: str, first: int, end: int) -> dict[tuple[int, str], str | None]:
    a = answers.c
    query = sa.select(a.item, a.question, a.response)
    query = query.where(a.submission_id == submission, a.item >= first, a.item < end)
    with read_transaction(engine) as connection:
        return {(row.item, row.question): row.response for row in connection.execute(query)}


def _item(
    services: Services,
    row: SubmissionRow,
    item: int,
    results: list[QuestionResult],
    replies: dict[tuple[int, str], str | None],
) -> RevealedItem:
    identity = identity_of(row)
    name = item_id(identity, row.seed, item)
    solution = services.generator.solution(PracticeItemRequest(identity=identity, seed=row.seed, index=item))
    address = link(services.settings, "items", name)
    return RevealedItem(
        item=item,
        practice_id=name,
        questions=[_question(solution, one, address, replies.get((item, one.question))) for one in results],
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
