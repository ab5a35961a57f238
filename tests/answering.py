"""Answering submissions in tests: by a function of the question, through the public client only."""

import time
from collections.abc import Callable, Iterator
from typing import TypeVar

import msgspec

from tetrad.client import Client, ServiceError, TetradError
from tetrad.contracts.accounts import ModelRequest
from tetrad.contracts.answers import Answer
from tetrad.contracts.items import Choice
from tetrad.contracts.reports import Report
from tetrad.contracts.submissions import OpenQuestion, Submission, SubmissionRequest

Answerer = Callable[[OpenQuestion], str]
R = TypeVar("R")
TOY = {"benchmark": "toy", "track": "toy", "size": 24}


def patiently(act: Callable[[], R], seconds: float) -> R:
    """Ask until the service answers: it may have been killed a moment ago."""
    end = time.monotonic() + seconds
    while True:
        try:
            return act()
        except ServiceError as error:
            if error.problem.status < 500 or time.monotonic() > end:
                raise
        except TetradError:
            if time.monotonic() > end:
                raise
        time.sleep(0.1)


def register(client: Client, model: str) -> None:
    """Register the model unless it is there."""
    try:
        client.register_model(ModelRequest(name=model))
    except ServiceError as error:
        if error.problem.status != 409:
            raise


def open_submission(client: Client, model: str, **change: object) -> Submission:
    """Open a toy submission of 24 items, or what `change` says."""
    register(client, model)
    return client.open_submission(msgspec.convert({**TOY, "model": model, **change}, type=SubmissionRequest))


def open_questions(client: Client, submission: str) -> Iterator[OpenQuestion]:
    """Yield one pass over the open questions."""
    cursor = None
    while True:
        page = client.questions(submission, cursor=cursor)
        yield from page.questions
        if (cursor := page.next) is None:
            return


def first(_: OpenQuestion) -> str:
    shape = _.question.shape
    return shape.labels[0] if isinstance(shape, Choice) else "0"


def answer_all(client: Client, submission: str, answerer: Answerer = first) -> None:
    """Answer until no question is open."""
    while True:
        try:
            waiting = list(open_questions(client, submission))
        except ServiceError as error:
            if error.problem.status == 409:
                return
            raise
        if not waiting:
            return
        client.seal(
            submission,
            [Answer(item=one.item, question=one.question.id, answer=answerer(one)) for one in waiting],
        )


def wait_scored(client: Client, submission: str, seconds: float = 60) -> Report:
    """Wait for the report; the limit is the service's promise."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if client.submission(submission).state == "scored":
                return client.report(submission)
        except ServiceError as error:
            if error.problem.status < 500:
                raise
        time.sleep(0.2)
    raise AssertionError(f"{submission} is {client.submission(submission).state} after {seconds} s")
