"""How much the replies of one submission may take: scoring reveals its draw with all of them, in one request.

What has been accepted must be scored, so what no reveal could carry is refused on its way in.
"""

from collections.abc import Iterable

from msgspec import json

from api.submissions.answering.admissible import Content
from api.submissions.finding import SubmissionRow
from tetrad.internal.draws import LARGEST_REVEAL
from tetrad.server.problems import refuse

MOST_REPLY_BYTES = LARGEST_REVEAL * 3 // 4  # the rest is for places and options
REMEDY = "send the option as answer, or as response the end of each reply, which holds it as a rule"


def check_room(row: SubmissionRow, new: Iterable[Content]) -> int:
    """Return how many bytes these replies take in a reveal: those of their JSON text.

    Raises:
        ProblemError: 413, the submission has not as many left.
    """
    taken = sum(len(json.encode(response)) for _, response in new if response is not None)
    left = max(0, MOST_REPLY_BYTES - row.reply_bytes)
    if taken > left:
        problem = f"bring {taken} bytes of replies; a submission may have {MOST_REPLY_BYTES}, counted as JSON, and"
        raise refuse(413, "answers", None, f"{problem} {left} are left", REMEDY)
    return taken
