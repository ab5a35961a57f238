"""A whole pass over a submission's open questions: page after page, as lines of JSON."""

from collections.abc import Iterator

from msgspec import json

from api.context import Services
from api.http.cursors import position_of
from api.submissions.questions.open_questions import open_questions
from api.teams.access import Caller
from tetrad.contracts.submissions import OpenQuestion, QuestionPage

ITEMS_AT_ONCE = 100


def pages(services: Services, caller: Caller, submission: str, first: QuestionPage) -> Iterator[QuestionPage]:
    """Yield the pages of a pass; the first one is made already, so that a refusal has had its status.

    Raises:
        ProblemError: the submission was finished meanwhile, or the generator is away.
    """
    page = first
    yield page
    while page.next is not None:
        begin = position_of("questions", page.next, 0)
        page = open_questions(services, caller, submission, begin, ITEMS_AT_ONCE)
        yield page


def as_lines(questions: list[OpenQuestion]) -> bytes:
    return b"".join(json.encode(question) + b"\n" for question in questions)
