"""The largest legal load on scoring: many items whose replies take long to read, and verifications without end."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.answering import open_questions, register
from tests.instance import Instance
from tetrad.client import Client, ServiceError
from tetrad.contracts.answers import Answer
from tetrad.contracts.reports import Report
from tetrad.contracts.submissions import SubmissionRequest

REPLY_BYTES = 4000
SENTENCE = "The bottle stands to the left of the red table, and two glass mugs are on it, not under the wooden chair. "
LONG_REPLY = (SENTENCE * (REPLY_BYTES // len(SENTENCE) + 1))[:REPLY_BYTES]
PAGE = 500


def finished_large(client: Client, items: int, reply: str = LONG_REPLY) -> str:
    """Answer every item of a CARV submission with this reply and return it: from now on it is scored."""
    register(client, "large")
    request = SubmissionRequest(benchmark="carv", track="single", setting="direct", model="large", size=items)
    submission = client.open_submission(request).id
    waiting = list(open_questions(client, submission))
    for start in range(0, len(waiting), PAGE):
        part = waiting[start : start + PAGE]
        client.seal(submission, [Answer(item=one.item, question=one.question.id, response=reply) for one in part])
    return submission


@contextmanager
def verifying_all_the_time(instance: Instance, report: Report) -> Iterator[list[str]]:
    """Ask for verifications without a key, again and again, until the block ends; give those that were taken."""
    taken: list[str] = []

    def ask(anyone: Client) -> bool:
        try:
            taken.append(anyone.verify(report).id)
        except ServiceError as error:
            if error.problem.status not in {429, 503}:
                raise
            return False
        return True

    with instance.client() as anyone, _again_and_again(lambda: ask(anyone)):
        yield taken


@contextmanager
def scoring_all_the_time(client: Client, items: int) -> Iterator[list[str]]:
    """Have a large submission scored, and another one when it is, until the block ends; give all of them."""
    taken = [finished_large(client, items)]

    def submit() -> bool:
        if client.submission(taken[-1]).state == "queued":
            return False
        taken.append(finished_large(client, items))
        return True

    with _again_and_again(submit):
        yield taken


@contextmanager
def _again_and_again(act: Callable[[], bool]) -> Iterator[None]:
    """Repeat this in a thread until the block ends, at once after a success."""
    done = threading.Event()

    def repeat() -> None:
        while not done.is_set():
            if not act():
                done.wait(0.5)

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join(120)
