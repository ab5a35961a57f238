"""One reply has one verdict, wherever it is judged: in a report, one by one, in a batch, and on a trainer's machine.

TETRAD_SOAK_REPLIES (10,000) replies answer submissions of KiVA. Their items are practice items once they are scored, so
the same replies to the same questions are then judged in the other ways. TETRAD_SOAK_SEED (1) draws other replies.
"""

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.answering import open_questions, open_submission, wait_scored
from tests.instance import Instance, running
from tests.unit.tetrad.extraction.boxed_replies import BOXED
from tests.unit.tetrad.extraction.phrasings import PHRASINGS
from tests.unit.tetrad.extraction.replies import LETTERS, REPLIES
from tests.unit.tetrad.extraction.stated_answers import SPEECHES, twins_of
from tetrad.client import Client
from tetrad.contracts.answers import Answer, PracticeAnswer, Verdict
from tetrad.contracts.reports import QuestionResult
from tetrad.contracts.submissions import RevealedItem, RevealedQuestion
from tetrad.contracts.training import PracticeReply, PracticeVerdict
from tetrad.environments import judge_reply

COUNT, SEED = int(os.environ.get("TETRAD_SOAK_REPLIES", "10000")), os.environ.get("TETRAD_SOAK_SEED", "1")
SIZE = 1000


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory, bank_folder: Path) -> Iterator[Instance]:
    with running(tmp_path_factory.mktemp("verdicts") / "home", bank_folder) as instance:
        yield instance


def draw_replies() -> Iterator[str]:
    """Yield replies without end: of our tables, and twins in every language."""
    rng = Random(SEED)
    texts = [text for text, _, _ in REPLIES] + [text for text, _ in BOXED]
    texts += [text for table in PHRASINGS.values() for text, _ in table]
    for language in SPEECHES:
        texts += [twin.reply for twin in twins_of(language, *rng.sample(LETTERS, 2))]
    while True:
        yield rng.choice(texts)


def revealed_questions(client: Client, submission: str) -> Iterator[tuple[RevealedItem, RevealedQuestion]]:
    """Yield the questions of a scored submission, each with its item."""
    cursor = None
    while True:
        page = client.revealed_items(submission, cursor=cursor)
        for item in page.items:
            yield from ((item, question) for question in item.questions)
        if (cursor := page.next) is None:
            return


def answer_submission(client: Client, size: int, replies: Iterator[str]) -> str:
    """Answer a submission with these replies, wait until it is scored, and return its id."""
    submission = open_submission(
        client, "reader", benchmark="kiva", track="kiva", setting="extrapolation-only", size=size, visibility="private"
    ).id
    waiting = list(open_questions(client, submission))
    answers = [Answer(item=asked.item, question=asked.question.id, response=next(replies)) for asked in waiting]
    for first in range(0, len(answers), 100):
        client.seal(submission, answers[first : first + 100])
    wait_scored(client, submission)
    return submission


def test_a_reply_has_one_verdict_wherever_it_is_judged(instance: Instance) -> None:
    replies, seen = draw_replies(), Counter[str]()
    for first in range(0, COUNT, SIZE):
        with instance.team(f"readers-{first}") as client:
            submission = answer_submission(client, min(SIZE, COUNT - first), replies)
            reported = {(found.item, found.question): found for found in client.report(submission).questions}
            asked = list(revealed_questions(client, submission))
            lines = [
                PracticeReply(item=item.practice_id, question=shown.question.id, response=shown.response or "")
                for item, shown in asked
            ]
            for (item, shown), line, in_batch in zip(asked, lines, client.judge("kiva", lines), strict=True):
                given = PracticeAnswer(question=line.question, response=line.response)
                (alone,) = client.check(line.item, [given]).verdicts
                own = judge_reply(shown.question, shown.key, line.response or "")
                found = reported[item.item, line.question]
                assert facts_of(found) == facts_of(in_batch) == facts_of(alone), line.response
                assert (found.verdict, found.outcome) == (own.verdict, own.outcome), line.response
                seen[found.verdict] += 1
    assert seen.total() == COUNT
    assert min(seen[verdict] for verdict in ("correct", "incorrect", "unread")) > COUNT / 50, seen


def facts_of(judged: QuestionResult | PracticeVerdict | Verdict) -> tuple[object, ...]:
    """Return all that a verdict says."""
    return (
        judged.verdict,
        judged.answer,
        judged.reason,
        judged.key,
        judged.outcome,
        judged.begins_inside_thinking,
    )
