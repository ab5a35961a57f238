"""The largest legal load on scoring: many items whose replies take long to read."""

from tests.answering import open_questions, register
from tetrad.client import Client
from tetrad.contracts.answers import Answer
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
